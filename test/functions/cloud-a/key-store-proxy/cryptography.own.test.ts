import { createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { refusal, toDecrypt, useXks, type TestStore } from './proxy.ts'
import { inspected, tryInspect } from '../../../support/inspect.ts'

const xks = useXks()
const INVALID = refusal(400, 'ValidationException')
const CIPHERTEXT = refusal(400, 'InvalidCiphertextException')
const USAGE = refusal(400, 'InvalidKeyUsageException')
const UNSUPPORTED = refusal(501, 'UnsupportedOperationException')
const BITS = { encrypt: 4, decrypt: 8, export: 64 }
const GCM = { encryptionAlgorithm: 'AES_GCM' }
const CDIV = { ciphertextDataIntegrityValueAlgorithm: 'SHA_256' }

const material = randomBytes(32)
const base64 = (bytes: Buffer): string => bytes.toString('base64')
const bytesOf = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64')

let store: TestStore
let key = ''
let neighbour = ''
beforeAll(async () => {
  store = await xks().store()
  const source = await xks().importedKey(material)
  key = await xks().hostedKey(store, source.id as string)
  neighbour = (await xks().key(store)).id
})

const decrypt = (fields: object, of = key, at = store) => xks().call(at, 'decrypt', of, fields)

/** Decrypts according to the protocol's layout, without code of the service. */
function openOutside(encrypted: any, aad: Buffer): Buffer {
  const metadata = bytesOf(encrypted.ciphertextMetadata as string | undefined)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(aad.length)
  const iv = bytesOf(encrypted.initializationVector as string)
  const decipher = createDecipheriv('aes-256-gcm', material, iv, { authTagLength: 16 })
  decipher.setAAD(Buffer.concat([length, aad, Buffer.of(metadata.length), metadata]))
  decipher.setAuthTag(bytesOf(encrypted.authenticationTag as string))
  return Buffer.concat([decipher.update(bytesOf(encrypted.ciphertext as string)), decipher.final()])
}

test('the health answer of a healthy store has every field with its type', async () => {
  const body = await xks().ok(store, 'health')
  expect(body).toEqual({
    healthStatus: 'ACTIVE',
    xksProxyFleetSize: 1,
    xksProxyVendor: expect.any(String),
    xksProxyModel: expect.any(String),
    ekmVendor: expect.any(String),
    ekmFleetDetails: [{ id: expect.any(String), model: expect.any(String), healthStatus: 'ACTIVE' }],
  })
})

test('GetKeyMetadata describes an enabled AES-256 key', async () => {
  expect(await xks().ok(store, 'metadata', key)).toEqual({
    keySpec: 'AES_256',
    keyUsage: ['ENCRYPT', 'DECRYPT'],
    keyStatus: 'ENABLED',
  })
})

test('GetKeyMetadata shows the usages of a key', async () => {
  for (const [usageMask, keyUsage] of [
    [BITS.encrypt, ['ENCRYPT']],
    [BITS.decrypt, ['DECRYPT']],
    [BITS.export, []],
  ] as const) {
    const { id } = await xks().key(store, { usageMask })
    expect((await xks().ok(store, 'metadata', id)).keyUsage).toEqual(keyUsage)
  }
})

test.each([
  [{ algorithm: 'aes', size: 128 }, 'AES_128'],
  [{ algorithm: 'rsa', size: 2048 }, 'RSA_2048'],
])('a key that is no AES-256 key shows its spec, and encrypts nothing: %j', async (body, keySpec) => {
  const { id } = await xks().key(store, body)
  expect((await xks().ok(store, 'metadata', id)).keySpec).toBe(keySpec)
  expect(await xks().call(store, 'encrypt', id, { ...GCM, plaintext: 'AAAA' })).toEqual(USAGE)
})

test.each([0, 1, 15, 16, 17, 4096, 4300])(
  '%i bytes are encrypted and decrypted, with ciphertext, iv and tag of the right length',
  async (length) => {
    const plaintext = randomBytes(length)
    const encrypted = await xks().encrypt(store, key, plaintext)
    expect(bytesOf(encrypted.ciphertext as string)).toHaveLength(length)
    expect(bytesOf(encrypted.authenticationTag as string)).toHaveLength(16)
    expect(bytesOf(encrypted.initializationVector as string)).toHaveLength(12)
    expect(await xks().ok(store, 'decrypt', key, toDecrypt(encrypted))).toEqual({ plaintext: base64(plaintext) })
  },
)

test.each([0, 1, 8191, 8192])('with %i bytes of AAD, an independent implementation agrees', async (length) => {
  const aad = randomBytes(length)
  const plaintext = randomBytes(4300)
  const more = { additionalAuthenticatedData: base64(aad) }
  const encrypted = await xks().encrypt(store, key, plaintext, { ...more, ...CDIV })
  expect(bytesOf(encrypted.ciphertextMetadata as string).length).toBeLessThanOrEqual(20)
  expect(openOutside(encrypted, aad)).toEqual(plaintext)
  const parts = ['ciphertextMetadata', 'initializationVector', 'ciphertext', 'authenticationTag']
  const digest = createHash('sha256').update(aad)
  for (const part of parts) digest.update(bytesOf(encrypted[part] as string))
  expect(encrypted.ciphertextDataIntegrityValue).toBe(digest.digest('base64'))
  expect(await xks().ok(store, 'decrypt', key, toDecrypt(encrypted, more))).toEqual({ plaintext: base64(plaintext) })
})

test('the integrity value is sent only on request', async () => {
  expect(Object.keys(await xks().encrypt(store, key, Buffer.alloc(8)))).toEqual([
    'ciphertext',
    'initializationVector',
    'authenticationTag',
    'ciphertextMetadata',
  ])
})

test.each([
  ['no plaintext', { plaintext: undefined }],
  ['a plaintext that is no text', { plaintext: 7 }],
  ['no algorithm', { encryptionAlgorithm: undefined }],
  ['another algorithm', { encryptionAlgorithm: 'AES_CBC' }],
  ['the algorithm in lower case', { encryptionAlgorithm: 'aes_gcm' }],
  ['another digest', { ciphertextDataIntegrityValueAlgorithm: 'SHA_512' }],
  ['null for a digest', { ciphertextDataIntegrityValueAlgorithm: null }],
  ['AAD that is no text', { additionalAuthenticatedData: {} }],
  ['URL-safe Base64', { plaintext: '-_-_' }],
  ['missing padding', { plaintext: 'AAA' }],
  ['inner white space', { plaintext: 'AA AA' }],
  ['a line end', { plaintext: 'AAAA\n' }],
  ['stray characters', { plaintext: 'AA!AAAA=' }],
  ['URL-safe AAD', { additionalAuthenticatedData: '_w==' }],
  ['Base64 with bits behind its end', { plaintext: 'AAB=' }],
  ['a character whose lower eight bits are a digit', { plaintext: '\u0141AAA' }],
])('Encrypt is refused with %s', async (_what, fields) => {
  const answer = await xks().call(store, 'encrypt', key, { ...GCM, plaintext: 'AAAA', ...fields })
  expect(answer).toEqual(INVALID)
})

test('a key allows the operations of its usage, with and without AAD and integrity value', async () => {
  const only = async (usageMask: number) => (await xks().key(store, { usageMask })).id
  const [encrypts, decrypts, neither] = [await only(BITS.encrypt), await only(BITS.decrypt), await only(BITS.export)]
  const aad = { additionalAuthenticatedData: 'AAAA' }
  for (const id of [decrypts, neither])
    for (const more of [{}, aad, CDIV, { ...aad, ...CDIV }])
      expect(await xks().call(store, 'encrypt', id, { ...GCM, plaintext: 'AAAA', ...more })).toEqual(USAGE)
  const encrypted = await xks().encrypt(store, encrypts, Buffer.alloc(3), aad)
  expect(await xks().call(store, 'encrypt', encrypts, { ...GCM, plaintext: 'AAAA', ...CDIV })).toEqual(USAGE)
  expect(await decrypt(toDecrypt(encrypted, aad), encrypts)).toEqual(USAGE)
})

test('input above the size limit is refused as such, but only with a key that allows the operation', async () => {
  const long = base64(Buffer.alloc(65_536))
  const send = (fields: object, id = key) => xks().call(store, 'encrypt', id, { ...GCM, plaintext: 'AAAA', ...fields })
  expect(await send({ plaintext: long })).toEqual(UNSUPPORTED)
  expect(await send({ additionalAuthenticatedData: long })).toEqual(UNSUPPORTED)
  expect((await send({ plaintext: base64(Buffer.alloc(65_535)) })).status).toBe(200)
  expect(await send({ plaintext: long }, 'nobody')).toEqual(refusal(404, 'KeyNotFoundException'))
  const encrypted = await xks().encrypt(store, key, Buffer.alloc(1))
  expect(await decrypt(toDecrypt({ ...encrypted, ciphertext: long }))).toEqual(UNSUPPORTED)
})

const AAD = Buffer.from('tenant=7')
const FLIPPED = [
  'ciphertext',
  'initializationVector',
  'authenticationTag',
  'ciphertextMetadata',
  'additionalAuthenticatedData',
]

test.each(FLIPPED)('a flipped bit anywhere in the %s is refused', async (part) => {
  const aad = { additionalAuthenticatedData: base64(AAD) }
  const whole: any = toDecrypt(await xks().encrypt(store, key, Buffer.from('0123456789abcdef'), aad), aad)
  expect((await decrypt(whole as object)).status).toBe(200)
  const bytes = bytesOf(whole[part] as string)
  const answers = await Promise.all(
    Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return decrypt({ ...whole, [part]: base64(changed) })
    }),
  )
  for (const answer of answers) expect(answer).toEqual(CIPHERTEXT)
})

test('an envelope with bytes dropped, added, exchanged or moved does not decrypt', async () => {
  const aad = { additionalAuthenticatedData: base64(AAD) }
  const whole: any = toDecrypt(await xks().encrypt(store, key, randomBytes(20), aad), aad)
  const bare: any = toDecrypt(await xks().encrypt(store, key, randomBytes(20)))
  const metadata = whole.ciphertextMetadata as string
  const cases: object[] = [
    { ...whole, additionalAuthenticatedData: undefined },
    { ...whole, additionalAuthenticatedData: base64(Buffer.from('tenant=8')) },
    { ...whole, additionalAuthenticatedData: '' },
    { ...bare, ...aad },
    { ...bare, additionalAuthenticatedData: metadata, ciphertextMetadata: undefined },
    { ...whole, ciphertextMetadata: undefined },
    { ...whole, ciphertextMetadata: '' },
    { ...whole, ciphertextMetadata: base64(Buffer.concat([bytesOf(metadata), Buffer.of(0)])) },
    { ...whole, ciphertextMetadata: base64(Buffer.alloc(20, 1)) },
    { ...whole, additionalAuthenticatedData: base64(Buffer.concat([AAD, bytesOf(metadata)])), ciphertextMetadata: '' },
  ]
  for (const [at, fields] of cases.entries()) expect(await decrypt(fields), `case ${at}`).toEqual(CIPHERTEXT)
})

test('tags and ivs of other lengths are refused', async () => {
  const whole: any = toDecrypt(await xks().encrypt(store, key, randomBytes(20)))
  const tag = bytesOf(whole.authenticationTag as string)
  const iv = bytesOf(whole.initializationVector as string)
  for (const length of [12, 4, 0, 15]) {
    const cut = { ...whole, authenticationTag: base64(tag.subarray(0, length)) }
    expect(await decrypt(cut), `tag of ${length}`).toEqual(CIPHERTEXT)
  }
  expect(await decrypt({ ...whole, authenticationTag: base64(Buffer.concat([tag, tag])) })).toEqual(CIPHERTEXT)
  for (const length of [0, 8, 13, 16, 32]) {
    const resized = Buffer.alloc(length)
    resized.set(iv.subarray(0, length))
    expect(await decrypt({ ...whole, initializationVector: base64(resized) }), `iv of ${length}`).toEqual(CIPHERTEXT)
  }
})

test.each([
  ['no ciphertext', { ciphertext: undefined }],
  ['no iv', { initializationVector: undefined }],
  ['no tag', { authenticationTag: undefined }],
  ['no algorithm', { encryptionAlgorithm: undefined }],
  ['a ciphertext that is no Base64', { ciphertext: '****' }],
  ['an iv that is no text', { initializationVector: 12 }],
  ['a tag without padding', { authenticationTag: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ['metadata of more than 20 bytes', { ciphertextMetadata: base64(Buffer.alloc(21)) }],
])('Decrypt with %s is no valid request', async (_what, fields) => {
  const whole = toDecrypt(await xks().encrypt(store, key, randomBytes(20)))
  expect(await decrypt({ ...whole, ...fields })).toEqual(INVALID)
})

test('the ciphertext of another key does not decrypt', async () => {
  const encrypted = await xks().encrypt(store, neighbour, randomBytes(20))
  expect(await decrypt(toDecrypt(encrypted))).toEqual(CIPHERTEXT)
})

test('after a rotation old ciphertext still decrypts, and new ciphertext names the new version', async () => {
  const { id, source } = await xks().key(store)
  const before = await xks().encrypt(store, id, Buffer.from('before'))
  await xks().vault.admin.act(source.name as string, 'versions', {})
  xks().letPass()
  const after = await xks().encrypt(store, id, Buffer.from('after'))
  expect(bytesOf(before.ciphertextMetadata as string).toString('hex')).toBe('0100000000')
  expect(bytesOf(after.ciphertextMetadata as string).toString('hex')).toBe('0100000001')
  for (const [encrypted, text] of [
    [before, 'before'],
    [after, 'after'],
  ] as const)
    expect(await xks().ok(store, 'decrypt', id, toDecrypt(encrypted))).toEqual({ plaintext: base64(Buffer.from(text)) })
  expect(await decrypt(toDecrypt({ ...before, ciphertextMetadata: after.ciphertextMetadata }), id)).toEqual(CIPHERTEXT)
})

test('ten thousand encryptions under one key never repeat an iv', async () => {
  const { invoke } = xks().vault.service.deployment
  const event = xks().eventOf(store, 'encrypt', key, { ...GCM, plaintext: 'AAAA' })
  const ivs = new Set<string>()
  for (let at = 0; at < 100; at++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => invoke('xks', event)))
    for (const answer of answers as { body: string }[])
      ivs.add((JSON.parse(answer.body) as { initializationVector: string }).initializationVector)
  }
  expect(ivs.size).toBe(10_000)
})

test('a store does not accept the keys, credentials and paths of another store', async () => {
  const other = await xks().store()
  const theirs = await xks().key(other)
  const encrypted = await xks().encrypt(other, theirs.id, randomBytes(5))
  for (const operation of ['metadata', 'encrypt', 'decrypt'] as const) {
    const fields = { ...toDecrypt(encrypted), plaintext: 'AAAA' }
    expect(await xks().call(store, operation, theirs.id, fields)).toEqual(refusal(404, 'KeyNotFoundException'))
    expect(await xks().call(store, operation, theirs.source.id as string, fields)).toEqual(
      refusal(404, 'KeyNotFoundException'),
    )
    const foreign = await xks().call(other, operation, theirs.id, fields, { credential: store.credential })
    expect(foreign).toEqual(refusal(401, 'AuthenticationFailedException'))
  }
  expect(await decrypt(toDecrypt(encrypted))).toEqual(CIPHERTEXT)
})

test('an inspection names the store, key and version of an envelope, and what prevents opening it', async () => {
  const { admin } = xks().vault
  const aad = base64(Buffer.from('context'))
  const source = await xks().localKey()
  const hosted = await xks().hostedKey(store, source.id as string, { local_key_name: source.name })
  const made = await xks().ok(store, 'encrypt', hosted, { ...GCM, plaintext: 'AAAA', additionalAuthenticatedData: aad })
  const parts = {
    ciphertext: made.ciphertext,
    iv: made.initializationVector,
    tag: made.authenticationTag,
    metadata: made.ciphertextMetadata,
  }
  expect(await inspected(admin, { ...parts, aad })).toMatchObject({
    kind: 'envelope of an external key store',
    proof: 'authenticated',
    endpoint: { kind: 'key store', id: store.id },
    key: { kind: 'hosted key', id: hosted },
    local_key: { name: source.name, version: 0 },
    can_be_opened: true,
    opened_by: [{ kind: 'access key', names: [store.credential.accessKeyId] }],
  })
  expect((await tryInspect(admin, parts)).status).toBe(404)
  expect(await inspected(admin, { ...parts, endpoint: store.id })).toMatchObject({ proof: 'header' })
  await xks().blockKey(hosted, true)
  expect(await inspected(admin, { ...parts, aad })).toMatchObject({
    can_be_opened: false,
    obstacles: ['The hosted key is blocked.'],
  })
})
