import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService, type Answered } from '../../support/service.ts'

/** Connections that authenticate with a certificate. */
const service = useService()
let token = ''

const CLOUD_A = '/v1/connectionmgmt/services/cloud-a/connections'
const ACCOUNT = '111122223333'
const DAY_MS = 86_400_000

beforeAll(async () => {
  token = await service().logIn()
})

const ask = (method: string, path: string, body?: unknown, by = token): Promise<Answered> =>
  service().call(method, path, { token: by, body })
const simulated = () => service().deployment.cloudA
const identity = () => simulated().anywhereIdentityOf(ACCOUNT)
const pemOf = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8'): string =>
  key.export({ type: type, format: 'pem' }).toString()

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
/** A certificate of the account's trust anchor with a new key. */
function certified(content: Parameters<ReturnType<typeof simulated>['certify']>[2] = {}, pair = p256()) {
  return { certificate: simulated().certify(ACCOUNT, pair.publicKey, content), private_key: pemOf(pair.privateKey) }
}

const bodyOf = (name: string, more: object = {}) => ({
  name,
  is_role_anywhere: true,
  role_anywhere: { ...identity(), ...more },
})

async function made(name: string, more: object = {}): Promise<any> {
  const { status, body } = await ask('POST', CLOUD_A, bodyOf(name, more))
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const tested = async (name: string): Promise<any> => (await ask('POST', `${CLOUD_A}/${name}/test`, {})).body
const patched = async (name: string, change: object): Promise<any> => {
  const { status, body } = await ask('PATCH', `${CLOUD_A}/${name}`, change)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const pointersOf = ({ status, body }: Answered): unknown[] => [
  status,
  ...(body.errors ?? []).map(({ pointer }: any) => pointer),
]

test('the connection of endpoints.json works, shows everything except the key, and reaches an account with its keys', async () => {
  const { private_key, ...shown } = identity()
  const connection = await made('by certificate')
  expect(connection).toMatchObject({ is_role_anywhere: true, role_anywhere: shown, ready: false })
  expect(Object.keys(connection.role_anywhere)).not.toContain('private_key')
  expect(connection).not.toHaveProperty('access_key_id')
  expect(await tested('by certificate')).toEqual({ connection_ok: true })
  const account = await ask('POST', '/v1/keymgr/cloud-a/accounts', { connection: 'by certificate' })
  expect(account.body.account_id).toBe(ACCOUNT)
  const kms = { name: 'anywhere', connection: 'by certificate', account_id: ACCOUNT, regions: ['eu-west-1'] }
  expect((await ask('POST', '/v1/keymgr/cloud-a/kms', kms)).status).toBe(201)
  const key = { kms: 'anywhere', region: 'eu-west-1', cloud_a_param: { Alias: 'made-anywhere' } }
  expect((await ask('POST', '/v1/keymgr/cloud-a/keys', key)).status).toBe(201)
  const found = await ask('GET', `${CLOUD_A}/${connection.id}`)
  expect(JSON.stringify(found.body)).not.toContain(private_key.split('\n')[1])
})

test('unsaved connections can be tested, also with a further role', async () => {
  const { name: _, ...body } = bodyOf('')
  const path = '/v1/connectionmgmt/services/cloud-a/connection-test'
  const assume_role_arn = 'arn:aws:iam::444455556666:role/keymgr-visitor'
  expect((await ask('POST', path, { ...body, assume_role_arn })).body).toEqual({ connection_ok: true })
  const refused = { ...body, assume_role_arn: 'arn:aws:iam::444455556666:role/keymgr-nobody' }
  expect((await ask('POST', path, refused)).body).toMatchObject({ connection_ok: false })
})

test('keys of RSA, P-256 and P-384 are taken in every form that is not encrypted', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  for (const [name, pair, form] of [
    ['rsa', rsa, 'pkcs1'],
    ['p384', p384, 'sec1'],
  ] as const) {
    await made(name, { ...certified({}, pair), private_key: pemOf(pair.privateKey, form) })
    expect(await tested(name)).toEqual({ connection_ok: true })
  }
})

test('a refusal of the cloud is the outcome of the test, with its reason and without the key', async () => {
  const stranger = p256()
  const elsewhere = simulated().certify('222233334444', stranger.publicKey)
  await made('of another anchor', { certificate: elsewhere, private_key: pemOf(stranger.privateKey) })
  expect(await tested('of another anchor')).toEqual({
    connection_ok: false,
    connection_error: 'Cloud-a refused: AccessDeniedException: Untrusted certificate. Insufficient certificate',
    connection_failed_step: 'log_in',
  })
  const { clock } = service().deployment
  await made('runs out', certified({ to: new Date(clock.now().getTime() + DAY_MS) }))
  expect(await tested('runs out')).toEqual({ connection_ok: true })
  clock.advance(2 * DAY_MS)
  const later = await service().logIn()
  const { body } = await ask('POST', `${CLOUD_A}/runs out/test`, {}, later)
  expect(body).toMatchObject({ connection_ok: false, connection_error: expect.stringContaining('has expired') })
  clock.advance(-2 * DAY_MS)
  simulated().inject({ operation: 'CreateSession', fault: 'server-error' })
  expect(await tested('by certificate')).toMatchObject({ connection_ok: false, connection_failed_step: 'address' })
  simulated().reset()
  expect(await tested('by certificate')).toEqual({ connection_ok: true })
})

const other = (more: object) => ({ role_anywhere: { ...identity(), ...more } })
const PROFILE = 'arn:aws:rolesanywhere:eu-west-1:111122223333:profile/00000000-0000-4000-8000-000000000000'
const [KEY, CERTIFICATE] = ['#/role_anywhere/private_key', '#/role_anywhere/certificate']

test.each<[string, () => object, unknown[]]>([
  ['a key of another certificate', () => other({ private_key: certified().private_key }), [422, KEY]],
  ['no key', () => other({ private_key: undefined }), [422, KEY]],
  ['text in place of a key', () => other({ private_key: 'key' }), [422, KEY]],
  ['an encrypted key', () => other({ private_key: encrypted() }), [422, KEY]],
  ['the key of another kind', () => other({ private_key: pemOf(rsa().privateKey) }), [422, KEY]],
  ['text in place of a certificate', () => other({ certificate: 'certificate' }), [422, CERTIFICATE]],
  ['an expired certificate', () => other(certified({ to: new Date('2021-01-01T00:00:00Z') })), [422, CERTIFICATE]],
  ["an authority's certificate", () => other(certified({ purpose: 'authority' })), [422, CERTIFICATE]],
  [
    'a chain that leads nowhere',
    () => other({ certificate: certified().certificate + identity().certificate }),
    [422, CERTIFICATE],
  ],
  [
    'a key on P-521',
    () => other(certified({}, generateKeyPairSync('ec', { namedCurve: 'P-521' }))),
    [422, CERTIFICATE],
  ],
  [
    'RSA of 1024 bits',
    () => other(certified({}, generateKeyPairSync('rsa', { modulusLength: 1024 }))),
    [422, CERTIFICATE],
  ],
  ['a profile of another region', () => other({ profile_arn: PROFILE }), [422, '#/role_anywhere/trust_anchor_arn']],
  [
    'a role as profile',
    () => other({ profile_arn: identity().anywhere_role_arn }),
    [422, '#/role_anywhere/profile_arn'],
  ],
  [
    'a role of another edition',
    () => other({ anywhere_role_arn: 'arn:aws-cn:iam::111122223333:role/r' }),
    [422, '#/role_anywhere/anywhere_role_arn'],
  ],
  [
    'another edition',
    () => ({ ...other({}), cloud_name: 'cloud-a-gov' }),
    [422, ...['anywhere_role_arn', 'profile_arn', 'trust_anchor_arn'].map((name) => `#/role_anywhere/${name}`)],
  ],
  ['no role', () => other({ anywhere_role_arn: undefined }), [422, '#/role_anywhere/anywhere_role_arn']],
  ['nothing to trade', () => ({}), [422, '#/is_role_anywhere']],
  ['a certificate that is not to be used', () => ({ ...other({}), is_role_anywhere: false }), [422, '#/role_anywhere']],
  ['an unknown field', () => other({ shoe: 1 }), [400, '#/role_anywhere/shoe']],
  [
    'access keys besides',
    () => ({ ...other({}), access_key_id: 'AKIAEXAMPLE000000001', secret_access_key: 's' }),
    [422, '#/is_role_anywhere'],
  ],
])('creation refuses %s', async (_what, fields, expected) => {
  const answered = await ask('POST', CLOUD_A, { name: 'refused', is_role_anywhere: true, ...fields() })
  expect(pointersOf(answered), JSON.stringify(answered.body)).toEqual(expected)
})

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const encrypted = (): string =>
  createPrivateKey(identity().private_key)
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'word' })
    .toString()

test('another certificate needs its key, unless the key is the same; other fields change independently', async () => {
  const pair = p256()
  await made('renewed', certified({}, pair))
  expect(await tested('renewed')).toEqual({ connection_ok: true })
  const { certificate } = certified({}, pair)
  expect((await patched('renewed', { role_anywhere: { certificate } })).ready).toBe(false)
  expect(await tested('renewed')).toEqual({ connection_ok: true })
  const next = certified()
  const bare = await ask('PATCH', `${CLOUD_A}/renewed`, { role_anywhere: { certificate: next.certificate } })
  expect(pointersOf(bare)).toEqual([422, KEY])
  const unfit = await ask('PATCH', `${CLOUD_A}/renewed`, { role_anywhere: { private_key: next.private_key } })
  expect(pointersOf(unfit)).toEqual([422, KEY])
  expect((await patched('renewed', { role_anywhere: next })).role_anywhere.certificate).toBe(next.certificate)
  expect(await tested('renewed')).toEqual({ connection_ok: true })
  const anywhere_role_arn = 'arn:aws:iam::111122223333:role/orders-service'
  await patched('renewed', { role_anywhere: { anywhere_role_arn } })
  expect(await tested('renewed')).toMatchObject({ connection_ok: false })
  expect((await patched('renewed', { description: 'no credential' })).last_connection_ok).toBe(false)
})

test('a change of the log-in method leaves nothing of the former one', async () => {
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = simulated().accounts.find(
    ({ id }) => id === ACCOUNT,
  )?.credentials ?? { accessKeyId: '', secretAccessKey: '' }
  const pair = { access_key_id, secret_access_key }
  await made('moves')
  const byPair = await patched('moves', pair)
  expect(byPair).toMatchObject({ access_key_id, ready: false })
  for (const field of ['is_role_anywhere', 'role_anywhere']) expect(byPair).not.toHaveProperty(field)
  expect(await tested('moves')).toEqual({ connection_ok: true })
  const { private_key: _, ...bare } = identity()
  const change = { is_role_anywhere: true, role_anywhere: bare }
  expect(pointersOf(await ask('PATCH', `${CLOUD_A}/moves`, change))).toEqual([422, KEY])
  const halfway = await ask('PATCH', `${CLOUD_A}/moves`, {
    is_role_anywhere: true,
    role_anywhere: { certificate: 'c' },
  })
  expect(halfway.status).toBe(422)
  const back = await patched('moves', { is_role_anywhere: true, role_anywhere: identity() })
  expect(back).not.toHaveProperty('access_key_id')
  expect(await tested('moves')).toEqual({ connection_ok: true })
  const keyAlone = await ask('PATCH', `${CLOUD_A}/moves`, { access_key_id }) // the former secret is deleted
  expect(pointersOf(keyAlone)).toEqual([422, '#/access_key_id'])
  const both = await ask('PATCH', `${CLOUD_A}/moves`, { ...pair, is_role_anywhere: true })
  expect(pointersOf(both)).toContain('#/is_role_anywhere')
  const neither = await patched('moves', { is_role_anywhere: false }) // falls back to the deployment's own role
  for (const field of ['is_role_anywhere', 'role_anywhere', 'access_key_id']) expect(neither).not.toHaveProperty(field)
  expect(await tested('moves')).toEqual({ connection_ok: true })
  await patched('moves', { is_role_anywhere: true, role_anywhere: identity() })
  expect(await patched('moves', { role_anywhere: null })).not.toHaveProperty('is_role_anywhere')
})

test('child domains enter by certificates too, and not without', async () => {
  const { child } = await childAdmin(service(), 'anywhere')
  expect((await ask('POST', CLOUD_A, bodyOf('of the child'), child)).status).toBe(201)
  expect((await ask('POST', `${CLOUD_A}/of the child/test`, {}, child)).body).toEqual({ connection_ok: true })
  const left = await ask('PATCH', `${CLOUD_A}/of the child`, { role_anywhere: null }, child)
  expect(pointersOf(left)).toEqual([422, '#/access_key_id'])
})
