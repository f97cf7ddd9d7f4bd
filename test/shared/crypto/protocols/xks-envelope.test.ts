import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  decryptEnvelope,
  encryptEnvelope,
  encryptVerified,
  gcmAad,
  integrityValue,
  type Envelope,
  type EnvelopeSteps,
} from '../../../../shared/crypto/protocols/xks-envelope.ts'
import vectors from '../../../vectors/external-key-store.json' with { type: 'json' }
import { refused } from '../refused.ts'

const { iv, plaintext, ciphertext, cases } = vectors.encryptions
const key = createSecretKey(Buffer.from(Array.from({ length: 32 }, (_, at) => at)))
const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64')

test.each(cases)('vector $name: layout of the AAD, ciphertext, tag and integrity value', (vector) => {
  const [aad, metadata] = [bytes(vector.aad), bytes(vector.metadata)]
  expect(gcmAad(aad, metadata).toString('hex')).toBe(vector.gcmAad)
  const made = encryptVerified(key, bytes(plaintext), { iv: bytes(iv), aad, metadata })
  expect(made.envelope.ciphertext.toString('base64')).toBe(ciphertext)
  expect(made.envelope.tag.toString('base64')).toBe(vector.tag)
  expect(made.integrityValue).toBe(vector.integrityValue)
  expect(decryptEnvelope(key, made.envelope)).toEqual(bytes(plaintext))
})

const steps: EnvelopeSteps = { encrypt: encryptEnvelope, integrity: integrityValue, decrypt: decryptEnvelope }
const flipped = (value: Buffer): Buffer => {
  const changed = Buffer.from(value)
  changed[0] = (changed[0] ?? 0) ^ 1
  return changed
}

const PARTS = ['ciphertext', 'iv', 'tag', 'aad', 'metadata'] as const

test.each(PARTS)('a corruption of the %s after encryption, before or after the digest, is not answered', (part) => {
  const bound = { iv: randomBytes(12), aad: Buffer.from('aad'), metadata: Buffer.of(1, 2) }
  const corrupt = (envelope: Envelope): Envelope => ({ ...envelope, [part]: flipped(envelope[part]) })
  const inPlace = (envelope: Envelope): string => {
    const digest = integrityValue(envelope)
    envelope[part].set(flipped(envelope[part]))
    return digest
  }
  const afterEncryption: EnvelopeSteps = { ...steps, encrypt: (...given) => corrupt(encryptEnvelope(...given)) }
  expect(() => encryptVerified(key, Buffer.from('plain'), bound, afterEncryption)).toThrow('does not decrypt')
  const afterDigest: EnvelopeSteps = { ...steps, integrity: inPlace }
  expect(() => encryptVerified(key, Buffer.from('plain'), bound, afterDigest)).toThrow('does not decrypt')
})

test('a ciphertext that decrypts to another plaintext is not returned', () => {
  const another: EnvelopeSteps = { ...steps, decrypt: () => Buffer.from('other') }
  const bound = { iv: randomBytes(12) }
  expect(() => encryptVerified(key, Buffer.from('plain'), bound, another)).toThrow('decrypts to something else')
})

test('the digest is taken before the test decryption, over the answered values', () => {
  const order: string[] = []
  const seen: Envelope[] = []
  const noted: EnvelopeSteps = {
    encrypt: (...given) => (order.push('encrypt'), encryptEnvelope(...given)),
    integrity: (envelope) => (order.push('integrity'), seen.push(envelope), integrityValue(envelope)),
    decrypt: (of, envelope) => (order.push('decrypt'), seen.push(envelope), decryptEnvelope(of, envelope)),
  }
  const { envelope } = encryptVerified(key, Buffer.from('plain'), { iv: randomBytes(12) }, noted)
  expect(order).toEqual(['encrypt', 'integrity', 'decrypt'])
  expect(seen.every((one) => one === envelope)).toBe(true)
})

test.each(PARTS)('a changed %s gets the same refusal as any other change', async (part) => {
  const bound = { iv: randomBytes(12), aad: Buffer.from('aad'), metadata: Buffer.of(1, 2) }
  const envelope = encryptEnvelope(key, Buffer.from('plain'), bound)
  await refused('CIPHERTEXT_INVALID', () => decryptEnvelope(key, { ...envelope, [part]: flipped(envelope[part]) }))
})
