import { constants, createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import files from '../../vectors/key-files.json' with { type: 'json' }
import { BOB, KEY_PAIR, refused, spkiHashOf, useKacls, type CallOptions } from './kacls.ts'

const kacls = useKacls()

const PEMS = { 2048: files.keys.rsa.pem, 3072: files.keys['rsa-3072'].pem, 4096: files.keys['rsa-4096'].pem }
type Bits = keyof typeof PEMS
const MESSAGE = Buffer.from('Content-Type: text/plain\r\n\r\nsigned')
const HASHES = [
  ['SHA1', 'sha1', 20],
  ['SHA256', 'sha256', 32],
  ['SHA512', 'sha512', 64],
] as const
const digestOf = (name: string): string => createHash(name).update(MESSAGE).digest('base64')

let endpoint: any
const blobs = {} as Record<Bits, string>
beforeAll(async () => {
  endpoint = await kacls().create()
  for (const bits of [2048, 3072, 4096] as const) blobs[bits] = await kacls().wrappedPrivateKey(endpoint, PEMS[bits])
})

/** A valid call signs the SHA-256 of the message. */
function sign(members: object = {}, options: CallOptions = {}, bits: Bits = 2048, at: any = endpoint) {
  const usual = { algorithm: 'SHA256withRSA', digest: digestOf('sha256'), wrapped_private_key: blobs[bits] }
  return kacls().mail(at, 'privatekeysign', spkiHashOf(PEMS[bits]), { ...usual, ...members }, options)
}

async function signature(members: object, bits: Bits): Promise<Buffer> {
  const { status, body } = await sign(members, {}, bits)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(Object.keys(body as object)).toEqual(['signature'])
  const bytes = Buffer.from(body.signature as string, 'base64')
  expect(bytes).toHaveLength(bits / 8)
  return bytes
}

/** Whether OpenSSL accepts the signature; for PSS with exactly this salt length. */
function isGood(bytes: Buffer, name: string, bits: Bits, saltLength?: number): boolean {
  const key = createPublicKey(PEMS[bits])
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
  return verify(name, MESSAGE, saltLength === undefined ? key : { key, ...pss }, bytes)
}

const ROWS = ([2048, 3072, 4096] as const).flatMap((bits) =>
  HASHES.map(([word, name, bytes]) => ({ bits, word, name, bytes })),
)

test.each(ROWS)('$bits bits sign a $word digest with both paddings', async ({ bits, word, name, bytes }) => {
  const digest = digestOf(name)
  expect(isGood(await signature({ algorithm: `${word}withRSA`, digest }, bits), name, bits)).toBe(true)
  const algorithm = `${word}withRSA/PSS`
  expect(isGood(await signature({ algorithm, digest }, bits), name, bits, bytes)).toBe(true)
  for (const salt of [0, 20, bytes, bits / 8 - bytes - 2]) {
    const signed = await signature({ algorithm, digest, rsa_pss_salt_length: salt }, bits)
    expect(isGood(signed, name, bits, salt), String(salt)).toBe(true)
    expect(isGood(signed, name, bits, salt + 1), String(salt)).toBe(false)
  }
})

test('names of algorithms are taken in any case, and digests as base64 for URLs without padding', async () => {
  const digest = Buffer.from(digestOf('sha256'), 'base64').toString('base64url')
  expect(isGood(await signature({ algorithm: 'sha256WITHrsa', digest }, 2048), 'sha256', 2048)).toBe(true)
})

test.each([
  ['another length of digest', { digest: digestOf('sha1') }],
  ['a byte too many', { digest: randomBytes(33).toString('base64') }],
  ['no digest', { digest: '' }],
  ['a digest that is no base64', { digest: 'a digest' }],
  ['an unknown algorithm', { algorithm: 'MD5withRSA' }],
  ['the name of a decryption', { algorithm: 'RSA/ECB/PKCS1Padding' }],
  ['a name of every object', { algorithm: 'constructor' }],
  ['no algorithm', { algorithm: null }],
  ['an algorithm that is no text', { algorithm: 1 }],
  ['a salt that is too long', { algorithm: 'SHA256withRSA/PSS', rsa_pss_salt_length: 223 }],
  ['a negative salt', { algorithm: 'SHA256withRSA/PSS', rsa_pss_salt_length: -1 }],
  ['half a byte of salt', { algorithm: 'SHA256withRSA/PSS', rsa_pss_salt_length: 1.5 }],
  ['a salt in words', { algorithm: 'SHA256withRSA/PSS', rsa_pss_salt_length: '20' }],
  ['no private key', { wrapped_private_key: null }],
])('%s is refused', async (_what, members) => {
  expect(await sign(members)).toEqual(refused(400))
})

test.each([
  ['of another key', { spki_hash: spkiHashOf(PEMS[3072]) }, 403],
  ['that is absent', { spki_hash: undefined }, 403],
  ['that is cut', { spki_hash: spkiHashOf(PEMS[2048]).slice(0, 40) }, 403],
  ['without an algorithm', { spki_hash_algorithm: undefined }, 403],
  ['of another algorithm', { spki_hash_algorithm: 'SHA-512' }, 400],
])('a public key’s hash %s is refused', async (_what, what, status) => {
  expect(await sign({}, { what })).toEqual(refused(status))
})

test('only the signer, as the same person in both tokens, signs', async () => {
  for (const role of ['decrypter', 'reader', 'writer', 'upgrader', 'verifier', 'migrator'])
    expect(await sign({}, { what: { role } }), role).toEqual(refused(403))
  expect(await sign({}, { email: BOB, what: { email: 'ada@shop.example.test' } })).toEqual(refused(403))
  expect((await sign({}, { issuer: 'drive', what: { resource_name: 'short' } })).status).toBe(200)
})

test('blobs of other kinds and endpoints, and broken ones, are all one refusal', async () => {
  const other = await kacls().create()
  const good = Buffer.from(blobs[2048], 'base64')
  const flipped = (at: number) =>
    Buffer.from(good.map((byte, index) => (index === at ? byte ^ 1 : byte))).toString('base64')
  const bad = [
    await kacls().wrapped(endpoint),
    await kacls().wrappedPrivateKey(other, PEMS[2048]),
    ...[0, 1, 5, 6, 20, 600, good.length - 1].map(flipped),
    good.subarray(0, -1).toString('base64'),
    good.subarray(0, 10).toString('base64'),
    randomBytes(1_300).toString('base64'),
  ]
  const messages = new Set<string>()
  for (const wrapped_private_key of bad) {
    const answered = await sign({ wrapped_private_key })
    expect(answered).toEqual(refused(400))
    messages.add(answered.body.message as string)
  }
  expect(messages.size).toBe(1)
})

test('a private key is no wrapped key of a document', async () => {
  const wrapped_key = blobs[2048]
  const what = { resource_name: KEY_PAIR }
  expect(await kacls().unwrap(endpoint, wrapped_key, { issuer: 'gmail', what })).toEqual(refused(400))
  expect(await kacls().migration(endpoint, 'digest', 'verifier', { wrapped_key }, { what })).toEqual(refused(400))
})

test('a private key is not refused for 16 KiB', async () => {
  const messageOf = async (bytes: number) => {
    const { status, body } = await sign({ wrapped_private_key: randomBytes(bytes).toString('base64') })
    expect(status).toBe(400)
    return body.message as string
  }
  for (const bytes of [8_500, 12_288, 16_384])
    expect(await messageOf(bytes)).toBe('The encrypted bytes cannot be decrypted.')
  expect(await messageOf(16_385)).toMatch(/longer/)
})

test('the perimeter that was sealed with the key decides, under the name of the call', async () => {
  const own = await kacls().create()
  const rule = (operation: string) =>
    `allow if {\n\tinput.operation == "${operation}"\n\tinput.perimeter_id == "inside"\n}\n`
  const blobOf = (perimeter_id: string) => kacls().wrappedPrivateKey(own, PEMS[2048], { perimeter_id })
  const [inside, outside] = [await blobOf('inside'), await blobOf('')]
  const statusOf = async (wrapped_private_key: string) =>
    (await sign({ wrapped_private_key }, { what: { perimeter_id: 'inside' } }, 2048, own)).status
  await kacls().setPerimeter(own, `package p\n\n${rule('privatekeysign')}`)
  expect([await statusOf(inside), await statusOf(outside)]).toEqual([200, 403])
  await kacls().setPerimeter(own, `package p\n\n${rule('privatekeydecrypt')}`)
  expect(await statusOf(inside)).toBe(403)
})

test('the record names the key pair and the message, and contains no key bytes', async () => {
  const what = { message_id: '<7@shop.example.test>' }
  expect((await sign({}, { what })).status).toBe(200)
  const line = { endpoint: endpoint.id, messageId: what.message_id }
  expect(await kacls().lines(1, line)).toMatchObject([
    { operation: 'privatekeysign', resource: KEY_PAIR, role: 'signer', version: 0, status: 200 },
  ])
})
