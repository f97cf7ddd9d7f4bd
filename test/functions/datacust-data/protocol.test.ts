import { constants, createHash, publicEncrypt, randomBytes, verify } from 'node:crypto'
import { Agent } from 'node:https'
import { beforeAll, expect, test } from 'vitest'
import { requestOverTls } from '../../support/mutual-tls.ts'
import { base64, bytesOf, KEYS, refused, useDatacust, type KnownStore } from './datacust-data.ts'
import { inspected, tryInspect } from '../../support/inspect.ts'

const datacust = useDatacust()

let known: KnownStore
let aes: any
let rsa: any
beforeAll(async () => {
  known = await datacust().store()
  aes = await datacust().key(known)
  rsa = await datacust().key(known, { source_key_identifier: (await datacust().rsaKey()).id })
})

const BAD = refused(400)

test('a key store and its keys describe themselves', async () => {
  const { id, sap_tenant_id } = known.store
  expect((await datacust().send(known, 'get-metadata')).body).toEqual({
    keystore_id: id,
    sap_tenant_id,
    state: 'ACTIVE',
  })
  expect(await datacust().calls(known, aes, 'get-metadata')).toEqual({
    key_id: aes.id,
    key_version_id: aes.version_id,
    state: 'Enabled',
    key_ops: ['ENCRYPT', 'DECRYPT'],
    key_spec: 'AES_256',
  })
  expect(await datacust().calls(known, rsa, 'get-metadata')).toMatchObject({
    key_ops: ['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY'],
    key_spec: 'RSA_3072',
  })
  const source = await datacust().rsaKey({ size: 4_096 })
  const big = await datacust().key(known, { source_key_identifier: source.id })
  expect(await datacust().calls(known, big, 'get-metadata')).toMatchObject({ key_spec: 'RSA_4096' })
})

test('seven bytes stay seven, and the whole answer sent back decrypts', async () => {
  const plaintext = randomBytes(7)
  const aad = base64('context')
  const sealed = await datacust().calls(known, aes, 'symmetric-encrypt', { plaintext: base64(plaintext), aad })
  expect([sealed.ciphertext, sealed.iv, sealed.tag].map((text) => bytesOf(text).length)).toEqual([7, 12, 16])
  expect(sealed).toMatchObject({ aad, key_version_id: aes.version_id })
  expect(await datacust().calls(known, aes, 'symmetric-decrypt', sealed)).toEqual({
    plaintext: base64(plaintext),
    key_version_id: aes.version_id,
  })
})

test('every damage to a ciphertext is one and the same refusal', async () => {
  const sealed = await datacust().calls(known, aes, 'symmetric-encrypt', {
    plaintext: base64('text'),
    aad: base64('a'),
  })
  const flipped = (text: unknown): string => {
    const bytes = bytesOf(text)
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return base64(bytes)
  }
  const damaged = [
    { ciphertext: flipped(sealed.ciphertext) },
    { iv: flipped(sealed.iv) },
    { tag: flipped(sealed.tag) },
    { aad: flipped(sealed.aad) },
    { aad: undefined },
    { tag: base64(bytesOf(sealed.tag).subarray(0, 12)) },
    { iv: base64(randomBytes(16)) },
  ]
  const answers = await Promise.all(
    damaged.map((change) => datacust().call(known, aes, 'symmetric-decrypt', { ...sealed, ...change })),
  )
  for (const answered of answers) expect(answered).toEqual(BAD)
  expect(new Set(answers.map(({ body }) => body.detail)).size).toBe(1)
})

test('a ciphertext opens under no other key and no other version', async () => {
  const other = await datacust().key(known)
  const sealed = await datacust().calls(known, other, 'symmetric-encrypt', { plaintext: base64('text') })
  expect(sealed.aad).toBeUndefined()
  const { key_version_id: _, ...rest } = sealed
  expect(await datacust().call(known, aes, 'symmetric-decrypt', rest)).toEqual(BAD)
  expect(await datacust().call(known, aes, 'symmetric-decrypt', sealed)).toEqual(refused(404))
  const { body: renewed } = await datacust().act(KEYS, other, 'versions', {})
  expect(renewed.version_count).toBe(2)
  expect(await datacust().call(known, other, 'symmetric-decrypt', rest)).toEqual(BAD) // the newest version
  expect(await datacust().calls(known, other, 'symmetric-decrypt', sealed)).toMatchObject({ plaintext: base64('text') })
})

test('a ciphertext of a key of another key store is refused, by its key, its version and its bytes', async () => {
  const other = await datacust().store()
  const foreign = await datacust().key(other)
  const sealed = await datacust().calls(other, foreign, 'symmetric-encrypt', { plaintext: base64('text') })
  const { key_version_id: _, ...rest } = sealed
  expect(await datacust().call(known, foreign, 'symmetric-decrypt', sealed)).toEqual(refused(404))
  expect(await datacust().call(known, aes, 'symmetric-decrypt', sealed)).toEqual(refused(404))
  expect(await datacust().call(known, aes, 'symmetric-decrypt', rest)).toEqual(BAD)
})

test('random bytes are returned in clear and encrypted', async () => {
  for (const length of [1, 16, 4_096]) {
    const { plaintext, ...sealed } = await datacust().calls(known, aes, 'generate-random-bytes', { length })
    expect(bytesOf(plaintext)).toHaveLength(length)
    expect(await datacust().calls(known, aes, 'symmetric-decrypt', sealed)).toMatchObject({ plaintext })
  }
  for (const length of [0, 4_097, '16', 1.5, undefined])
    expect(await datacust().call(known, aes, 'generate-random-bytes', { length }), String(length)).toEqual(BAD)
})

test.each(['1', '256', '384', '512'])('what is encrypted outside with OAEP and SHA-%s decrypts', async (size) => {
  const { public_key } = await datacust().calls(known, rsa, 'get-public-key')
  const key = { key: public_key as string, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: `sha${size}` }
  const ciphertext = base64(publicEncrypt(key, Buffer.from('wrapped')))
  const algorithm = `RSAES_OAEP_SHA_${size}`
  expect(await datacust().calls(known, rsa, 'asymmetric-decrypt', { ciphertext, algorithm })).toMatchObject({
    plaintext: base64('wrapped'),
  })
  const other = algorithm === 'RSAES_OAEP_SHA_1' ? 'RSAES_OAEP_SHA_256' : 'RSAES_OAEP_SHA_1'
  expect(await datacust().call(known, rsa, 'asymmetric-decrypt', { ciphertext, algorithm: other })).toEqual(BAD)
})

test('what is encrypted here decrypts here; a plaintext that is too long is refused', async () => {
  const algorithm = 'RSAES_OAEP_SHA_512'
  const plaintext = base64(randomBytes(384 - 2 * 64 - 2))
  const sealed = await datacust().calls(known, rsa, 'asymmetric-encrypt', { plaintext, algorithm })
  expect(sealed).toMatchObject({ algorithm, key_version_id: rsa.version_id })
  expect(await datacust().calls(known, rsa, 'asymmetric-decrypt', sealed)).toMatchObject({ plaintext })
  const long = base64(randomBytes(384 - 2 * 64 - 1))
  expect(await datacust().call(known, rsa, 'asymmetric-encrypt', { plaintext: long, algorithm })).toEqual(BAD)
})

test.each([256, 384, 512])('signatures of messages and digests with SHA-%i verify outside and here', async (size) => {
  const { public_key } = await datacust().calls(known, rsa, 'get-public-key')
  const algorithm = `RSASSA_PSS_SHA_${size}`
  const message = randomBytes(100)
  const digest = createHash(`sha${size}`).update(message).digest()
  const forms = [
    { message: base64(message) },
    { message: base64(message), message_type: 'RAW' },
    { message: base64(digest), message_type: 'DIGEST' },
  ]
  for (const form of forms) {
    const { signature } = await datacust().calls(known, rsa, 'asymmetric-sign', { ...form, algorithm })
    const key = { key: public_key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: size / 8 }
    expect(verify(`sha${size}`, message, key, bytesOf(signature))).toBe(true)
    for (const same of forms)
      expect(await datacust().calls(known, rsa, 'asymmetric-verify', { ...same, algorithm, signature })).toEqual({
        signature_valid: true,
        key_version_id: rsa.version_id,
      })
  }
})

test('a signature over another message, or cut short, is not valid; malformed input is refused', async () => {
  const algorithm = 'RSASSA_PSS_SHA_256'
  const message = base64('message')
  const { signature } = await datacust().calls(known, rsa, 'asymmetric-sign', { message, algorithm })
  const verified = async (change: object): Promise<any> =>
    (await datacust().call(known, rsa, 'asymmetric-verify', { message, algorithm, signature, ...change })).body
  expect(await verified({})).toMatchObject({ signature_valid: true })
  expect(await verified({ message: base64('another') })).toMatchObject({ signature_valid: false })
  expect(await verified({ algorithm: 'RSASSA_PSS_SHA_384' })).toMatchObject({ signature_valid: false })
  expect(await verified({ signature: base64(bytesOf(signature).subarray(1)) })).toMatchObject({
    signature_valid: false,
  })
  expect(await verified({ signature: base64(Buffer.alloc(384, 255)) })).toMatchObject({ signature_valid: false })
  const bad = [
    ['asymmetric-sign', { message: base64(randomBytes(4_097)), algorithm }],
    ['asymmetric-sign', { message: base64(randomBytes(31)), message_type: 'DIGEST', algorithm }],
    ['asymmetric-sign', { message, message_type: 'OTHER', algorithm }],
    ['asymmetric-sign', { message, algorithm: 'RSASSA_PKCS1_SHA_256' }],
    ['asymmetric-sign', { message }],
    ['asymmetric-sign', { algorithm }],
    ['asymmetric-verify', { message, algorithm, signature: 'no base64' }],
  ] as const
  for (const [call, body] of bad)
    expect(await datacust().call(known, rsa, call, body), JSON.stringify(body)).toEqual(BAD)
  const longest = { message: base64(randomBytes(4_096)), algorithm }
  expect((await datacust().call(known, rsa, 'asymmetric-sign', longest)).status).toBe(200)
})

test('a key answers only the calls of its kind', async () => {
  const plaintext = base64('text')
  const sealed = await datacust().calls(known, aes, 'symmetric-encrypt', { plaintext })
  const oaep = { plaintext, ciphertext: base64(randomBytes(384)), algorithm: 'RSAES_OAEP_SHA_256' }
  const pss = { message: plaintext, signature: plaintext, algorithm: 'RSASSA_PSS_SHA_256' }
  const { key_version_id: _, ...parts } = sealed
  for (const [call, body] of [
    ['symmetric-encrypt', { plaintext }],
    ['symmetric-decrypt', parts],
    ['generate-random-bytes', { length: 16 }],
  ] as const)
    expect(await datacust().call(known, rsa, call, body), call).toEqual(BAD)
  for (const [call, body] of [
    ['get-public-key', {}],
    ['asymmetric-encrypt', oaep],
    ['asymmetric-decrypt', oaep],
    ['asymmetric-sign', pss],
    ['asymmetric-verify', pss],
  ] as const)
    expect(await datacust().call(known, aes, call, body), call).toEqual(BAD)
})

test('an iv of the caller is refused, and no encryption repeats one', async () => {
  const plaintext = base64('text')
  const own = { plaintext, iv: base64(randomBytes(12)) }
  expect(await datacust().call(known, aes, 'symmetric-encrypt', own)).toEqual(BAD)
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const at = `${new URL(known.store.keystore_url as string).pathname}/keys/${aes.id as string}/symmetric-encrypt`
  const body = { request_metadata: { sap_tenant_id: known.store.sap_tenant_id }, plaintext }
  const ivs = new Set<string>()
  for (let round = 0; round < 2; round++) {
    const ask = () => requestOverTls(datacust().vault.service, known.certified, 'POST', at, { body, agent })
    for (const answered of await Promise.all(Array.from({ length: 200 }, ask))) ivs.add(String(answered.body.iv))
  }
  agent.destroy()
  expect(ivs.size).toBe(400) // below the burst of the key store's quota
})

test('after a new version old data decrypts with its version id, and calls without one use the new version', async () => {
  const key = await datacust().key(known)
  const old = await datacust().calls(known, key, 'symmetric-encrypt', { plaintext: base64('old') })
  const renewed = await datacust().acts(KEYS, key, 'versions', {})
  expect(renewed.version_id).not.toBe(key.version_id)
  expect(await datacust().calls(known, key, 'symmetric-decrypt', old)).toMatchObject({ plaintext: base64('old') })
  const fresh = await datacust().calls(known, key, 'symmetric-encrypt', { plaintext: base64('new') })
  expect(fresh.key_version_id).toBe(renewed.version_id)
  expect(await datacust().calls(known, key, 'get-metadata')).toMatchObject({ key_version_id: renewed.version_id })
  const listed = await datacust().calls(known, key, 'get-versions-metadata')
  expect(listed).toMatchObject({ skip: 0, limit: 10, total: 2 })
  expect(listed.resources.map(({ id }: any) => id)).toEqual([renewed.version_id, key.version_id])
  const [newest, oldest] = listed.resources
  const after = async (body: object): Promise<string[]> =>
    (await datacust().calls(known, key, 'get-versions-metadata', body)).resources.map(({ id }: any) => id)
  expect(await after({ created_after: oldest.created_at })).toEqual([newest.id])
  expect(await after({ created_after: newest.created_at })).toEqual([])
  expect(await after({ skip: 1 })).toEqual([oldest.id])
  expect(await after({ key_version_id: oldest.id })).toEqual([oldest.id])
  for (const bad of [{ limit: 0 }, { limit: 101 }, { skip: -1 }, { created_after: 'yesterday' }])
    expect(await datacust().call(known, key, 'get-versions-metadata', bad), JSON.stringify(bad)).toEqual(BAD)
})

test('only calls that the local key permits are possible', async () => {
  const { id } = await datacust().rsaKey({ usageMask: 3 })
  const signing = await datacust().key(known, { source_key_identifier: id })
  expect(await datacust().calls(known, signing, 'get-metadata')).toMatchObject({ key_ops: ['SIGN', 'VERIFY'] })
  const oaep = { plaintext: base64('text'), algorithm: 'RSAES_OAEP_SHA_256' }
  expect(await datacust().call(known, signing, 'asymmetric-encrypt', oaep)).toEqual(BAD)
})

test('an inspection proves which external key encrypted, with AES and with RSA', async () => {
  const { admin } = datacust().vault
  const plaintext = base64('a secret of the platform')
  const { ciphertext, iv, tag } = await datacust().calls(known, aes, 'symmetric-encrypt', { plaintext })
  const answer = await inspected(admin, { ciphertext, iv, tag })
  expect(answer).toMatchObject({
    kind: 'ciphertext of an external key',
    proof: 'authenticated',
    endpoint: { kind: 'external key store', id: known.store.id },
    key: { id: aes.id },
    local_key: { id: aes.source_key_id },
    can_be_opened: true,
  })
  const sealed = { algorithm: 'RSAES_OAEP_SHA_256', plaintext }
  const { ciphertext: encrypted } = await datacust().calls(known, rsa, 'asymmetric-encrypt', sealed)
  expect(await inspected(admin, { ciphertext: encrypted })).toMatchObject({ key: { id: rsa.id } })
  expect((await tryInspect(admin, { ciphertext, iv, tag: iv })).body).toEqual({ recognized: false })
})
