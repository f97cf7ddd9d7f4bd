import { createPublicKey } from 'node:crypto'
import fc from '../../support/fast-check.ts'
import { beforeAll, expect, test } from 'vitest'
import { LOCAL_ALGORITHMS } from '../../../shared/crypto/algorithms.ts'
import { asKeyObject, generateMaterial, publicOf } from '../../../shared/crypto/key-material.ts'
import type { KeyMaterial } from '../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'
import { WRAPPINGS, unwrap, wrap, wrappingNamed } from '../../../shared/crypto/wrap.ts'
import type { WrappingRow } from '../../../shared/crypto/wrap.ts'
import vectors from '../../vectors/key-wrap.json' with { type: 'json' }
import { refused } from './refused.ts'

const hex = (text: string) => SecretBytes.take(Buffer.from(text, 'hex'))
const shown = (secret: SecretBytes) => secret.use((bytes) => bytes.toString('hex'))
const aes = (key: string): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: key.length * 4,
  bytes: hex(key),
})
const KW = WRAPPINGS['AES/AESKEYWRAP']
const KWP = WRAPPINGS['AES/AESKEYWRAPPADDING']

let keks: { aes: KeyMaterial; rsa: KeyMaterial }
beforeAll(async () => {
  keks = { aes: await generateMaterial(LOCAL_ALGORITHMS.aes), rsa: await generateMaterial(LOCAL_ALGORITHMS.rsa) }
})

test.each([
  ...vectors.rfc3394.tests.map((vector) => ({ ...vector, rfc: 'RFC 3394', row: KW })),
  ...vectors.rfc5649.tests.map((vector) => ({ ...vector, rfc: 'RFC 5649', row: KWP })),
])('wraps and unwraps the vector of $rfc section $section', ({ row, key, msg, ct }) => {
  expect(wrap(row, aes(key), hex(msg)).toString('hex')).toBe(ct)
  expect(shown(unwrap(row, aes(key), Buffer.from(ct, 'hex')))).toBe(msg)
})

test.each([
  ...vectors.wycheproofKw.tests.map((vector) => ({ ...vector, row: KW })),
  ...vectors.wycheproofKwp.tests.map((vector) => ({ ...vector, row: KWP })),
])('accepts Wycheproof $row.name $tcId as $result', async ({ row, key, msg, ct, result }) => {
  if (result === 'valid') {
    expect(wrap(row, aes(key), hex(msg)).toString('hex')).toBe(ct)
    expect(shown(unwrap(row, aes(key), Buffer.from(ct, 'hex')))).toBe(msg)
  } else {
    await refused('CIPHERTEXT_INVALID', () => unwrap(row, aes(key), Buffer.from(ct, 'hex')))
  }
})

test.each(vectors.wycheproofKw.tests.filter(({ ct }) => ct === ''))(
  'AES-KW refuses to wrap material of a length it cannot carry (Wycheproof $tcId)',
  async ({ key, msg }) => {
    expect(await refused('RULE_BROKEN', () => wrap(KW, aes(key), hex(msg)))).toContain('multiples of 8')
  },
)

const ROWS: [string, WrappingRow][] = [
  ...Object.entries(WRAPPINGS),
  ...['oaep', 'oaep384', 'oaep512'].map((padding): [string, WrappingRow] => [
    `RSA-AES with ${padding}`,
    wrappingNamed({ wrappingEncryptionAlgo: 'RSA/RSAAESKEYWRAPPADDING', wrapPublicKeyPadding: padding }),
  ]),
]
const PADDED = new Set(['pkcs1'])

test.each(ROWS)('%s unwraps its own output, for every supported length', (name, row) => {
  const lengths =
    name === 'AES/AESKEYWRAP' ? fc.integer({ min: 2, max: 16 }).map((n) => n * 8) : fc.integer({ min: 1, max: 126 })
  fc.assert(
    fc.property(lengths, (length) => {
      const material = SecretBytes.random(length)
      const wrapped = wrap(row, keks[row.kek], material)
      expect(shown(unwrap(row, keks[row.kek], wrapped))).toBe(shown(material))
    }),
    { numRuns: 40 },
  )
})

test.each(ROWS.filter(([name]) => !PADDED.has(name)))(
  '%s gives the same refusal for a flipped bit, a shorter or longer input and another key',
  async (_name, row) => {
    const wrapped = wrap(row, keks[row.kek], SecretBytes.random(32))
    const other = await generateMaterial(LOCAL_ALGORITHMS[row.kek])
    const flipped = (bit: number) => {
      const copy = Buffer.from(wrapped)
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      return copy
    }
    const bits = Array.from({ length: 40 }, (_, index) => (index * 53) % (wrapped.length * 8))
    const attempts = [
      ...bits.map((bit) => () => unwrap(row, keks[row.kek], flipped(bit))),
      ...[0, 1, 8, 16, 24, wrapped.length - 8, wrapped.length - 1].map(
        (length) => () => unwrap(row, keks[row.kek], wrapped.subarray(0, length)),
      ),
      () => unwrap(row, keks[row.kek], Buffer.concat([wrapped, Buffer.alloc(8)])),
      () => unwrap(row, other, wrapped),
    ]
    const sentences = await Promise.all(attempts.map((attempt) => refused('CIPHERTEXT_INVALID', attempt)))
    expect(new Set(sentences)).toEqual(new Set(['the ciphertext cannot be opened with this key']))
  },
)

test('a changed pkcs1 padding gives other bytes or the one refusal, never the material', () => {
  const row = WRAPPINGS.pkcs1
  const material = SecretBytes.random(32)
  const wrapped = wrap(row, keks.rsa, material)
  wrapped[200] = (wrapped[200] ?? 0) ^ 1
  let answer = ''
  try {
    answer = shown(unwrap(row, keks.rsa, wrapped))
  } catch (refusal) {
    expect(refusal).toMatchObject({ reason: 'CIPHERTEXT_INVALID' })
  }
  expect(answer).not.toBe(shown(material))
})

test.each([
  ['pkcs1', 245],
  ['oaep', 214],
  ['oaep256', 190],
  ['oaep384', 158],
  ['oaep512', 126],
] as const)('%s under RSA 2048 takes %i bytes and refuses one more with a sentence', async (name, most) => {
  const row = WRAPPINGS[name]
  expect(wrap(row, keks.rsa, SecretBytes.random(most))).toHaveLength(256)
  const sentence = await refused('RULE_BROKEN', () => wrap(row, keks.rsa, SecretBytes.random(most + 1)))
  expect(sentence).toContain(`at most ${most} bytes`)
})

test('a public key wraps, as material and as a key object, and only its private half unwraps', async () => {
  const material = SecretBytes.random(32)
  for (const kek of [publicOf(keks.rsa), createPublicKey(asKeyObject(keks.rsa))]) {
    const wrapped = wrap(WRAPPINGS.oaep256, kek, material)
    expect(shown(unwrap(WRAPPINGS.oaep256, keks.rsa, wrapped))).toBe(shown(material))
    await refused('RULE_BROKEN', () => unwrap(WRAPPINGS.oaep256, kek, wrapped))
  }
})

test('RSA-AES wraps a whole private key: RSA-OAEP block first, then the padded wrap of RFC 5649', () => {
  const row = WRAPPINGS['RSA/RSAAESKEYWRAPPADDING']
  const wrapped = wrap(row, keks.rsa, keks.rsa.bytes)
  const ephemeral = unwrap(WRAPPINGS.oaep256, keks.rsa, wrapped.subarray(0, 256))
  expect(ephemeral.length).toBe(32)
  expect(shown(unwrap(KWP, aes(shown(ephemeral)), wrapped.subarray(256)))).toBe(shown(keks.rsa.bytes))
})

test.each([
  ['an AES key for an RSA row', 'oaep256', 'aes'],
  ['an RSA key for an AES row', 'AES/AESKEYWRAP', 'rsa'],
] as const)('refuses %s', async (_what, name, kek) => {
  await refused('RULE_BROKEN', () => wrap(WRAPPINGS[name], keks[kek], SecretBytes.random(32)))
})

test('refuses an HMAC key as a wrapping key, and empty material', async () => {
  const hmac = await generateMaterial(LOCAL_ALGORITHMS['hmac-sha256'])
  await refused('RULE_BROKEN', () => wrap(KW, hmac, SecretBytes.random(32)))
  for (const row of [KW, KWP]) await refused('RULE_BROKEN', () => wrap(row, keks.aes, SecretBytes.random(0)))
  await refused('RULE_BROKEN', () => wrap(WRAPPINGS.oaep, keks.rsa, SecretBytes.random(0)))
})

test.each([
  [{ wrappingEncryptionAlgo: 'aes/aeskeywrap' }, 'AES/AESKEYWRAP'],
  [{ wrapPublicKeyPadding: 'OAEP256' }, 'oaep256'],
  [{ wrappingEncryptionAlgo: 'RSA/RSAAESKEYWRAPPADDING' }, 'RSA/RSAAESKEYWRAPPADDING'],
  [{ wrappingEncryptionAlgo: 'RSA/RSAAESKEYWRAPPADDING', wrapPublicKeyPadding: 'oaep' }, 'RSA/RSAAESKEYWRAPPADDING'],
])('%o names a wrapping', (wanted, name) => {
  expect(wrappingNamed(wanted).name).toBe(name)
})

test.each([
  [{}, 'must be given'],
  [{ wrappingEncryptionAlgo: 'AES/CBC' }, 'wrappingEncryptionAlgo'],
  [{ wrapPublicKeyPadding: 'none' }, 'wrapPublicKeyPadding'],
  [{ wrapPublicKeyPadding: 'constructor' }, 'wrapPublicKeyPadding'],
  [{ wrappingEncryptionAlgo: 'AES/AESKEYWRAP', wrapPublicKeyPadding: 'oaep' }, 'does not go with'],
  [{ wrappingEncryptionAlgo: 'RSA/RSAAESKEYWRAPPADDING', wrapPublicKeyPadding: 'pkcs1' }, 'oaep'],
])('%o names no wrapping', async (wanted, names) => {
  expect(await refused('RULE_BROKEN', () => wrappingNamed(wanted))).toContain(names)
})
