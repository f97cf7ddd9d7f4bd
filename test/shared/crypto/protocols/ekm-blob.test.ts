import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import fc from '../../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { BLOB_OVERHEAD_BYTES, openBlob, sealBlob, versionInBlob } from '../../../../shared/crypto/protocols/ekm-blob.ts'

const material = randomBytes(32)
const key = createSecretKey(material)
const of = { id: 'ab'.repeat(32), version: 0x01020304 }
const iv = Buffer.from('000102030405060708090a0b', 'hex')

/** Each part, preceded by its length in four bytes. */
const joined = (...parts: Buffer[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(part.length)
      return [length, part]
    }),
  )

test('a blob is format, version, iv, ciphertext and tag, bound to label, version, key and additional data', () => {
  const [plaintext, aad] = [Buffer.from('plain'), Buffer.from('bound')]
  const bound = joined(
    Buffer.from('keymgr ekm blob'),
    Buffer.of(1),
    Buffer.from('01020304', 'hex'),
    Buffer.from(of.id),
    aad,
  )
  const cipher = createCipheriv('aes-256-gcm', material, iv).setAAD(bound)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  const wanted = Buffer.concat([Buffer.from('0101020304', 'hex'), iv, ciphertext, cipher.getAuthTag()])
  const blob = sealBlob(key, of, plaintext, iv, aad)
  expect(blob.equals(wanted)).toBe(true)
  expect(versionInBlob(blob)).toBe(of.version)
})

test('a blob opens only with the same key, version and data', () => {
  const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 80 }).map((array) => Buffer.from(array))
  fc.assert(
    fc.property(bytes(1), bytes(0), (plaintext, aad) => {
      const blob = sealBlob(key, of, plaintext, randomBytes(12), aad)
      expect(blob.length).toBe(plaintext.length + BLOB_OVERHEAD_BYTES)
      expect(openBlob(key, of, blob, aad).equals(plaintext)).toBe(true)
      const invalid = expect.objectContaining({ reason: 'CIPHERTEXT_INVALID' })
      const wrongly = [
        () => openBlob(createSecretKey(randomBytes(32)), of, blob, aad),
        () => openBlob(key, { ...of, version: 1 }, blob, aad),
        () => openBlob(key, { ...of, id: 'cd'.repeat(32) }, blob, aad),
        () => openBlob(key, of, blob, Buffer.concat([aad, Buffer.of(0)])),
      ]
      for (const open of wrongly) expect(open).toThrow(invalid)
    }),
    { numRuns: 50 },
  )
})

test.each([0, 1, 5, 17, BLOB_OVERHEAD_BYTES])('%i bytes are no blob', (length) => {
  expect(() => versionInBlob(Buffer.alloc(length, 1))).toThrow(
    expect.objectContaining({ reason: 'CIPHERTEXT_INVALID' }),
  )
})

test('a blob of another format is refused', () => {
  const blob = sealBlob(key, of, Buffer.from('x'), iv, Buffer.alloc(0))
  for (const format of [0, 2, 255]) {
    blob.writeUInt8(format, 0)
    expect(() => versionInBlob(blob)).toThrow(expect.objectContaining({ reason: 'CIPHERTEXT_INVALID' }))
  }
})
