import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBSimulator } from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { all, clientsOf, refusalOf, send, type Clients } from '../clients.ts'

const DAY_MS = 86_400_000
const clock = createClock()
let simulator: CloudBSimulator
let clients: Clients
let count = 0
const fresh = () => `key-${++count}`
const bearer = (service: 'vault' | 'hsm' = 'vault') =>
  simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', service)
const POLICY_TEXT = JSON.stringify({ version: '1.0.0', anyOf: [{ authority: 'https://attest.example', allOf: [] }] })
const POLICY = { data: Buffer.from(POLICY_TEXT).toString('base64url') }

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  clients = clientsOf(simulator)
})
afterEach(() => {
  simulator.reset()
  clock.set(new Date())
})
afterAll(() => simulator.stop())

test('the first request has neither token nor body, and gets a challenge', async () => {
  const keys = clientsOf(simulator).keys('shop-premium')
  await keys.createEcKey(fresh())
  const [first, token, second] = simulator.calls()
  expect(first).toMatchObject({ operation: 'KeyCreate', body: {}, refused: 'Unauthorized' })
  expect(token).toMatchObject({ operation: 'Token', service: 'login' })
  expect(second).toMatchObject({ operation: 'KeyCreate', body: { kty: 'EC' } })
})

test('a key is created with everything that was asked for', async () => {
  const name = fresh()
  const expiresOn = new Date('2035-01-01T00:00:00Z')
  const key = await clients.keys('shop-premium').createRsaKey(name, {
    ...{ keySize: 3072, hsm: true, tags: { team: 'blue' }, keyOps: ['sign', 'verify'], expiresOn, enabled: false },
  })
  expect(key).toMatchObject({
    name,
    keyType: 'RSA-HSM',
    keyOperations: ['sign', 'verify'],
    properties: {
      ...{ vaultUrl: 'https://shop-premium.vault.azure.net', enabled: false, expiresOn, tags: { team: 'blue' } },
      ...{ recoveryLevel: 'Recoverable+Purgeable', recoverableDays: 90, exportable: false, hsmPlatform: '2' },
    },
  })
  expect(key.id).toMatch(new RegExp(`^https://shop-premium\\.vault\\.azure\\.net/keys/${name}/[0-9a-f]{32}$`))
  expect(key.key?.n?.length).toBe(384)
  expect(await clients.keys('shop-premium').getKey(name)).toEqual(key)
})

test('lists show no part of a key, in pages of 25, and versions in the order of their ids', async () => {
  const names = await simulator.seedKeys('shop-spare', 60, (n) => ({ kty: 'EC', versions: n === 0 ? 3 : 1 }))
  const keys = clients.keys('shop-spare')
  const listed = await all(keys.listPropertiesOfKeys())
  expect(listed.map(({ name }) => name)).toEqual(names)
  expect(simulator.counts()).toMatchObject({ KeyList: 4 }) // the first was challenged
  const versions = (await all(keys.listPropertiesOfKeyVersions(names[0] ?? ''))).map(({ version = '' }) => version)
  expect(versions).toHaveLength(3)
  expect(versions).toEqual([...versions].sort())
  const page = await send(simulator, 'GET', 'https://shop-spare.vault.azure.net/keys?api-version=7.4&maxresults=1', {
    bearer: await bearer(),
  })
  expect(page.body.value[0]).not.toHaveProperty('key')
  expect(page.body.nextLink).toMatch(/^https:\/\/shop-spare\.vault\.azure\.net\/keys\?/)
})

test('concurrent creations of one name are versions of one key', async () => {
  const name = fresh()
  const keys = clients.keys('shop-standard')
  await keys.createEcKey(fresh())
  const made = await Promise.all(Array.from({ length: 5 }, () => keys.createRsaKey(name)))
  const versions = (await all(keys.listPropertiesOfKeyVersions(name))).map(({ version }) => version)
  expect(versions).toEqual(made.map(({ properties }) => properties.version).sort())
})

test('repeating a creation adds a version; older ones stay', async () => {
  const name = fresh()
  const keys = clients.keys('shop-standard')
  const first = await keys.createEcKey(name, { curve: 'P-521' })
  const second = await keys.createRsaKey(name)
  expect(second.properties.version).not.toBe(first.properties.version)
  expect((await keys.getKey(name)).keyType).toBe('RSA')
  expect((await keys.getKey(name, { version: first.properties.version ?? '' })).key?.crv).toBe('P-521')
})

test.each<[string, string, object]>([
  ['a kind in hardware in a standard vault', 'shop-standard', { kty: 'RSA-HSM' }],
  ['an octet key in a vault', 'shop-premium', { kty: 'oct-HSM' }],
  ['an octet key of no hardware', 'shop-hsm', { kty: 'oct' }],
  ['a software key in a managed HSM', 'shop-hsm', { kty: 'RSA' }],
  ['an unknown kind', 'shop-premium', { kty: 'DSA' }],
  ['no kind', 'shop-premium', {}],
  ['a size that there is not', 'shop-premium', { kty: 'RSA', key_size: 1024 }],
  ['a size in text', 'shop-premium', { kty: 'RSA', key_size: '2048' }],
  ['an unknown curve', 'shop-premium', { kty: 'EC', crv: 'secp256k1' }],
  ['a use of another kind', 'shop-premium', { kty: 'EC', key_ops: ['encrypt'] }],
  ['import beside another use', 'shop-premium', { kty: 'RSA-HSM', key_ops: ['import', 'encrypt'] }],
  ['import of a software key', 'shop-premium', { kty: 'RSA', key_ops: ['import'] }],
  [
    'too many tags',
    'shop-premium',
    { kty: 'EC', tags: Object.fromEntries(Array.from({ length: 16 }, (_, n) => [n, ''])) },
  ],
  ['a long tag', 'shop-premium', { kty: 'EC', tags: { a: 'x'.repeat(257) } }],
  ['an end before its beginning', 'shop-premium', { kty: 'EC', attributes: { nbf: 20, exp: 10 } }],
  ['export without a release policy', 'shop-premium', { kty: 'EC-HSM', attributes: { exportable: true } }],
  [
    'an exportable software key',
    'shop-premium',
    { kty: 'EC', attributes: { exportable: true }, release_policy: POLICY },
  ],
  ['a release policy of a key that stays', 'shop-premium', { kty: 'EC-HSM', release_policy: POLICY }],
  [
    'a release policy that is no JSON',
    'shop-premium',
    { kty: 'EC-HSM', attributes: { exportable: true }, release_policy: { data: 'AA' } },
  ],
])('a key with %s is refused', async (_what, vault, body) => {
  const host = `https://${vault}.${vault === 'shop-hsm' ? 'managedhsm' : 'vault'}.azure.net`
  const token = await bearer(vault === 'shop-hsm' ? 'hsm' : 'vault')
  const { code } = await send(simulator, 'POST', `${host}/keys/${fresh()}/create?api-version=7.4`, {
    bearer: token,
    body,
  })
  expect(code).toBe('BadParameter')
})

test.each(['under_score', 'with.dot', 'a'.repeat(128)])('the name %s is refused', async (name) => {
  expect(await refusalOf(clients.keys('shop-premium').createEcKey(name))).toBe('400 BadParameter')
})

test('a managed HSM has octet keys and its own audience', async () => {
  const key = await clients.keys('shop-hsm').createOctKey(fresh(), { hsm: true, keySize: 128 })
  expect(key).toMatchObject({ keyType: 'oct-HSM', properties: { vaultUrl: 'https://shop-hsm.managedhsm.azure.net' } })
  expect(key.key?.k).toBeUndefined()
  const url = 'https://shop-hsm.managedhsm.azure.net/keys?api-version=7.4'
  const { headers, body } = await send(simulator, 'GET', url, { bearer: await bearer('vault') })
  expect(headers.get('www-authenticate')).toContain('resource="https://managedhsm.azure.net"')
  expect(body.error).toMatchObject({ code: 'Unauthorized', message: expect.stringContaining('AKV10022') })
})

test('an update changes only the given members', async () => {
  const name = fresh()
  const keys = clients.keys('shop-premium')
  const made = await keys.createRsaKey(name, { tags: { a: '1' } })
  clock.advance(60_000)
  const updated = await clientsOf(simulator)
    .keys('shop-premium')
    .updateKeyProperties(name, { enabled: false, keyOps: ['sign'] })
  expect(updated).toMatchObject({ keyOperations: ['sign'], properties: { enabled: false, tags: { a: '1' } } })
  expect(updated.properties.createdOn).toEqual(made.properties.createdOn)
  expect(updated.properties.updatedOn).not.toEqual(made.properties.updatedOn)
  expect(updated.key?.n).toEqual(made.key?.n)
})

test('a release policy can change until it is immutable, and an exportable key stays exportable', async () => {
  const name = fresh()
  const keys = clients.keys('shop-premium')
  const releasePolicy = { encodedPolicy: Buffer.from(POLICY_TEXT) }
  await keys.createEcKey(name, { hsm: true, exportable: true, releasePolicy })
  const version = (await keys.getKey(name)).properties.version ?? ''
  const update = (change: object) => keys.updateKeyProperties(name, version, change)
  expect(await refusalOf(update({ exportable: false }))).toBe('accepted') // the client omits the attribute
  const url = `https://shop-premium.vault.azure.net/keys/${name}/${version}?api-version=7.4`
  const body = { attributes: { exportable: false } }
  expect((await send(simulator, 'PATCH', url, { bearer: await bearer(), body })).code).toBe('BadParameter')
  const { properties } = await update({ releasePolicy: { ...releasePolicy, immutable: true } })
  expect(properties).toMatchObject({ exportable: true, releasePolicy: { immutable: true } })
  expect(Buffer.from(properties.releasePolicy?.encodedPolicy ?? []).toString()).toBe(POLICY_TEXT)
  expect(await refusalOf(update({ releasePolicy }))).toBe('403 Forbidden')
})

test('a deleted key does not exist until it is recovered, and its name is in use', async () => {
  const name = fresh()
  const keys = clients.keys('shop-premium')
  const first = await keys.createEcKey(name)
  const poller = await keys.beginDeleteKey(name, { intervalInMs: 1 })
  const gone = await poller.pollUntilDone()
  expect(gone.properties).toMatchObject({ recoveryId: `https://shop-premium.vault.azure.net/deletedkeys/${name}` })
  const { deletedOn, scheduledPurgeDate } = gone.properties
  expect(Number(scheduledPurgeDate) - Number(deletedOn)).toBe(90 * DAY_MS)
  expect(await refusalOf(keys.getKey(name))).toBe('404 KeyNotFound')
  expect(await refusalOf(keys.createEcKey(name))).toBe('409 Conflict:ObjectIsDeletedButRecoverable')
  expect((await all(keys.listDeletedKeys())).map((key) => key.name)).toContain(name)
  expect((await all(keys.listPropertiesOfKeys())).map((key) => key.name)).not.toContain(name)
  const back = await (await keys.beginRecoverDeletedKey(name, { intervalInMs: 1 })).pollUntilDone()
  expect(back.properties.version).toBe(first.properties.version)
  expect(await refusalOf(keys.getDeletedKey(name))).toBe('404 KeyNotFound')
})

test('purging ends a deleted key, unless the vault forbids it; the end of its retention always does', async () => {
  const name = fresh()
  const [free, locked] = [clients.keys('shop-premium'), clients.keys('shop-locked')]
  await free.createEcKey(name)
  expect(await refusalOf(free.purgeDeletedKey(name))).toBe('404 KeyNotFound')
  await free.beginDeleteKey(name)
  await free.purgeDeletedKey(name)
  expect(await refusalOf(free.getDeletedKey(name))).toBe('404 KeyNotFound')
  await free.createEcKey(name)
  expect((await locked.createEcKey(name)).properties.recoveryLevel).toBe('Recoverable')
  await locked.beginDeleteKey(name)
  expect(await refusalOf(locked.purgeDeletedKey(name))).toBe('403 Forbidden:ForbiddenByPolicy')
  clock.advance(90 * DAY_MS)
  expect(await refusalOf(clientsOf(simulator).keys('shop-locked').getDeletedKey(name))).toBe('404 KeyNotFound')
})

test('a vault without soft delete deletes for good', async () => {
  const name = fresh()
  const keys = clients.keys('shop-plain')
  expect((await keys.createEcKey(name)).properties).toMatchObject({ recoveryLevel: 'Purgeable' })
  const { properties } = await (await keys.beginDeleteKey(name)).pollUntilDone()
  expect(properties).not.toMatchObject({ recoveryId: expect.anything() })
  expect(await refusalOf(keys.getDeletedKey(name))).toBe('400 NotSupported')
  await keys.createEcKey(name)
})

test('a deletion and a recovery may take a while', async () => {
  const name = fresh()
  const keys = clients.keys('shop-premium')
  simulator.setDelays({ deletion: 2, recovery: 2, creation: 1 })
  await keys.createEcKey(name)
  expect(await refusalOf(keys.getKey(name))).toBe('404 KeyNotFound')
  await keys.getKey(name)
  const poller = await keys.beginDeleteKey(name, { intervalInMs: 1 })
  expect(await refusalOf(keys.createEcKey(name))).toBe('409 Conflict:ObjectIsBeingDeleted')
  await poller.pollUntilDone()
  const recovery = await keys.beginRecoverDeletedKey(name, { intervalInMs: 1 })
  expect(await refusalOf(keys.createEcKey(name))).toBe('409 Conflict:ObjectIsBeingRecovered')
  await recovery.pollUntilDone()
  await keys.createEcKey(name)
  simulator.setDelays({ deletion: 0, recovery: 0, creation: 0 })
})

test('a backup restores all versions, only in the same subscription and geography', async () => {
  const name = fresh()
  const keys = clients.keys('shop-premium')
  await keys.createRsaKey(name, { tags: { a: '1' } })
  const { key: latest, properties } = await keys.createEcKey(name, { enabled: false })
  const backup = (await keys.backupKey(name)) ?? Buffer.alloc(0)
  expect(Buffer.from(backup).toString('latin1')).not.toContain(name)
  expect(await refusalOf(keys.restoreKeyBackup(backup))).toBe('409 Conflict')
  await (await keys.beginDeleteKey(name)).pollUntilDone()
  expect(await refusalOf(keys.restoreKeyBackup(backup))).toBe('409 Conflict:ObjectIsDeletedButRecoverable')
  const restored = await clients.keys('shop-spare').restoreKeyBackup(backup)
  expect(restored.id).toBe(`https://shop-spare.vault.azure.net/keys/${name}/${properties.version}`)
  expect(restored).toMatchObject({ key: { x: latest?.x }, properties: { enabled: false, recoverableDays: 7 } })
  expect(await all(clients.keys('shop-spare').listPropertiesOfKeyVersions(name))).toHaveLength(2)
  for (const elsewhere of ['shop-overseas', 'bank-premium'])
    expect(await refusalOf(clients.keys(elsewhere).restoreKeyBackup(backup))).toBe('400 BadParameter')
  backup[backup.length - 1] = (backup.at(-1) ?? 0) ^ 1
  await keys.purgeDeletedKey(name)
  expect(await refusalOf(keys.restoreKeyBackup(backup))).toBe('400 BadParameter')
})

test('a backup of hardware keys is refused without hardware', async () => {
  const name = fresh()
  await clients.keys('shop-premium').createEcKey(name, { hsm: true })
  const backup = (await clients.keys('shop-premium').backupKey(name)) ?? Buffer.alloc(0)
  expect(await refusalOf(clients.keys('shop-standard').restoreKeyBackup(backup))).toBe('400 BadParameter')
})

test('a key rotates by hand and by its policy', async () => {
  const name = fresh()
  const keys = clients.keys('shop-premium')
  const made = await keys.createRsaKey(name, { tags: { a: '1' } })
  expect((await keys.getKeyRotationPolicy(name)).lifetimeActions).toEqual([
    { action: 'Notify', timeBeforeExpiry: 'P30D' },
  ])
  const policy = { expiresIn: 'P90D', lifetimeActions: [{ action: 'Rotate' as const, timeAfterCreate: 'P30D' }] }
  expect(await keys.updateKeyRotationPolicy(name, policy)).toMatchObject({ expiresIn: 'P90D' })
  const rotated = await keys.rotateKey(name)
  expect(rotated.key?.n).not.toEqual(made.key?.n)
  expect(rotated.properties).toMatchObject({ tags: { a: '1' }, expiresOn: expect.any(Date) })
  clock.advance(61 * DAY_MS)
  const later = clientsOf(simulator).keys('shop-premium')
  expect(await all(later.listPropertiesOfKeyVersions(name))).toHaveLength(4)
  expect((await later.getKey(name)).properties.version).not.toBe(rotated.properties.version)
})

test.each<[string, object]>([
  ['a short life', { attributes: { expiryTime: 'P20D' } }],
  ['no duration', { attributes: { expiryTime: '90 days' } }],
  ['an early rotation', { lifetimeActions: [{ trigger: { timeAfterCreate: 'P3D' }, action: { type: 'Rotate' } }] }],
  [
    'an end that there is not',
    { lifetimeActions: [{ trigger: { timeBeforeExpiry: 'P9D' }, action: { type: 'Rotate' } }] },
  ],
  [
    'two triggers',
    { lifetimeActions: [{ trigger: { timeBeforeExpiry: 'P9D', timeAfterCreate: 'P9D' }, action: { type: 'Rotate' } }] },
  ],
])('a rotation policy with %s is refused', async (_what, body) => {
  const name = fresh()
  await clients.keys('shop-premium').createEcKey(name)
  const url = `https://shop-premium.vault.azure.net/keys/${name}/rotationpolicy?api-version=7.4`
  expect((await send(simulator, 'PUT', url, { bearer: await bearer(), body })).code).toBe('BadParameter')
})

test.each([
  ['an unknown version', '?api-version=9.9'],
  ['no version', ''],
])('%s of the interface is refused', async (_what, query) => {
  const url = `https://shop-premium.vault.azure.net/keys${query}`
  expect((await send(simulator, 'GET', url, { bearer: await bearer() })).code).toBe('BadParameter')
})

test('an unknown operation and an unknown vault are refused', async () => {
  const get = async (url: string) => (await send(simulator, 'GET', url, { bearer: await bearer() })).code
  expect(await get('https://shop-premium.vault.azure.net/storage?api-version=7.4')).toBe('BadParameter')
  expect(await get('https://nowhere.vault.azure.net/keys?api-version=7.4')).toBe('VaultNotFound')
  expect(simulator.calls().map(({ operation }) => operation)).toEqual(['GET /storage', 'KeyList'])
})
