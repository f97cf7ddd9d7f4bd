import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { startDatacust, type DatacustSimulator } from '../../../../infra/simulators/datacust/simulator.ts'
import { clientOf, groupNamed, wrap, type Client } from './clients.ts'

const DAY_MS = 86_400_000
const clock = createClock()
let simulator: DatacustSimulator
let client: Client

beforeAll(async () => {
  simulator = await startDatacust({ clock })
  client = await clientOf(simulator)
})
afterAll(() => simulator.stop())

const KEK = { name: 'wrapping', type: 'RSA', size: 3072, operations: ['WRAP', 'UNWRAP'], imported: false }
const kek = async (size = 3072): Promise<string> => (await client.create('analytics', { ...KEK, size })).body.id
const target = (change: object = {}) => ({
  ...{ name: 'mine', description: 'imported', groupId: groupNamed(simulator, 'analytics'), type: 'AES', enabled: true },
  ...{ exportable: false, operations: ['ENCRYPT', 'DECRYPT'], role: 'MASTER_KEY', ...change },
})
const rsa = (modulusLength = 2048) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ format: 'der', type: 'pkcs8' })
const ec = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'der', type: 'pkcs8' })

/** Imports a new key with a wrapping key. */
async function imported(bytes: Buffer, change: object = {}, algorithm = 'OAEP_MGF1_SHA256', keyId?: string) {
  const wrapping = keyId ?? (await kek())
  const wrappedKey = wrap(await client.publicKey(wrapping), algorithm, bytes)
  const body = { algorithm, keyId: wrapping, version: 0, wrappedKey, target: target(change) }
  return client.call('POST', '/crypto/unwrap', body)
}

test('a key has all members of the platform', async () => {
  const { status, body } = await client.create('analytics', { name: 'n', description: 'd', role: 'MASTER_KEY' })
  expect([status, body]).toEqual([
    201,
    {
      ...{ id: expect.any(String), name: 'n', description: 'd', groupId: groupNamed(simulator, 'analytics') },
      ...{ type: 'AES', size: 256, operations: ['DECRYPT', 'ENCRYPT'], role: 'SAC_MASTER_KEY' },
      ...{ enabled: true, exportable: false, state: 'ENABLED', keystoreContext: { customerHeld: false } },
      meta: {
        ...{ created: expect.stringMatching(/T[\d:.]+$/), lastModified: expect.any(String) },
        ...{ creatorId: expect.any(String), creatorName: 'keymgr', imported: false, primaryVersion: 0 },
        ...{ totalVersions: 1, lastUsed: null, beingRestored: false, templateGenerated: false, expired: false },
      },
    },
  ])
  expect((await client.call('GET', `/keys/${body.id}`)).body).toEqual(body)
})

test.each<[string, string, object]>([
  ['analytics', 'AES-192', { size: 192, operations: ['WRAP', 'UNWRAP'] }],
  ['analytics', 'RSA with all operations', { ...KEK, operations: ['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY', 'WRAP'] }],
  ['analytics', 'P-521', { type: 'EC', size: undefined, curve: 'NistP521', operations: ['SIGN'] }],
  ['analytics', 'a Koblitz curve', { type: 'EC', size: undefined, curve: 'SecP256K1', operations: ['SIGN', 'VERIFY'] }],
  ['outpost', 'RSA for signatures', { type: 'RSA', size: 2048, operations: ['SIGN', 'VERIFY'] }],
])('a group %s has %s', async (group, _what, key) => {
  const { status, body } = await client.create(group, key)
  expect([status, body.role]).toEqual([201, 'UNSPECIFIED'])
  expect((await simulator.materialOf(body.id))?.length).toBeGreaterThan(15)
})

test.each<[string, string, object]>([
  ['analytics', 'AES with SIGN', { operations: ['SIGN'] }],
  ['analytics', 'AES-512', { size: 512 }],
  ['analytics', 'no operations', { operations: [] }],
  ['analytics', 'an operation twice', { operations: ['ENCRYPT', 'ENCRYPT'] }],
  ['analytics', 'an operation in lower case', { operations: ['encrypt'] }],
  ['analytics', 'an EC key with a size', { type: 'EC', operations: ['SIGN'] }],
  ['analytics', 'an unknown curve', { type: 'EC', size: undefined, curve: 'P-256', operations: ['SIGN'] }],
  ['analytics', 'an unknown role', { role: 'KING' }],
  ['analytics', 'an unknown member', { colour: 'red' }],
  ['analytics', 'a shell for an import', { imported: true }],
  ['finance', 'a master key', { role: 'MASTER_KEY' }],
  ['outpost', 'AES-128', { size: 128 }],
  ['outpost', 'AES that only encrypts', { operations: ['ENCRYPT'] }],
  ['outpost', 'RSA with mixed operations', { type: 'RSA', size: 2048, operations: ['ENCRYPT', 'SIGN'] }],
  ['outpost', 'EC', { type: 'EC', size: undefined, curve: 'NistP256', operations: ['SIGN', 'VERIFY'] }],
  ['outpost', 'an exportable key', { exportable: true }],
])('a group %s refuses %s', async (group, _what, key) => {
  const { status, body } = await client.create(group, key)
  expect([status, typeof body.message]).toEqual([400, 'string'])
})

test('a key is changed and deleted', async () => {
  const { body } = await client.create('analytics')
  const change = { description: 'new', operations: ['DECRYPT'], enabled: false }
  const changed = await client.call('PATCH', `/keys/${body.id}`, change)
  expect(changed.body).toMatchObject({ ...change, name: body.name, state: 'DISABLED' })
  expect((await client.call('PATCH', `/keys/${body.id}`, { size: 128 })).status).toBe(400)
  expect(await client.call('DELETE', `/keys/${body.id}`)).toMatchObject({ status: 204, body: undefined })
  expect((await client.call('GET', `/keys/${body.id}`)).status).toBe(404)
  expect((await client.call('DELETE', `/keys/${body.id}`)).status).toBe(404)
})

test('a new version becomes the primary one', async () => {
  const id = await kek(2048)
  const first = await client.publicKey(id)
  expect(await client.call('POST', `/keys/${id}/versions`)).toMatchObject({ status: 201, body: { version: 1 } })
  expect((await client.call('GET', `/keys/${id}`)).body.meta).toMatchObject({ primaryVersion: 1, totalVersions: 2 })
  expect(await client.publicKey(id)).toBe(first)
  const { body } = await client.call('GET', `/keys/${id}/versions`)
  expect(body.value).toMatchObject([
    { version: 0, primary: false },
    { version: 1, primary: true },
  ])
  const disable = (version: number) => client.call('PATCH', `/keys/${id}/versions/${version}`, { enabled: false })
  expect([(await disable(0)).body.enabled, (await disable(1)).status, (await disable(7)).status]).toEqual([
    false,
    409,
    404,
  ])
})

test('a public key has one format, and AES keys have none', async () => {
  const id = await kek()
  const half = createPublicKey({ key: Buffer.from(await client.publicKey(id), 'base64'), format: 'der', type: 'spki' })
  expect(half.asymmetricKeyDetails?.modulusLength).toBe(3072)
  expect((await client.call('GET', `/keys/${id}/versions/0/publicKey?outputFormat=PEM`)).status).toBe(400)
  const { body } = await client.create('analytics')
  expect((await client.call('GET', `/keys/${body.id}/versions/0/publicKey?outputFormat=BASE64_DER`)).status).toBe(400)
})

test.each([16, 24, 32])('an AES key of %i bytes is imported', async (length) => {
  const bytes = randomBytes(length)
  const { status, body } = await imported(bytes)
  expect([status, body]).toMatchObject([
    200,
    { size: length * 8, role: 'SAC_MASTER_KEY', meta: { imported: true, primaryVersion: 0, totalVersions: 1 } },
  ])
  expect(await simulator.materialOf(body.id)).toEqual(bytes)
})

test.each([2048, 3072, 4096])('an RSA key is imported with a wrapping key of %i bits', async (size) => {
  const bytes = rsa()
  const change = { type: 'RSA', operations: ['SIGN', 'VERIFY'] }
  const { body } = await imported(bytes, change, 'RSA_AES_WRAP_SHA256', await kek(size))
  const half = (der: Buffer) => createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  expect(half((await simulator.materialOf(body.id)) ?? bytes).equals(half(bytes))).toBe(true)
  expect(Buffer.from(await client.publicKey(body.id), 'base64')).toEqual(
    half(bytes).export({ format: 'der', type: 'spki' }),
  )
})

test.each([
  ['prime256v1', 'NistP256'],
  ['secp521r1', 'NistP521'],
  ['secp256k1', 'SecP256K1'],
])('an EC key on %s is imported', async (curve, name) => {
  const change = { type: 'EC', operations: ['SIGN', 'VERIFY'], role: 'UNSPECIFIED' }
  const { status, body } = await imported(ec(curve), change, 'RSA_AES_WRAP_SHA256')
  expect([status, body.curve]).toEqual([200, name])
})

test.each<[string, () => Promise<{ status: number }>]>([
  ['material of another type', () => imported(rsa(), {}, 'RSA_AES_WRAP_SHA256')],
  ['another algorithm than that of the type', () => imported(randomBytes(32), {}, 'RSA_AES_WRAP_SHA256')],
  ['17 bytes', () => imported(randomBytes(17))],
  ['an unknown member in the target', () => imported(randomBytes(32), { size: 256 })],
  ['operations of another type', () => imported(randomBytes(32), { operations: ['SIGN'] })],
  ['a wrapping key of another group', () => imported(randomBytes(32), { groupId: groupNamed(simulator, 'harbour') })],
])('an import of %s is refused', async (_what, attempt) => {
  expect((await attempt()).status).toBe(400)
})

test('an import refuses a wrong hash, wrong version, a disabled wrapping key and one that cannot unwrap', async () => {
  const wrapping = await kek()
  const publicKey = await client.publicKey(wrapping)
  const attempt = async (change: object = {}) =>
    client.call('POST', '/crypto/unwrap', {
      ...{ algorithm: 'OAEP_MGF1_SHA256', keyId: wrapping, version: 0, target: target() },
      ...{ wrappedKey: wrap(publicKey, 'OAEP_MGF1_SHA256', randomBytes(32)), ...change },
    })
  expect((await attempt()).status).toBe(200)
  const sha1 = wrap(publicKey, 'OAEP_MGF1_SHA256', randomBytes(32), 'sha1')
  expect((await attempt({ wrappedKey: sha1 })).body.message).toBe('The wrapped key cannot be read.')
  expect((await attempt({ version: 1 })).status).toBe(404)
  expect((await attempt({ target: undefined })).status).toBe(400)
  const { body: other } = await client.create('analytics', { ...KEK, operations: ['WRAP'] })
  expect((await attempt({ keyId: other.id })).body.message).toBe('The key cannot unwrap.')
  simulator.alter(wrapping, { enabled: false })
  expect((await attempt()).status).toBe(409)
})

test('a version is imported with the type and size of its key', async () => {
  const wrapping = await kek()
  const { body: key } = await imported(randomBytes(32), {}, 'OAEP_MGF1_SHA256', wrapping)
  const next = async (bytes: Buffer) => {
    const wrappedKey = wrap(await client.publicKey(wrapping), 'OAEP_MGF1_SHA256', bytes)
    const body = { algorithm: 'OAEP_MGF1_SHA256', keyId: wrapping, version: 0, wrappedKey, targetKeyId: key.id }
    return client.call('POST', '/crypto/unwrap', body)
  }
  const bytes = randomBytes(32)
  expect((await next(bytes)).body.meta).toMatchObject({ primaryVersion: 1, totalVersions: 2 })
  expect(await simulator.materialOf(key.id)).toEqual(bytes)
  expect((await next(randomBytes(16))).status).toBe(400)
})

test('a key at another provider is imported with its own import key, valid for a day', async () => {
  const shell = { name: 'outside', enabled: false, imported: true }
  const { body: key } = await client.create('outpost', shell)
  expect(key).toMatchObject({ enabled: false, meta: { imported: true, totalVersions: 0 } })
  const unwrap = (body: object) => client.call('POST', '/crypto/unwrap', { targetKeyId: key.id, ...body })
  expect((await unwrap({ wrappedKey: 'AAAA' })).status).toBe(409) // it has no import key
  const asked = { targetKeyId: key.id, size: 4096, wrappingAlgorithm: 'OAEP_MGF1_SHA256' }
  expect((await client.call('POST', '/keys', { ...asked, size: 2048 })).status).toBe(400)
  expect((await client.call('POST', '/keys', { ...asked, wrappingAlgorithm: 'RSA_AES_WRAP_SHA256' })).status).toBe(400)
  const { status, body: importKey } = await client.call('POST', '/keys', asked)
  expect(status).toBe(201)
  const bytes = randomBytes(32)
  const wrapped = async (version: number, material = bytes) =>
    wrap(await client.publicKey(importKey.id, version), 'OAEP_MGF1_SHA256', material)
  expect((await unwrap({ wrappedKey: await wrapped(0), version: 0 })).status).toBe(400)
  expect((await unwrap({ wrappedKey: await wrapped(0), keyId: importKey.id, version: 0 })).status).toBe(400)
  expect((await unwrap({ wrappedKey: await wrapped(0) })).body).toMatchObject({
    ...{ enabled: true, keystoreContext: { nativeId: expect.any(String) }, meta: { totalVersions: 1 } },
  })
  expect(await simulator.materialOf(key.id)).toEqual(bytes)
  clock.advance(DAY_MS + 1)
  client = await clientOf(simulator)
  expect((await unwrap({ wrappedKey: await wrapped(0) })).status).toBe(409)
  expect((await client.call('POST', `/keys/${importKey.id}/versions`)).body.version).toBe(1)
  expect((await unwrap({ wrappedKey: await wrapped(1, randomBytes(32)) })).body.meta.totalVersions).toBe(2)
  expect((await client.call('POST', `/keys/${key.id}/versions`)).status).toBe(409)
})

test('a deleted key can be restored from its backup, with all versions, after a while', async () => {
  const { body: key } = await imported(randomBytes(32))
  await client.call('POST', `/keys/${key.id}/versions`)
  const materials = [await simulator.materialOf(key.id, 0), await simulator.materialOf(key.id, 1)]
  const { body } = await client.call('POST', `/keys/${key.id}/backup`)
  expect(Object.keys(body)).toEqual(['backup'])
  expect((await client.call('POST', '/keys/restore', body)).status).toBe(409) // it exists
  await client.call('DELETE', `/keys/${key.id}`)
  const restored = await client.call('POST', '/keys/restore', body)
  expect(restored).toMatchObject({
    status: 201,
    body: { id: key.id, state: 'RESTORING', meta: { beingRestored: true } },
  })
  expect((await client.call('PATCH', `/keys/${key.id}`, { enabled: false })).status).toBe(409)
  clock.advance(2_000)
  expect((await client.call('GET', `/keys/${key.id}`)).body).toMatchObject({
    state: 'ENABLED',
    meta: { beingRestored: false },
  })
  expect([await simulator.materialOf(key.id, 0), await simulator.materialOf(key.id, 1)]).toEqual(materials)
  const bank = await clientOf(simulator, 'keymgr', 'bank')
  expect((await bank.call('POST', '/keys/restore', body)).status).toBe(400)
  const { body: elsewhere } = await client.create('outpost')
  expect((await client.call('POST', `/keys/${elsewhere.id}/backup`)).status).toBe(409)
})

test('a dynamic reference can be moved to a key of the same kind, if it allows that', async () => {
  const [one, other, third] = await Promise.all([
    ...[client.create('analytics'), client.create('analytics'), client.create('analytics', { operations: ['WRAP'] })],
  ])
  const make = (body: object) => client.call('POST', '/dynamicKeyReferences', { name: 'a reference', ...body })
  const { status, body } = await make({ keyId: one?.body.id })
  expect([status, body]).toEqual([
    201,
    {
      ...{ id: expect.any(String), name: 'a reference', keyId: one?.body.id },
      ...{ groupId: groupNamed(simulator, 'analytics'), allowUnderlyingKeyExchange: true },
    },
  ])
  const move = (id: string, keyId: string) => client.call('PATCH', `/dynamicKeyReferences/${id}`, { keyId })
  expect((await move(body.id, third?.body.id)).status).toBe(400)
  expect((await move(body.id, other?.body.id)).body.keyId).toBe(other?.body.id)
  expect((await client.call('DELETE', `/keys/${other?.body.id}`)).status).toBe(409)
  const fixed = await make({ keyId: one?.body.id, allowUnderlyingKeyExchange: false })
  expect((await move(fixed.body.id, other?.body.id)).status).toBe(409)
  for (const name of ['x', 'a-b', '']) expect((await make({ keyId: one?.body.id, name })).status).toBe(400)
  expect((await make({ keyId: 'none' })).status).toBe(404)
  expect((await client.call('GET', '/dynamicKeyReferences')).body.value).toHaveLength(2)
  expect((await client.call('DELETE', `/dynamicKeyReferences/${body.id}`)).status).toBe(204)
  expect((await client.call('GET', `/dynamicKeyReferences/${body.id}`)).status).toBe(404)
})
