import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../../shared/base/time.ts'
import { readRequest } from '../../../shared/crypto/x509/request.ts'
import { childAdmin } from '../../support/callers.ts'
import { useService, type Answered } from '../../support/service.ts'

/** Certificate requests, whose keys are stored until a connection receives the certificate. */
const service = useService()
let token = ''

const CSR = '/v1/connectionmgmt/connections/csr'
const CLOUD_A = '/v1/connectionmgmt/services/cloud-a/connections'
const UNSAVED = '/v1/connectionmgmt/services/cloud-a/connection-test'
const ACCOUNT = '111122223333'
const KEY = '#/role_anywhere/private_key'

beforeAll(async () => {
  token = await service().logIn()
})

const ask = (method: string, path: string, body?: unknown, by = token): Promise<Answered> =>
  service().call(method, path, { token: by, body })
const pointersOf = ({ status, body }: Answered): unknown[] => [
  status,
  ...(body.errors ?? []).map(({ pointer }: any) => pointer),
]

async function requested(body: object = {}, by = token): Promise<string> {
  const answered = await ask('POST', CSR, { cn: 'keymgr', ...body }, by)
  expect(answered.status, JSON.stringify(answered.body)).toBe(201)
  expect(Object.keys(answered.body)).toEqual(['csr'])
  return answered.body.csr
}

/** Connection fields, without a key, for a request that the account's authority certified. */
async function certified(csr: string): Promise<{ is_role_anywhere: true; role_anywhere: object }> {
  const { cloudA } = service().deployment
  const { private_key: _, ...identity } = cloudA.anywhereIdentityOf(ACCOUNT)
  const { publicKey, cn } = await readRequest(csr)
  const certificate = cloudA.certify(ACCOUNT, publicKey, { commonName: cn ?? '' })
  return { is_role_anywhere: true, role_anywhere: { ...identity, certificate } }
}

const tested = async (name: string, by = token): Promise<any> =>
  (await ask('POST', `${CLOUD_A}/${name}/test`, {}, by)).body

test('a request has the names and the size that were asked for, and is signed by its key', async () => {
  const names = [{ C: 'DE', O: 'Shop' }, { OU: 'keys' }]
  const large = await readRequest(await requested({ cn: 'shop', names, algorithm: 'RSA', size: 4096 }))
  expect(large.subject).toBe('CN=shop,OU=keys,O=Shop,C=DE')
  expect(large.publicKey.asymmetricKeyDetails?.modulusLength).toBe(4096)
  const usual = await readRequest(await requested())
  expect([usual.subject, usual.publicKey.asymmetricKeyDetails?.modulusLength]).toEqual(['CN=keymgr', 2048])
})

test.each<[string, object, unknown[]]>([
  ['no name', { cn: undefined }, [422, '#/cn']],
  ['an empty name', { cn: '' }, [422, '#/cn']],
  ['a name that is too long', { cn: 'x'.repeat(65) }, [422, '#/cn']],
  ['another size', { size: 3072 }, [422, '#/size']],
  ['another algorithm', { algorithm: 'ECDSA' }, [422, '#/algorithm']],
  ['a country that is none', { names: [{ C: 'Germany' }] }, [422, '#/names/0/C']],
  ['an unknown field', { key: 'mine' }, [400, '#/key']],
])('no request has %s', async (_what, body, expected) => {
  expect(pointersOf(await ask('POST', CSR, { cn: 'keymgr', ...body }))).toEqual(expected)
})

test('the connection with the certificate gets the key, and works; a second one does not', async () => {
  const body = await certified(await requested())
  expect((await ask('POST', UNSAVED, body)).body).toEqual({ connection_ok: true }) // a test does not use up the request
  const { status, body: made } = await ask('POST', CLOUD_A, { name: 'first', ...body })
  expect([status, made.role_anywhere]).toEqual([201, body.role_anywhere])
  expect(await tested('first')).toEqual({ connection_ok: true })
  expect(pointersOf(await ask('POST', CLOUD_A, { name: 'second', ...body }))).toEqual([422, KEY])
  expect(pointersOf(await ask('POST', UNSAVED, body))).toEqual([422, KEY])
  expect((await ask('POST', `${CLOUD_A}/first/test`, body)).body).toEqual({ connection_ok: true }) // with its own key
})

test('of concurrent connections with the same certificate, one gets the key', async () => {
  const body = await certified(await requested())
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, n) => ask('POST', CLOUD_A, { name: `at once ${n}`, ...body })),
  )
  expect(answers.map(pointersOf).toSorted()).toEqual([[201], [422, KEY], [422, KEY], [422, KEY]])
  const winner = answers.find(({ status }) => status === 201)?.body.name
  expect(await tested(winner)).toEqual({ connection_ok: true })
})

test('a change accepts the certificate of a request too, and a refused change leaves the request unchanged', async () => {
  const { role_anywhere } = await certified(await requested())
  const { private_key } = service().deployment.cloudA.anywhereIdentityOf(ACCOUNT)
  const { certificate } = service().deployment.cloudA.anywhereIdentityOf(ACCOUNT)
  const own = { ...role_anywhere, certificate, private_key }
  await ask('POST', CLOUD_A, { name: 'changed', is_role_anywhere: true, role_anywhere: own })
  const path = `${CLOUD_A}/changed`
  const change = { role_anywhere }
  expect((await ask('POST', `${path}/test`, change)).body).toEqual({ connection_ok: true })
  const broken = await ask('PATCH', path, { ...change, region: 'us-east-1' })
  expect(pointersOf(broken)).toEqual([422, '#/region'])
  expect(pointersOf(await ask('POST', CLOUD_A, { name: 'changed', is_role_anywhere: true, ...change }))[0]).toBe(409)
  expect((await ask('PATCH', path, change)).body.role_anywhere).toEqual(role_anywhere)
  expect(await tested('changed')).toEqual({ connection_ok: true })
  expect((await ask('PATCH', path, { role_anywhere: own })).status).toBe(200)
  expect(pointersOf(await ask('PATCH', path, change))).toEqual([422, KEY]) // the previous change used the key up
})

test('the certificate of another key, and the request of another domain, give no key', async () => {
  const { child } = await childAdmin(service(), 'requests')
  const body = await certified(await requested())
  expect(pointersOf(await ask('POST', CLOUD_A, { name: 'of root', ...body }, child))).toEqual([422, KEY])
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const certificate = service().deployment.cloudA.certify(ACCOUNT, publicKey)
  const strange = { ...body, role_anywhere: { ...body.role_anywhere, certificate } }
  expect(pointersOf(await ask('POST', CLOUD_A, { name: 'strange', ...strange }))).toEqual([422, KEY])
  const own = await certified(await requested({}, child))
  expect((await ask('POST', CLOUD_A, { name: 'of the child', ...own }, child)).status).toBe(201)
  expect(await tested('of the child', child)).toEqual({ connection_ok: true })
})

test('after 24 hours the key cannot be used, before and after the sweep', async () => {
  const [{ clock }, body] = [service().deployment, await certified(await requested())]
  const late = await certified(await requested())
  clock.advance(DAY_MS - 60_000)
  let later = await service().logIn()
  expect((await ask('POST', CLOUD_A, { name: 'in time', ...body }, later)).status).toBe(201)
  clock.advance(120_000)
  later = await service().logIn()
  expect(pointersOf(await ask('POST', CLOUD_A, { name: 'late', ...late }, later))).toEqual([422, KEY])
  const swept = (await service().deployment.fire('sweep-due')) as { expired: number }
  expect(swept.expired).toBeGreaterThanOrEqual(1)
  expect(pointersOf(await ask('POST', CLOUD_A, { name: 'late', ...late }, later))).toEqual([422, KEY])
  clock.advance(-DAY_MS - 60_000)
})

test('requests are for administrators of connections', async () => {
  const { token: reader } = await service().userIn(token, 'reader-of-keys', ['Key Users'])
  expect((await ask('POST', CSR, { cn: 'keymgr' }, reader)).status).toBe(403)
  expect((await ask('POST', CSR, { cn: 'keymgr' }, '')).status).toBe(401)
})
