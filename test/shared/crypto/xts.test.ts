import { createCipheriv } from 'node:crypto'
import { expect, test } from 'vitest'
import { LOCAL_ALGORITHMS } from '../../../shared/crypto/algorithms.ts'
import { bytesInFormat, exportMaterial } from '../../../shared/crypto/material/export-material.ts'
import { encryptJwe, materialFromJwe } from '../../../shared/crypto/jose/jwe.ts'
import { importMaterial, materialFromBytes } from '../../../shared/crypto/material/import-material.ts'
import { generateMaterial, keyCheckValue, type KeyMaterial } from '../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'
import { unwrap, wrap, WRAPPINGS } from '../../../shared/crypto/wrap.ts'
import { randomXts, xtsHalves } from '../../../shared/crypto/xts.ts'
import { refused } from './refused.ts'

const { aes, aria, rsa } = LOCAL_ALGORITHMS
const bytesOf = ({ bytes }: KeyMaterial): Buffer => bytes.use((own) => Buffer.from(own))
const DATA_KEY = '11'.repeat(16)
const TWEAK_KEY = '22'.repeat(16)
const imported = (material: string, more: object = {}) =>
  importMaterial({ algorithm: 'aes', xts: true, material, ...more })

test.each([256, 128])(
  'an xts key of %i bits has twice as much material, is exported and imported again',
  async (size) => {
    const material = await generateMaterial(aes, { sizeBits: size, xts: true })
    expect(material).toMatchObject({ algorithm: 'aes', sizeBits: size, xts: true })
    const bytes = bytesOf(material)
    expect(bytes.length).toBe(size / 4)
    expect(bytes.subarray(0, size / 8).equals(bytes.subarray(size / 8))).toBe(false)
    expect(bytesOf(await imported(await exportMaterial(material), { sizeBits: size }))).toEqual(bytes)
    const again = await materialFromBytes({ algorithm: 'aes', xts: true, bytes: bytesInFormat(material, 'raw') })
    expect(again).toMatchObject({ sizeBits: size, xts: true })
  },
)

test('a JWE has both halves in one JWK', async () => {
  const [key, kek] = [await imported(DATA_KEY + TWEAK_KEY), await generateMaterial(aes)]
  const text = await encryptJwe(key, { key: kek })
  const opened = await materialFromJwe(text, { key: kek }, { algorithm: 'aes', xts: true })
  expect(opened).toMatchObject({ xts: true, sizeBits: 128 })
  expect(bytesOf(opened)).toEqual(bytesOf(key))
})

test('256 bits is the default size', async () => {
  expect((await generateMaterial(aes, { xts: true })).sizeBits).toBe(256)
})

test('the halves are the data key and the tweak key of IEEE 1619, in this order', async () => {
  const [dataKey, tweakKey] = xtsHalves((await imported(DATA_KEY + TWEAK_KEY)).bytes)
  const encrypted = (key: SecretBytes, block: Buffer) =>
    key.use((bytes) => createCipheriv('aes-128-ecb', bytes, null).update(block))
  const xored = (one: Buffer, other: Buffer) => Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))
  // IEEE 1619-2007, appendix B, vector 2: the first block of the data unit 33 33 33 33 33
  const tweak = encrypted(tweakKey, Buffer.from('3333333333'.padEnd(32, '0'), 'hex'))
  const block = xored(encrypted(dataKey, xored(Buffer.alloc(16, 0x44), tweak)), tweak)
  expect(block.toString('hex')).toBe('c454185e6a16936e39334038acef838b')
})

test('the check value depends on both halves', async () => {
  const values = await Promise.all(
    [DATA_KEY + TWEAK_KEY, TWEAK_KEY + DATA_KEY, DATA_KEY + '33'.repeat(16)].map(async (hex) =>
      keyCheckValue(await imported(hex)),
    ),
  )
  expect(new Set(values).size).toBe(3)
  const tweak = createCipheriv('aes-128-ecb', Buffer.from(TWEAK_KEY, 'hex'), null).update(Buffer.alloc(16))
  const inner = createCipheriv('aes-128-ecb', Buffer.from(DATA_KEY, 'hex'), null).update(tweak)
  expect(values[0]).toBe(Buffer.from(inner.map((byte, at) => byte ^ (tweak[at] ?? 0))).toString('hex', 0, 3))
})

test.each([
  ['equal halves', DATA_KEY + DATA_KEY, {}, 'differ'],
  ['halves of 192 bits', '11'.repeat(24) + '22'.repeat(24), {}, '256, 128'],
  ['one half', DATA_KEY, {}, '256, 128'],
  ['halves of 132 bits', '11'.repeat(33), {}, '256, 128'],
  ['halves of another size', DATA_KEY + TWEAK_KEY, { sizeBits: 256 }, 'size'],
  ['another algorithm', DATA_KEY + TWEAK_KEY, { algorithm: 'aria' }, 'aria'],
])('refuses %s', async (_what, material, more, names) => {
  expect(await refused('RULE_BROKEN', () => imported(material, more))).toContain(names)
})

test.each([
  [aes, 192],
  [aria, 256],
  [rsa, 2048],
])('refuses %o of %i bits', async (row, sizeBits) => {
  expect(await refused('RULE_BROKEN', () => generateMaterial(row, { sizeBits, xts: true }))).toContain('xts')
})

test('equal halves are generated again, a limited number of times', () => {
  const drawn = [Buffer.alloc(64, 1), Buffer.from('11'.repeat(32) + '22'.repeat(32), 'hex')]
  const bytes = randomXts(256, () => SecretBytes.take(drawn.shift() ?? Buffer.alloc(0)))
  expect(bytes.use((own) => own[63])).toBe(0x22)
  expect(() => randomXts(256, () => SecretBytes.take(Buffer.alloc(64)))).toThrow('random source')
})

test('an xts key wraps nothing, though one of 128 bits is as long as an AES-256 key', async () => {
  const key = await imported(DATA_KEY + TWEAK_KEY)
  const row = WRAPPINGS['AES/AESKEYWRAPPADDING']
  await refused('RULE_BROKEN', () => wrap(row, key, Buffer.alloc(16)))
  await refused('RULE_BROKEN', () => unwrap(row, key, Buffer.alloc(24)))
  expect(await refused('RULE_BROKEN', () => encryptJwe(key, { key }))).toContain('xts')
})
