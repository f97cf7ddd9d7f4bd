import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  openFields,
  sealFields,
  versionInBlob,
  type BlobFields,
  type BlobOf,
} from '../../../../shared/crypto/protocols/kacls-blob.ts'
import fc from '../../../support/fast-check.ts'
import { refused } from '../refused.ts'

const material = randomBytes(32)
const kek = createSecretKey(material)
const of: BlobOf = { kind: 'dek', endpoint: 'endpoint-1', key: { id: 'ab'.repeat(32), version: 0x01020304 } }
const iv = Buffer.from('000102030405060708090a0b', 'hex')
const fields: BlobFields = [Buffer.from('key'), Buffer.from('//resource'), Buffer.alloc(0)]

const prefixed = (lengthBytes: 2 | 4, ...parts: Buffer[]): Buffer =>
  Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(lengthBytes)
      length.writeUIntBE(part.length, 0, lengthBytes)
      return [length, part]
    }),
  )

/** A blob of any plaintext, created without the tested code. */
function blobOf(plaintext: Buffer, header = '010101020304'): Buffer {
  const bound = [Buffer.from('keymgr kacls blob'), Buffer.from(header, 'hex'), Buffer.from(of.endpoint)]
  const cipher = createCipheriv('aes-256-gcm', material, iv)
  cipher.setAAD(prefixed(4, ...bound, Buffer.from(of.key.id)))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([Buffer.from(header, 'hex'), iv, ciphertext, cipher.getAuthTag()])
}

test('a blob is format, kind, version, iv, ciphertext and tag, bound to label, header, endpoint and key', () => {
  expect(sealFields(kek, of, fields, iv)).toEqual(blobOf(prefixed(2, ...fields)))
  const wrapped = sealFields(kek, { ...of, kind: 'private-key' }, fields, iv)
  expect(wrapped).toEqual(blobOf(prefixed(2, ...fields), '010201020304'))
  expect(versionInBlob(wrapped, 'private-key')).toBe(of.key.version)
})

test('a blob opens to its fields, only with the same key, kind, version and endpoint', async () => {
  const bytes = fc.uint8Array({ maxLength: 700 }).map((array) => Buffer.from(array))
  const kinds = fc.constantFrom('dek', 'private-key')
  await fc.assert(
    fc.asyncProperty(bytes, bytes, bytes, kinds, async (first, second, third, kind) => {
      const own: BlobOf = { ...of, kind }
      const blob = sealFields(kek, own, [first, second, third], randomBytes(12))
      expect(blob.length).toBe(6 + 12 + 16 + 3 * 2 + first.length + second.length + third.length)
      expect(versionInBlob(blob, kind)).toBe(of.key.version)
      expect(openFields(kek, own, blob)).toEqual([first, second, third])
      const attempts = [
        () => openFields(createSecretKey(randomBytes(32)), own, blob),
        () => openFields(kek, { ...own, kind: kind === 'dek' ? 'private-key' : 'dek' }, blob),
        () => openFields(kek, { ...own, endpoint: 'endpoint-2' }, blob),
        () => openFields(kek, { ...own, key: { ...own.key, version: 0 } }, blob),
        () => openFields(kek, { ...own, key: { ...own.key, id: 'cd'.repeat(32) } }, blob),
      ]
      const sentences = await Promise.all(attempts.map((attempt) => refused('CIPHERTEXT_INVALID', attempt)))
      expect(new Set(sentences).size).toBe(1)
    }),
    { numRuns: 50 },
  )
})

test('every changed bit, every truncation and an added byte are refused alike', async () => {
  const blob = sealFields(kek, of, [randomBytes(32), Buffer.from('//resource'), Buffer.from('perimeter')], iv)
  const damaged = [
    ...Array.from({ length: blob.length * 8 }, (_, bit) => {
      const changed = Buffer.from(blob)
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      return changed
    }),
    ...Array.from({ length: blob.length }, (_, length) => blob.subarray(0, length)),
    Buffer.concat([blob, Buffer.alloc(1)]),
  ]
  const sentences = new Set<string>()
  for (const bytes of damaged) sentences.add(await refused('CIPHERTEXT_INVALID', () => openFields(kek, of, bytes)))
  expect(sentences.size).toBe(1)
})

test.each([0, 1, 2, 6, 18, 34, 39])('%i bytes are no blob', async (length) => {
  const bytes = Buffer.alloc(length, 1)
  await refused('CIPHERTEXT_INVALID', () => versionInBlob(bytes, 'dek'))
  await refused('CIPHERTEXT_INVALID', () => openFields(kek, of, bytes))
})

test.each([
  ['all empty', Buffer.alloc(6), true],
  ['two fields', prefixed(2, Buffer.from('key'), Buffer.from('resource')), false],
  ['four fields', prefixed(2, ...fields, Buffer.from('more')), false],
  ['a byte after the fields', Buffer.concat([prefixed(2, ...fields), Buffer.alloc(1)]), false],
  ['a length beyond the end', Buffer.from('0001ff0001ff0002ff', 'hex'), false],
  ['half a length', Buffer.from('0001ff0001ff00', 'hex'), false],
])('our blobs have three fields: %s', async (_what, plaintext, opens) => {
  const blob = blobOf(plaintext)
  if (opens) expect(openFields(kek, of, blob).map(({ length }) => length)).toEqual([0, 0, 0])
  else await refused('CIPHERTEXT_INVALID', () => openFields(kek, of, blob))
})

test('a field of 65,535 bytes is sealed, a longer one is a fault', () => {
  const seal = (length: number) => sealFields(kek, of, [Buffer.alloc(length, 7), fields[1], fields[2]], iv)
  expect(openFields(kek, of, seal(65_535))[0].equals(Buffer.alloc(65_535, 7))).toBe(true)
  expect(() => seal(65_536)).toThrow(RangeError)
})

test('the caller’s fields stay unchanged, and zeroing an opened field leaves no copy of it', () => {
  const key = Buffer.from('key')
  const blob = sealFields(kek, of, [key, fields[1], fields[2]], iv)
  expect(key.toString()).toBe('key')
  const opened = openFields(kek, of, blob)
  opened[0].fill(0)
  expect(Buffer.from(opened[0].buffer).includes('key')).toBe(false)
})
