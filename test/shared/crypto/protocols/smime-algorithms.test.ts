import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, hash, randomBytes, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import {
  decryptContentKey,
  mostSaltBytes,
  signGivenDigest,
  smimeDecryption,
  smimeSignature,
} from '../../../../shared/crypto/protocols/smime-algorithms.ts'
import files from '../../../vectors/key-files.json' with { type: 'json' }
import rejection from '../../../vectors/rsa-implicit-rejection.json' with { type: 'json' }
import oaep from '../../../vectors/rsa-oaep.json' with { type: 'json' }
import { refused } from '../refused.ts'

const KEYS = {
  2048: createPrivateKey(files.keys.rsa.pem),
  3072: createPrivateKey(files.keys['rsa-3072'].pem),
  4096: createPrivateKey(files.keys['rsa-4096'].pem),
}
const key = KEYS[2048]
const MODULUS_BYTES = 256
const NONE = Buffer.alloc(0)

const folder = mkdtempSync(join(tmpdir(), 'smime-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fileOf = (name: string, bytes: string | Buffer): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** Runs `openssl pkeyutl` with the public key, as an independent check. */
function pkeyutl(of: KeyObject, input: Buffer, verb: readonly string[], options: readonly string[]): Buffer {
  const pem = createPublicKey(of).export({ format: 'pem', type: 'spki' })
  const pairs = options.flatMap((option) => ['-pkeyopt', option])
  const command = ['pkeyutl', ...verb, '-pubin', '-inkey', fileOf('public.pem', pem), ...pairs]
  return execFileSync('openssl', command, { input, stdio: 'pipe' })
}

const verifies = (of: KeyObject, digest: Buffer, signature: Buffer, options: readonly string[]): boolean => {
  try {
    pkeyutl(of, digest, ['-verify', '-sigfile', fileOf('signature', signature)], options)
    return true
  } catch {
    return false
  }
}

const signatureNamed = (name: string) => smimeSignature(name) ?? expect.fail(`${name} is unknown`)
const decryptionNamed = (name: string) => smimeDecryption(name) ?? expect.fail(`${name} is unknown`)

const HASHES = ['sha1', 'sha256', 'sha512'] as const

test.each([...HASHES.map((name) => [name, 2048] as const), ['sha256', 3072] as const, ['sha256', 4096] as const])(
  'PKCS #1 signatures over a digest of %s under %i bits verify elsewhere',
  (name, bits) => {
    const digest = hash(name, 'a message', 'buffer')
    const signature = signGivenDigest(signatureNamed(`${name.toUpperCase()}withRSA`), KEYS[bits], digest)
    expect(signature.length).toBe(bits / 8)
    const options = ['rsa_padding_mode:pkcs1', `digest:${name}`]
    expect(verifies(KEYS[bits], digest, signature, options)).toBe(true)
    expect(verifies(KEYS[bits], hash(name, 'another', 'buffer'), signature, options)).toBe(false)
  },
)

const pssOptions = (name: string, saltBytes: number) => [
  'rsa_padding_mode:pss',
  `digest:${name}`,
  `rsa_mgf1_md:${name}`,
  `rsa_pss_saltlen:${saltBytes}`,
]

test.each([
  ...HASHES.flatMap((name) => [0, 20, undefined, 'most' as const].map((salt) => [name, salt, 2048] as const)),
  ['sha256', 20, 3072] as const,
  ['sha512', undefined, 4096] as const,
])('PSS signatures over a digest of %s with a salt of %s bytes under %i bits verify elsewhere', (name, salt, bits) => {
  const row = signatureNamed(`${name}withRSA/PSS`)
  const digest = hash(name, 'a message', 'buffer')
  const given = salt === 'most' ? mostSaltBytes(row, KEYS[bits]) : salt
  const signature = signGivenDigest(row, KEYS[bits], digest, given)
  expect(signature.length).toBe(bits / 8)
  const saltBytes = given ?? digest.length
  expect(verifies(KEYS[bits], digest, signature, pssOptions(name, saltBytes))).toBe(true)
  expect(verifies(KEYS[bits], digest, signature, pssOptions(name, saltBytes === 0 ? 1 : saltBytes - 1))).toBe(false)
})

test('the longest salt leaves two bytes beside hash and salt; a longer one and another digest are errors', () => {
  const row = signatureNamed('SHA512withRSA/PSS')
  expect(mostSaltBytes(row, key)).toBe(256 - 64 - 2)
  expect(row.digestBytes).toBe(64)
  for (const saltBytes of [191, -1, Number.NaN])
    expect(() => signGivenDigest(row, key, Buffer.alloc(64), saltBytes)).toThrow(RangeError)
  expect(() => signGivenDigest(row, key, Buffer.alloc(32))).toThrow(RangeError)
})

test.each([
  ['RSA/ECB/PKCS1Padding', 2048, ['rsa_padding_mode:pkcs1'], ''],
  ...HASHES.flatMap((name) =>
    ['', '00ff6c6162656c'].map((label) => {
      const spelled = name.replace('sha', 'SHA-')
      const options = ['rsa_padding_mode:oaep', `rsa_oaep_md:${name}`, `rsa_mgf1_md:${name}`]
      return [`RSA/ECB/OAEPwith${spelled}andMGF1Padding`, 2048, options, label] as const
    }),
  ),
  ['RSA/ECB/OAEPwithSHA-256andMGF1Padding', 3072, ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256'], '6c'],
  ['RSA/ECB/PKCS1Padding', 4096, ['rsa_padding_mode:pkcs1'], ''],
] as const)('%s under %i bits opens what was encrypted elsewhere', async (name, bits, options, label) => {
  const contentKey = randomBytes(32)
  const labelled = label === '' ? options : [...options, `rsa_oaep_label:${label}`]
  const ciphertext = pkeyutl(KEYS[bits], contentKey, ['-encrypt'], labelled)
  const row = decryptionNamed(name)
  expect(decryptContentKey(row, KEYS[bits], ciphertext, Buffer.from(label, 'hex'))).toEqual(contentKey)
  if (row.oaepHash === undefined) return
  const other = Buffer.from(`${label}00`, 'hex')
  await refused('CIPHERTEXT_INVALID', () => decryptContentKey(row, KEYS[bits], ciphertext, other))
})

test('OAEP answers the published vectors', () => {
  const own = createPrivateKey({ key: oaep.key, format: 'jwk' })
  const row = decryptionNamed('RSA/ECB/OAEPwithSHA-256andMGF1Padding')
  for (const { ct, msg } of oaep.valid)
    expect(decryptContentKey(row, own, Buffer.from(ct, 'hex'), NONE).toString('hex')).toBe(msg)
})

test.each([
  ['RSA/ECB/PKCS1Padding', [0, 1, 128, 255, 257]],
  ['RSA/ECB/OAEPwithSHA-1andMGF1Padding', [0, 1, 128, 255, 257, 256]],
])('%s refuses ciphertexts of %j bytes alike', async (name, lengths) => {
  const attempts = lengths.map(
    (length) => () => decryptContentKey(decryptionNamed(name), key, randomBytes(length), NONE),
  )
  const sentences = await Promise.all(attempts.map((attempt) => refused('CIPHERTEXT_INVALID', attempt)))
  expect(new Set(sentences).size).toBe(1)
})

const pkcs1 = decryptionNamed('RSA/ECB/PKCS1Padding')

test.each(rejection.tests)('implicit rejection answers vector $section, $what', ({ ciphertext, plaintext }) => {
  const own = createPrivateKey(rejection.key)
  expect(decryptContentKey(pkcs1, own, Buffer.from(ciphertext, 'hex'), NONE).toString('hex')).toBe(plaintext)
})

test('1,000 malformed ciphertexts of PKCS #1 are all answered, each deterministically and differently', () => {
  const [first, second] = [KEYS[2048], createPrivateKey(files.keys.rsa.pem)]
  const edges = [Buffer.alloc(MODULUS_BYTES), Buffer.alloc(MODULUS_BYTES, 0xff), Buffer.alloc(MODULUS_BYTES)]
  edges[2]?.writeUInt8(1, MODULUS_BYTES - 1)
  const seen: Buffer[] = []
  for (const ciphertext of [...edges, ...Array.from({ length: 1_000 }, () => randomBytes(MODULUS_BYTES))]) {
    const plaintext = decryptContentKey(pkcs1, first, ciphertext, NONE)
    expect(plaintext.length).toBeLessThanOrEqual(MODULUS_BYTES - 11)
    expect(decryptContentKey(pkcs1, second, ciphertext, NONE).equals(plaintext)).toBe(true)
    seen.push(plaintext)
  }
  const long = seen.filter(({ length }) => length >= 16)
  expect(long.length).toBeGreaterThan(800)
  expect(new Set(long.map((bytes) => bytes.toString('hex'))).size).toBe(long.length)
})

test('a ciphertext plus the modulus counts as another one', () => {
  const { n = '' } = key.export({ format: 'jwk' })
  const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`)
  for (;;) {
    const ciphertext = pkeyutl(key, Buffer.from('content key'), ['-encrypt'], [])
    const sum = (modulus + BigInt(`0x${ciphertext.toString('hex')}`)).toString(16)
    if (sum.length > 2 * MODULUS_BYTES) continue
    expect(decryptContentKey(pkcs1, key, ciphertext, NONE).toString()).toBe('content key')
    expect(decryptContentKey(pkcs1, key, Buffer.from(sum, 'hex'), NONE).toString()).not.toBe('content key')
    return
  }
})

test.each(['sha256WITHrsa', 'SHA256WITHRSA/pss'])('%s is a name in another case', (name) => {
  expect(smimeSignature(name)?.hash).toBe('sha256')
})

test.each(['', 'SHA384withRSA', 'SHA256withRSA/pss ', 'MD5withRSA', 'toString', 'RSA/ECB/PKCS1Padding'])(
  'no signature is named "%s"',
  (name) => expect(smimeSignature(name)).toBeUndefined(),
)

test.each(['', 'RSA/ECB/NoPadding', 'RSA/ECB/OAEPwithSHA-384andMGF1Padding', 'SHA256withRSA', '__proto__'])(
  'no decryption is named "%s"',
  (name) => expect(smimeDecryption(name)).toBeUndefined(),
)
