import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { SHOP, SHOP_SANDBOX, startCrm, type CrmSimulator } from '../../../../infra/simulators/crm/simulator.ts'
import { create, query, read, send, session, update, wrapped, type Session } from './clients.ts'

const DAY_MS = 86_400_000
const clock = createClock()
let simulator: CrmSimulator
let shop: Session

beforeAll(async () => {
  simulator = await startCrm({ clock })
  simulator.addCertificate(SHOP, { developerName: 'small', keySize: 2048 })
})
beforeEach(async () => {
  simulator.setIntervals('off')
  simulator.changeSettings(SHOP, {
    canOptOutOfDerivationWithBYOK: true,
    wrapHashes: ['sha1', 'sha512'],
    isHyperforce: false,
  })
  shop = await session(simulator)
  simulator.reset()
})
afterAll(() => simulator.stop())

type Upload = Awaited<ReturnType<typeof wrapped>>
/** Fields of an upload. */
const material = (change: Parameters<typeof wrapped>[2] = {}) => wrapped(simulator, SHOP, change)
const made = async (body: object): Promise<string> => (await create(shop, body)).body.id
const statusOf = (id: string) => simulator.secrets(SHOP).find((each) => each.id === id)?.status

test('a created secret is active, and the former one of its type is archived', async () => {
  const first = await create(shop, { Type: 'Data', Description: 'first' })
  expect(first).toMatchObject({ status: 201, body: { success: true, errors: [] } })
  expect(first.body.id).toMatch(/^02G.{15}$/)
  const second = await made({ type: 'data' })
  const other = await made({ Type: 'EventBus' })
  expect([first.body.id, second, other].map(statusOf)).toEqual(['ARCHIVED', 'ACTIVE', 'ACTIVE'])
  expect(await read(shop, first.body.id)).toMatchObject({
    attributes: { type: 'TenantSecret', url: `/services/data/v60.0/sobjects/TenantSecret/${first.body.id}` },
    ...{ Id: first.body.id, Description: 'first', Type: 'Data', Status: 'ARCHIVED', Source: 'HSM' },
    ...{ KeyDerivationMode: 'PBKDF2', SecretValueCertificate: null, RemoteKeyIdentifier: null },
  })
  const versions = simulator.secrets(SHOP).map(({ version }) => version)
  expect(new Set(versions).size).toBe(versions.length)
})

test('the type is Data unless another is named, and Database secrets are generated only', async () => {
  expect((await read(shop, await made({}))).Type).toBe('Data')
  expect((await read(shop, await made({ Type: 'Database' }))).Type).toBe('Database')
  expect((await create(shop, { Type: 'Database', ...(await material()) })).code).toBe('FIELD_INTEGRITY_EXCEPTION')
})

test.each([
  ['a type', { Type: 'Door' }, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'],
  ['a source', { Source: 'MAGIC' }, 'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST'],
  ['a field', { Colour: 'red' }, 'INVALID_FIELD'],
  ['a read-only field', { Version: '7' }, 'INVALID_FIELD_FOR_INSERT_UPDATE'],
  ['a status at creation', { Status: 'ACTIVE' }, 'INVALID_FIELD_FOR_INSERT_UPDATE'],
  ['a long description', { Description: 'x'.repeat(256) }, 'STRING_TOO_LONG'],
  ['a generated secret without derivation', { KeyDerivationMode: 'NONE' }, 'FIELD_INTEGRITY_EXCEPTION'],
  ['a generated secret with a value', { Source: 'HSM', SecretValue: 'AAAA' }, 'FIELD_INTEGRITY_EXCEPTION'],
  ['an upload without a value', { Source: 'UPLOADED' }, 'REQUIRED_FIELD_MISSING'],
])('%s that does not exist is refused in an array of errors', async (_what, body, code) => {
  const refused = await create(shop, body)
  expect(refused).toMatchObject({ status: 400, body: [{ errorCode: code, message: expect.any(String) }] })
})

test.each(['sha1', 'sha512'] as const)('uploaded material is unwrapped with OAEP and %s', async (oaepHash) => {
  const material = randomBytes(32)
  const id = await made({ Type: 'Data', ...(await wrapped(simulator, SHOP, { material, oaepHash })) })
  expect(simulator.materialOf(id)).toEqual(material)
  expect(await read(shop, id)).toMatchObject({ Source: 'UPLOADED', KeyDerivationMode: 'PBKDF2', Status: 'ACTIVE' })
})

test('an organization can reject a hash', async () => {
  simulator.changeSettings(SHOP, { wrapHashes: ['sha1'] })
  expect((await create(shop, await material({ oaepHash: 'sha512' }))).code).toBe('FIELD_INTEGRITY_EXCEPTION')
  expect((await create(shop, await material({ oaepHash: 'sha1' }))).code).toBe('OK')
})

test.each<[string, (good: Upload) => object | Promise<object>, string]>([
  ['another hash', (good) => ({ ...good, SecretValueHash: 'AAAA' }), 'The hash does not match'],
  ['no base64', (good) => ({ ...good, SecretValue: '***' }), 'cannot be decrypted'],
  ['31 bytes', () => material({ material: randomBytes(31) }), 'cannot be decrypted'],
  ['SHA-256', () => material({ oaepHash: 'sha256' }), 'cannot be decrypted'],
  ['a small certificate', () => material({ certificate: 'small' }), '4096 bits'],
  ['an unknown certificate', (good) => ({ ...good, SecretValueCertificate: 'none' }), 'does not exist'],
  ['the label of a certificate', (good) => ({ ...good, SecretValueCertificate: 'Wrapping of keys' }), 'does not exist'],
  ['a remote field', (good) => ({ ...good, RemoteKeyIdentifier: 'x' }), 'cannot be given'],
])('an upload with %s is refused', async (_what, change, message) => {
  const before = simulator.secrets(SHOP).length
  const { status, body } = await create(shop, await change(await material()))
  expect([status, body[0].message]).toEqual([400, expect.stringContaining(message)])
  expect(simulator.secrets(SHOP)).toHaveLength(before)
})

test('the same material is uploaded only once', async () => {
  const bytes = randomBytes(32)
  expect((await create(shop, await material({ material: bytes }))).code).toBe('OK')
  expect((await create(shop, await material({ material: bytes }))).code).toBe('DUPLICATE_VALUE')
})

test('material without derivation needs the setting, and a type that allows it', async () => {
  const upload = async (Type: string) => create(shop, { Type, KeyDerivationMode: 'NONE', ...(await material()) })
  expect((await upload('Data')).code).toBe('OK')
  expect((await upload('Analytics')).body[0].message).toContain('always derived')
  simulator.changeSettings(SHOP, { canOptOutOfDerivationWithBYOK: false })
  expect((await upload('Data')).body[0].message).toContain('canOptOutOfDerivationWithBYOK')
})

test.each([
  ['Data', 24, 4],
  ['DeterministicData', 7 * 24, 4],
  ['EventBus', 7 * 24, 7 * 24],
])(
  'a secret of the type %s can be created every %i hours, in a sandbox every %i',
  async (Type, hours, sandboxHours) => {
    simulator.setIntervals('real')
    for (const [name, least] of [
      [undefined, hours],
      ['keymgr@sandbox.shop.example.test', sandboxHours],
    ] as const) {
      const attempt = async () => (await create(await session(simulator, name), { Type })).code
      clock.advance(8 * DAY_MS)
      expect(await attempt()).toBe('OK')
      clock.advance(least * 3_600_000 - 60_000)
      expect(await attempt()).toBe('FIELD_INTEGRITY_EXCEPTION')
      clock.advance(60_000)
      expect(await attempt()).toBe('OK')
    }
  },
)

test('an organization has at most 50 active and archived secrets of a type', async () => {
  const sandbox = await session(simulator, 'keymgr@sandbox.shop.example.test')
  const kept = simulator.secrets(SHOP_SANDBOX).filter(({ type }) => type === 'Analytics').length
  const [oldest = ''] = simulator.seed(SHOP_SANDBOX, 50 - kept, () => ({ type: 'Analytics' }))
  const attempt = async () => (await create(sandbox, { Type: 'Analytics' })).body[0]?.message ?? 'OK'
  expect(await attempt()).toContain('Destroy an archived one first')
  expect((await update(sandbox, oldest, { Status: 'DESTROYED' })).status).toBe(204)
  expect(await attempt()).toBe('OK')
})

test('a destroyed secret can be restored only from its export', async () => {
  const id = await made(await material())
  const before = simulator.materialOf(id)
  const { SecretValue } = await read(shop, id)
  expect((await update(shop, id, { Status: 'DESTROYED' })).code).toBe('FIELD_INTEGRITY_EXCEPTION') // it is active
  const other = await made({})
  expect((await update(shop, id, { SecretValue })).code).toBe('FIELD_INTEGRITY_EXCEPTION') // not destroyed
  expect((await update(shop, id, { Status: 'Destroyed' })).status).toBe(204)
  expect([statusOf(id), simulator.materialOf(id)]).toEqual(['DESTROYED', undefined])
  expect((await read(shop, id)).SecretValue).toBeNull()
  const foreign = (await read(shop, other)).SecretValue
  for (const value of [foreign, (await material()).SecretValue, 'AAAA'])
    expect((await update(shop, id, { SecretValue: value })).code).toBe('FIELD_INTEGRITY_EXCEPTION')
  expect((await update(shop, id, { Status: 'ACTIVE' })).code).toBe('FIELD_INTEGRITY_EXCEPTION')
  expect((await update(shop, id, { SecretValue, Status: 'Archived' })).status).toBe(204)
  expect([statusOf(id), simulator.materialOf(id)]).toEqual(['ARCHIVED', before])
})

test('Database secrets cannot be destroyed or exported', async () => {
  const id = await made({ Type: 'Database' })
  await made({ Type: 'Database' })
  expect(statusOf(id)).toBe('ARCHIVED')
  expect((await update(shop, id, { Status: 'DESTROYED' })).code).toBe('FIELD_INTEGRITY_EXCEPTION')
  expect((await read(shop, id)).SecretValue).toBeNull()
})

test('a description changes, and other fields of a record do not', async () => {
  const id = await made({})
  expect(await update(shop, id, { Description: 'new' })).toMatchObject({ status: 204, text: '' })
  expect((await read(shop, id)).Description).toBe('new')
  expect((await update(shop, id, { Type: 'EventBus' })).code).toBe('INVALID_FIELD_FOR_INSERT_UPDATE')
  expect((await update(shop, '02G000000000000AAA', { Description: 'x' })).code).toBe('NOT_FOUND')
})

test('keys of the search index are tenant secrets up to version 62 on the newer infrastructure', async () => {
  simulator.changeSettings(SHOP, { isHyperforce: true })
  expect((await create(shop, { Type: 'SearchIndex' }, 63)).code).toBe('FIELD_INTEGRITY_EXCEPTION')
  expect((await create(shop, { Type: 'SearchIndex' }, 62)).code).toBe('OK')
  simulator.changeSettings(SHOP, { isHyperforce: false })
  expect((await create(shop, { Type: 'SearchIndex' }, 63)).code).toBe('OK')
})

test('older versions of the API lack newer fields', async () => {
  const fields = 'SELECT RemoteKeyIdentifier FROM TenantSecret'
  expect((await query(shop, fields, { version: 45 })).code).toBe('OK')
  expect((await query(shop, fields, { version: 44 })).code).toBe('INVALID_FIELD')
  const id = await made({})
  await made({})
  const change = { method: 'PATCH', body: { Status: 'DESTROYED' }, version: 43 } as const
  expect((await send(shop, `/sobjects/TenantSecret/${id}`, change)).code).toBe('INVALID_FIELD_FOR_INSERT_UPDATE')
})

test('a user without the permission has no tenant secrets', async () => {
  const reader = await session(simulator, 'reader@shop.example.test')
  const id = await made({})
  expect((await query(reader, 'SELECT Id FROM TenantSecret')).code).toBe('INVALID_TYPE')
  expect((await create(reader, {})).code).toBe('NOT_FOUND')
  expect((await update(reader, id, { Description: 'x' })).code).toBe('NOT_FOUND')
  expect((await query(await session(simulator, 'guest@shop.example.test'), 'SELECT Id FROM Organization')).code).toBe(
    'API_DISABLED_FOR_ORG',
  )
})

test('the request log has the fields of a request, without key material', async () => {
  const upload = await material()
  await create(shop, { Type: 'Data', ...upload })
  expect(simulator.calls()).toMatchObject([
    {
      operation: 'CreateTenantSecret',
      organizationId: SHOP,
      principal: 'keymgr@shop.example.test',
      body: { Type: 'Data' },
    },
  ])
  const text = JSON.stringify(simulator.calls())
  for (const secret of [upload.SecretValue, upload.SecretValueHash]) expect(text).not.toContain(secret)
})
