import { createSecretKey } from 'node:crypto'
import fc from '../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { SEAL_OVERHEAD_BYTES, aadOf, open, seal } from '../../../shared/crypto/aead.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'
import vectors from '../../vectors/aes-256-gcm.json' with { type: 'json' }
import { refused } from './refused.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const key = SecretBytes.random(32)
const none = Buffer.alloc(0)

test.each(vectors.gcmSpecification.tests)('opens test case $case of the GCM specification', (vector) => {
  const sealed = hex(vector.iv + vector.ct + vector.tag)
  expect(open(SecretBytes.take(hex(vector.key)), sealed, hex(vector.aad)).toString('hex')).toBe(vector.msg)
})

test.each(vectors.wycheproof.tests)('takes Wycheproof AES-GCM $tcId as $result', async (vector) => {
  const attempt = () =>
    open(SecretBytes.take(hex(vector.key)), hex(vector.iv + vector.ct + vector.tag), hex(vector.aad))
  if (vector.result === 'valid') expect(attempt().toString('hex')).toBe(vector.msg)
  else await refused('CIPHERTEXT_INVALID', attempt)
})

test('opens what it sealed, with raw bytes and with a key object alike', () => {
  const object = key.use(createSecretKey)
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (plaintext, aad) => {
      const sealed = seal(key, plaintext, aad)
      expect(sealed.length).toBe(plaintext.length + SEAL_OVERHEAD_BYTES)
      expect(open(object, sealed, aad)).toEqual(Buffer.from(plaintext))
      expect(open(key, seal(object, plaintext, aad), aad)).toEqual(Buffer.from(plaintext))
    }),
  )
})

test('never seals twice with the same iv', () => {
  const ivs = Array.from({ length: 1000 }, () => seal(key, none, none).subarray(0, 12).toString('hex'))
  expect(new Set(ivs).size).toBe(ivs.length)
})

test('refuses any flipped bit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), fc.nat(), async (plaintext, at) => {
      const sealed = seal(key, plaintext, none)
      const bit = at % (sealed.length * 8)
      sealed[bit >> 3] = (sealed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      await refused('CIPHERTEXT_INVALID', () => open(key, sealed, none))
    }),
  )
})

test('gives the same refusal for a wrong key, aad, tag or any shorter length', async () => {
  const aad = aadOf('domain', 'key')
  const sealed = seal(key, Buffer.from('plaintext', 'utf8'), aad)
  const attempts = [
    () => open(SecretBytes.random(32), sealed, aad),
    () => open(key, sealed, aadOf('domain', 'other')),
    () => open(key, Buffer.concat([sealed, Buffer.alloc(1)]), aad),
    ...Array.from({ length: sealed.length }, (_, length) => () => open(key, sealed.subarray(0, length), aad)),
  ]
  const sentences = await Promise.all(attempts.map((attempt) => refused('CIPHERTEXT_INVALID', attempt)))
  expect(new Set(sentences).size).toBe(1)
})

test.each([0, 16, 24, 31, 33])('a key of %i bytes is a fault, not a refusal', (length) => {
  const fault = new RangeError('an AES-256-GCM key has 32 bytes')
  expect(() => seal(SecretBytes.random(length), none, none)).toThrow(fault)
  expect(() => open(SecretBytes.random(length), Buffer.alloc(40), none)).toThrow(fault)
})

test('different lists of parts give different aads', () => {
  const parts = fc.array(fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      expect(aadOf(...a).equals(aadOf(...b))).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
  )
  expect(aadOf('ab', 'c')).not.toEqual(aadOf('a', 'bc'))
  expect(aadOf('a', '')).not.toEqual(aadOf('a'))
  expect(() => aadOf('\ud800')).toThrow(RangeError)
})
