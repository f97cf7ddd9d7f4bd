import {
  createCipheriv,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { constants, createDecipheriv, publicDecrypt, verify, type KeyObject } from 'node:crypto'
import type { JsonWebKey, KeyVaultKey } from '@azure/keyvault-keys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCloudB, type CloudBSimulator } from '../../../../../infra/simulators/cloud-b/simulator.ts'
import { createClock } from '../../../../../infra/local/clock.ts'
import { clientsOf, refusalOf, send, type Clients } from '../clients.ts'

const VAULT = 'shop-premium'
const clock = createClock()
let simulator: CloudBSimulator
let clients: Clients
let kek: KeyVaultKey
let count = 0
const fresh = () => `imported-${++count}`
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve }).privateKey
const bearer = () => simulator.bearerOf(simulator.applications()[0]?.objectId ?? '', 'vault')

beforeAll(async () => {
  simulator = await startCloudB({ clock })
  clients = clientsOf(simulator)
  kek = await clients.keys(VAULT).createRsaKey('kek', { hsm: true, keyOps: ['import'] })
})
afterAll(() => simulator.stop())

/** Members as bytes, as the client accepts them. */
function jwkOf(key: KeyObject, kty: string, crv?: string): JsonWebKey {
  const members = Object.entries(key.export({ format: 'jwk' })).filter(([name]) => !['kty', 'crv'].includes(name))
  return {
    kty,
    ...(crv !== undefined && { crv }),
    ...Object.fromEntries(members.map(([name, value]) => [name, Buffer.from(String(value), 'base64url')])),
  }
}

/** Wraps as the cloud requires, or with deviations. */
function blobOf(clear: Buffer, more: { header?: object; schema?: string; oaepHash?: string; kek?: KeyVaultKey } = {}) {
  const { n, e } = (more.kek ?? kek).key ?? {}
  const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('base64url')
  const key = createPublicKey({ key: { kty: 'RSA', n: text(n), e: text(e) }, format: 'jwk' })
  const aes = randomBytes(32)
  const cipher = createCipheriv('id-aes256-wrap-pad', aes, Buffer.from('a65959a6', 'hex'))
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const ciphertext = Buffer.concat([
    publicEncrypt({ key, padding, oaepHash: more.oaepHash ?? 'sha1' }, aes),
    ...[cipher.update(clear), cipher.final()],
  ])
  return Buffer.from(
    JSON.stringify({
      schema_version: more.schema ?? '1.0.0',
      header: { kid: (more.kek ?? kek).id, alg: 'dir', enc: 'CKM_RSA_AES_KEY_WRAP', ...more.header },
      ciphertext: ciphertext.toString('base64url'),
      generator: 'test',
    }),
  )
}

const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' })

test('a software RSA key is imported completely: the cloud signs with it', async () => {
  const key = await clients.keys(VAULT).importKey(fresh(), jwkOf(rsa, 'RSA'), { hardwareProtected: false })
  expect(key).toMatchObject({ keyType: 'RSA' })
  expect(key.key?.d).toBeUndefined()
  const digest = createHash('sha256').update('data').digest()
  const { result } = await clients.use(key).sign('PS256', digest)
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  expect(verify('sha256', Buffer.from('data'), { key: createPublicKey(rsa), ...padding }, result)).toBe(true)
  const plain = await clients.use(key).sign('RS256', digest)
  expect(publicDecrypt(createPublicKey(rsa), Buffer.from(plain.result)).subarray(-32)).toEqual(digest)
})

test.each([
  ['P-256', 'P-256', 'ES256', 'sha256'],
  ['P-384', 'P-384', 'ES384', 'sha384'],
  ['P-521', 'P-521', 'ES512', 'sha512'],
  ['secp256k1', 'P-256K', 'ES256K', 'sha256'],
] as const)('an EC key on %s is imported as %s and signs', async (curve, crv, alg, hash) => {
  const mine = ec(curve)
  const key = await clients.keys('shop-standard').importKey(fresh(), jwkOf(mine, 'EC', crv))
  expect(key.key?.crv).toBe(crv)
  const digest = createHash(hash).update('data').digest()
  const { result } = await clients.use(key).sign(alg, digest)
  expect(verify(hash, Buffer.from('data'), { key: createPublicKey(mine), dsaEncoding: 'ieee-p1363' }, result)).toBe(
    true,
  )
  expect(await clients.use(key).verify(alg, digest, result)).toMatchObject({ result: true })
})

test('a key that is imported in the clear may lie in hardware', async () => {
  const key = await clients.keys(VAULT).importKey(fresh(), jwkOf(rsa, 'RSA'), { hardwareProtected: true })
  expect(key.keyType).toBe('RSA-HSM')
})

test.each<[string, () => object]>([
  ['another modulus', () => ({ n: rsaJwk({ n: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey }) })],
  ['another exponent', () => ({ d: randomBytes(256).toString('base64url') })],
  ['another coefficient', () => ({ qi: randomBytes(128).toString('base64url') })],
  ['padding', () => ({ n: `${String(rsa.export({ format: 'jwk' }).n)}==` })],
  ['no prime', () => ({ p: undefined })],
])('an RSA key with %s is refused', async (_what, change) => {
  const key = { ...rsa.export({ format: 'jwk' }), ...change() }
  expect(await put({ key })).toBe('BadParameter')
})

test.each<[string, (key: object) => object]>([
  ['a point of another key', () => ({ x: ec().export({ format: 'jwk' }).x })],
  ['a point off the curve', () => ({ y: Buffer.alloc(32, 1).toString('base64url') })],
  ['another curve', () => ({ crv: 'P-384' })],
  ['the name of another vendor', () => ({ crv: 'secp256k1' })],
  ['a number cut short', () => ({ d: 'AQ' })],
])('an EC key with %s is refused', async (_what, change) => {
  const jwk = ec().export({ format: 'jwk' })
  expect(await put({ key: { ...jwk, ...change(jwk) } })).toBe('BadParameter')
})

const rsaJwk = ({ n }: { n: KeyObject }) => n.export({ format: 'jwk' }).n

async function put(body: object, vault = VAULT): Promise<string> {
  const url = `https://${vault}.vault.azure.net/keys/${fresh()}?api-version=7.4`
  return (await send(simulator, 'PUT', url, { bearer: await bearer(), body })).code
}

test.each<[string, () => object]>([
  ['no key', () => ({})],
  [
    'a kind in hardware and a word against it',
    () => ({ Hsm: false, key: { ...rsa.export({ format: 'jwk' }), kty: 'RSA-HSM' } }),
  ],
  ['an octet key', () => ({ key: { kty: 'oct', k: randomBytes(32).toString('base64url') } })],
  ['a use that it does not have', () => ({ key: { ...ec().export({ format: 'jwk' }), key_ops: ['encrypt'] } })],
])('an import with %s is refused', async (_what, body) => {
  expect(await put(body())).toBe('BadParameter')
})

test('keys in hardware are not imported into a standard vault', async () => {
  const key = rsa.export({ format: 'jwk' })
  expect(await put({ Hsm: true, key }, 'shop-standard')).toBe('BadParameter')
  const key_hsm = blobOf(pkcs8(rsa)).toString('base64url')
  expect(await put({ Hsm: true, key: { kty: 'RSA-HSM', key_hsm } }, 'shop-standard')).toBe('BadParameter')
})

test('a wrapped RSA key is unwrapped and used', async () => {
  const jwk = { kty: 'RSA-HSM', keyOps: ['encrypt', 'decrypt'], t: blobOf(pkcs8(rsa)) } as JsonWebKey
  const name = fresh()
  const key = await clients.keys(VAULT).importKey(name, jwk, { hardwareProtected: true })
  expect(key).toMatchObject({ keyType: 'RSA-HSM', keyOperations: ['encrypt', 'decrypt'] })
  const { value } = await simulator.encryptAs(VAULT, name, 'RSA-OAEP-256', Buffer.from('hello'))
  const { result } = await clients.use(key).decrypt({ algorithm: 'RSA-OAEP-256', ciphertext: value })
  expect(Buffer.from(result).toString()).toBe('hello')
  expect(await simulator.materialOf(VAULT, name)).toEqual(pkcs8(rsa))
})

test('wrapped EC keys are imported too, and octet keys into a managed HSM', async () => {
  const mine = ec('P-521')
  const name = fresh()
  await clients.keys(VAULT).importKey(name, { kty: 'EC-HSM', t: blobOf(pkcs8(mine)) })
  expect(simulator.keyOf(VAULT, name)?.versions[0]).toMatchObject({ kty: 'EC-HSM', crv: 'P-521' })
  const hsmKek = await clients.keys('shop-hsm').createRsaKey('kek', { hsm: true, keySize: 3072, keyOps: ['import'] })
  const bytes = randomBytes(32)
  const octets = { kty: 'oct-HSM', t: blobOf(bytes, { kek: hsmKek }) } as JsonWebKey
  await clients.keys('shop-hsm').importKey(name, octets, { hardwareProtected: true })
  const { value, iv, tag } = await simulator.encryptAs('shop-hsm', name, 'A256GCM', Buffer.from('hello'))
  const decipher = createDecipheriv('aes-256-gcm', bytes, iv ?? '').setAuthTag(tag ?? Buffer.alloc(0))
  expect(decipher.update(value, undefined, 'utf8') + decipher.final('utf8')).toBe('hello')
})

test.each<[string, () => Buffer]>([
  ['another hash', () => blobOf(pkcs8(rsa), { oaepHash: 'sha256' })],
  ['another key inside', () => blobOf(pkcs8(ec()))],
  ['no key inside', () => blobOf(randomBytes(1218))],
  ['another schema', () => blobOf(pkcs8(rsa), { schema: '2.0.0' })],
  ['another algorithm', () => blobOf(pkcs8(rsa), { header: { alg: 'RSA-OAEP' } })],
  ['another encryption', () => blobOf(pkcs8(rsa), { header: { enc: 'A256GCM' } })],
  [
    'a wrapping key of another vault',
    () => blobOf(pkcs8(rsa), { header: { kid: kek.id?.replace(VAULT, 'shop-spare') } }),
  ],
  ['a wrapping key without a version', () => blobOf(pkcs8(rsa), { header: { kid: kek.id?.replace(/\/[^/]+$/, '') } })],
  ['no JSON', () => Buffer.from('blob')],
  ['nothing inside', () => Buffer.from('{}')],
])('a blob with %s is refused', async (_what, blob) => {
  const key = { kty: 'RSA-HSM', key_hsm: blob().toString('base64url') }
  expect(await put({ Hsm: true, key })).toBe('BadParameter')
})

test('a blob for an unknown wrapping key is refused', async () => {
  const blob = blobOf(pkcs8(rsa), { header: { kid: kek.id?.replace('/kek/', '/kak/') } })
  expect(await put({ Hsm: true, key: { kty: 'RSA-HSM', key_hsm: blob.toString('base64url') } })).toBe('KeyNotFound')
})

test('a wrapping key is usable only for that, while it is enabled and within its time', async () => {
  const keys = clients.keys(VAULT)
  const attempt = (wrapping: KeyVaultKey) =>
    refusalOf(keys.importKey(fresh(), { kty: 'RSA-HSM', t: blobOf(pkcs8(rsa), { kek: wrapping }) }))
  const make = (options: object) => keys.createRsaKey(fresh(), { hsm: true, keyOps: ['import'], ...options })
  expect(await attempt(await make({}))).toBe('accepted')
  expect(await attempt(await make({ enabled: false }))).toBe('403 Forbidden:KeyDisabled')
  expect(await attempt(await make({ expiresOn: new Date(Date.now() - 60_000) }))).toBe('403 Forbidden:KeyExpired')
  expect(await attempt(await make({ notBefore: new Date(Date.now() + 60_000) }))).toBe('403 Forbidden:KeyNotYetValid')
  expect(await attempt(await make({ keyOps: ['wrapKey', 'unwrapKey'] }))).toBe('400 BadParameter')
  const value = Buffer.alloc(32).toString('base64url')
  const url = `${String(kek.id)}/wrapkey?api-version=7.4`
  const used = await send(simulator, 'POST', url, { bearer: await bearer(), body: { alg: 'RSA-OAEP', value } })
  expect(used.code).toBe('Forbidden:KeyOperationForbidden')
})

test('an import under an existing name adds a version', async () => {
  const name = fresh()
  const keys = clients.keys(VAULT)
  await keys.importKey(name, jwkOf(ec(), 'EC', 'P-256'))
  await keys.importKey(name, jwkOf(ec(), 'EC', 'P-256'))
  expect(simulator.keyOf(VAULT, name)?.versions).toHaveLength(2)
  await keys.beginDeleteKey(name)
  expect(await refusalOf(keys.importKey(name, jwkOf(ec(), 'EC', 'P-256')))).toBe(
    '409 Conflict:ObjectIsDeletedButRecoverable',
  )
})
