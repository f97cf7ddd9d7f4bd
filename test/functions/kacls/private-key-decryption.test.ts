import { constants, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import files from '../../vectors/key-files.json' with { type: 'json' }
import { BOB, refused, spkiHashOf, useKacls, type CallOptions, type KaclsAnswer } from './kacls.ts'

const kacls = useKacls()

const PEM = files.keys.rsa.pem
const SPKI = spkiHashOf(PEM)
const PKCS1 = 'RSA/ECB/PKCS1Padding'
const OAEP = [
  ['RSA/ECB/OAEPwithSHA-1andMGF1Padding', 'sha1'],
  ['RSA/ECB/OAEPwithSHA-256andMGF1Padding', 'sha256'],
  ['RSA/ECB/OAEPwithSHA-512andMGF1Padding', 'sha512'],
] as const
const LABEL = Buffer.from('a label')

let endpoint: any
let blob: string
beforeAll(async () => {
  endpoint = await kacls().create()
  await kacls().change(endpoint, { allow_privileged_unwrap: true })
  blob = await kacls().wrappedPrivateKey(endpoint, PEM)
})

const encrypted = (bytes: Buffer, options: object): string =>
  publicEncrypt({ key: createPublicKey(PEM), ...options }, bytes).toString('base64')
const inOaep = (bytes: Buffer, oaepHash: string, oaepLabel = Buffer.alloc(0)): string =>
  encrypted(bytes, { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash, oaepLabel })
const inPkcs1 = (bytes: Buffer): string => encrypted(bytes, { padding: constants.RSA_PKCS1_PADDING })

const decrypt = (ciphertext: string, members: object = {}, options: CallOptions = {}): Promise<KaclsAnswer> => {
  const usual = { algorithm: PKCS1, encrypted_data_encryption_key: ciphertext, wrapped_private_key: blob }
  return kacls().mail(endpoint, 'privatekeydecrypt', SPKI, { ...usual, ...members }, options)
}
const takeout = (ciphertext: string, members: object = {}, options: CallOptions = {}, at: any = endpoint) =>
  kacls().privileged(
    at,
    'privilegedprivatekeydecrypt',
    {
      algorithm: PKCS1,
      encrypted_data_encryption_key: ciphertext,
      wrapped_private_key: blob,
      spki_hash: SPKI,
      spki_hash_algorithm: 'SHA-256',
      ...members,
    },
    options,
  )
const opened = (bytes: Buffer): object =>
  expect.objectContaining({
    status: 200,
    body: { data_encryption_key: bytes.toString('base64') },
  })

test.each([16, 24, 32, 64])('a content key of %i bytes under PKCS #1', async (bytes) => {
  const key = randomBytes(bytes)
  expect(await decrypt(inPkcs1(key))).toEqual(opened(key))
  expect(await takeout(inPkcs1(key), {}, { email: BOB })).toEqual(opened(key))
})

test.each(OAEP)('decrypts a content key under %s, with a label and without', async (algorithm, hash) => {
  const key = randomBytes(32)
  const labelled = { algorithm, rsa_oaep_label: LABEL.toString('base64') }
  expect(await decrypt(inOaep(key, hash), { algorithm })).toEqual(opened(key))
  expect(await decrypt(inOaep(key, hash), { algorithm: algorithm.toUpperCase() })).toEqual(opened(key))
  expect(await decrypt(inOaep(key, hash, LABEL), labelled)).toEqual(opened(key))
  expect(await takeout(inOaep(key, hash, LABEL), labelled)).toEqual(opened(key))
})

test('another label, hash or padding of OAEP, and another length, get one refusal', async () => {
  const key = randomBytes(32)
  const [, [algorithm, hash]] = OAEP
  const label = LABEL.toString('base64')
  const answers = [
    await decrypt(inOaep(key, hash, LABEL), { algorithm }),
    await decrypt(inOaep(key, hash), { algorithm, rsa_oaep_label: label }),
    await decrypt(inOaep(key, 'sha1'), { algorithm }),
    await decrypt(inPkcs1(key), { algorithm }),
    await decrypt(randomBytes(256).toString('base64'), { algorithm }),
    await decrypt(randomBytes(255).toString('base64'), { algorithm }),
    await decrypt(randomBytes(257).toString('base64'), {}),
  ]
  for (const answered of answers) expect(answered).toEqual(refused(400))
  expect(new Set(answers.map(({ body }) => body.message)).size).toBe(1)
})

test('100 malformed ciphertexts of PKCS #1 are answered like good ones, each always alike', async () => {
  const tokens = {
    authentication: await kacls().authentication(),
    authorization: await kacls().authorization(endpoint, {
      issuer: 'gmail',
      what: { role: 'decrypter', spki_hash: SPKI, spki_hash_algorithm: 'SHA-256' },
    }),
  }
  const good = await decrypt(inPkcs1(randomBytes(32)), {}, tokens)
  const malformed = Array.from({ length: 100 }, (_, index) => {
    const bytes = randomBytes(256)
    if (index % 4 === 0) bytes.fill(0xff, 0, 8) // not below the modulus
    return bytes.toString('base64')
  })
  const keys = new Set<string>()
  for (const ciphertext of malformed) {
    const answered = await decrypt(ciphertext, {}, tokens)
    expect({ ...answered, headers: Object.keys(answered.headers), text: '' }).toEqual({
      status: 200,
      headers: Object.keys(good.headers),
      text: '',
      body: { data_encryption_key: expect.any(String) },
    })
    keys.add(answered.body.data_encryption_key as string)
  }
  expect(keys.size).toBeGreaterThan(95) // a few results are short, and equal by chance
  for (const ciphertext of malformed.slice(0, 8)) {
    const [first, again] = [await decrypt(ciphertext, {}, tokens), await takeout(ciphertext)]
    expect(first.body).toEqual(again.body)
  }
})

test.each([
  ['an unknown algorithm', { algorithm: 'RSA/ECB/NoPadding' }, 400],
  ['the name of a signature', { algorithm: 'SHA256withRSA' }, 400],
  ['no algorithm', { algorithm: null }, 400],
  ['no ciphertext', { encrypted_data_encryption_key: '' }, 400],
  ['a ciphertext that is no base64', { encrypted_data_encryption_key: 'a key!' }, 400],
  ['a label that is no base64', { rsa_oaep_label: 'a label!' }, 400],
  ['no private key', { wrapped_private_key: '' }, 400],
])('%s is refused', async (_what, members, status) => {
  const ciphertext = inPkcs1(randomBytes(32))
  expect(await decrypt(ciphertext, members)).toEqual(refused(status))
  expect(await takeout(ciphertext, members)).toEqual(refused(status))
})

const OTHER = spkiHashOf(files.keys['rsa-3072'].pem)

test('the public key’s hash is compared, in the token and in an export', async () => {
  const ciphertext = inPkcs1(randomBytes(32))
  const withHash = (spki_hash?: string, spki_hash_algorithm?: string) => ({ what: { spki_hash, spki_hash_algorithm } })
  expect(await decrypt(ciphertext, {}, withHash(OTHER, 'SHA-256'))).toEqual(refused(403))
  expect(await decrypt(ciphertext, {}, withHash(undefined, 'SHA-256'))).toEqual(refused(403))
  expect(await decrypt(ciphertext, {}, withHash(SPKI, 'SHA-1'))).toEqual(refused(400))
  expect(await takeout(ciphertext, { spki_hash: OTHER })).toEqual(refused(403))
  expect(await takeout(ciphertext, { spki_hash: null })).toEqual(refused(403))
  expect(await takeout(ciphertext, { spki_hash_algorithm: null })).toEqual(refused(403))
  expect(await takeout(ciphertext, { spki_hash_algorithm: 'SHA-1' })).toEqual(refused(400))
})

test('only the decrypter, as the same person in both tokens, decrypts', async () => {
  const ciphertext = inPkcs1(randomBytes(32))
  for (const role of ['signer', 'reader', 'writer', 'upgrader'])
    expect(await decrypt(ciphertext, {}, { what: { role } }), role).toEqual(refused(403))
  expect(await decrypt(ciphertext, {}, { email: BOB, what: { email: 'ada@shop.example.test' } })).toEqual(refused(403))
})

test('an export needs the endpoint’s permission, a listed user, and the perimeter of exports', async () => {
  const own = await kacls().create()
  const wrapped_private_key = await kacls().wrappedPrivateKey(own, PEM, { perimeter_id: 'inside' })
  const statusOf = async (options: CallOptions = {}) =>
    (await takeout(inPkcs1(randomBytes(32)), { wrapped_private_key }, options, own)).status
  expect(await statusOf()).toBe(403)
  await kacls().change(own, { allow_privileged_unwrap: true })
  kacls().letPass()
  expect(await statusOf({ email: BOB })).toBe(200)
  await kacls().put(own.id as string, 'privileged-unwrap-configuration', { users: ['Ada@shop.example.test'] })
  kacls().letPass()
  expect([await statusOf(), await statusOf({ email: BOB })]).toEqual([200, 403])
  await kacls().setPerimeter(
    own,
    'package p\n\nallow if {\n\tinput.operation == "takeout_unwrap"\n\tinput.perimeter_id == "takeout"\n}\n',
  )
  expect(await statusOf()).toBe(200)
  await kacls().setPerimeter(own, 'package p\n\nallow if input.perimeter_id == "inside"\n')
  expect(await statusOf()).toBe(403)
})
