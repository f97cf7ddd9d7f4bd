import { generateKeyPairSync, getCiphers } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  LOCAL_ALGORITHMS,
  NOT_OFFERED,
  algorithmNamed,
  allowsSize,
  curveNamed,
  findAlgorithm,
  findCurve,
  requireSize,
  usageSummary,
} from '../../../shared/crypto/algorithms.ts'
import { ALL_USAGE, USAGE } from '../../../shared/crypto/usage.ts'
import { asKeyObject, generateMaterial, publicOf } from '../../../shared/crypto/key-material.ts'
import { SIGNATURES, sign, verify } from '../../../shared/crypto/signing/sign.ts'
import { refused } from './refused.ts'

const curves = LOCAL_ALGORITHMS.ec.curves ?? []

test('the usage bits are powers of two in order and sum up to all', () => {
  expect(Object.values(USAGE)).toEqual(Array.from({ length: 22 }, (_, bit) => 2 ** bit))
  expect(Object.values(USAGE).reduce((sum, bit) => sum + bit, 0)).toBe(ALL_USAGE)
})

test.each([
  [0, ''],
  [60, 'encryption/wrap'],
  [15, 'encryption/signing'],
  [384, 'mac'],
  [USAGE.export | USAGE.derive, ''],
  [ALL_USAGE, 'encryption/signing/mac/wrap/fpe'],
])('usage mask %i reads %j', (mask, summary) => {
  expect(usageSummary(mask)).toBe(summary)
})

test.each([
  ['aes', 60],
  ['rsa', 15],
  ['ec', 3],
  ['ml-dsa', 3],
  ['ml-kem', 48],
  ['hmac-sha1', 384],
  ['hmac-sha512', 384],
] as const)('%s is used by default as mask %i', (name, mask) => {
  expect(LOCAL_ALGORITHMS[name].defaultUsage).toBe(mask)
})

test.each([
  ['aes', [256, 192, 128], [64, 512, 255]],
  ['aria', [256, 192, 128], [64, 512]],
  ['tdes', [192, 128], [64, 168, 112]],
  ['rsa', [2048, 1024, 3072, 4096], [512, 2047, 8192]],
  ['ml-dsa', [65, 44, 87], [64, 2]],
  ['ml-kem', [768, 512, 1024], [256]],
  ['hmac-sha1', [160, 128, 136, 512], [120, 132, 161, 520]],
  ['hmac-sha256', [256, 192, 128], [160, 512]],
  ['hmac-sha384', [384, 288, 192], [256]],
  ['hmac-sha512', [512, 384, 256], [128]],
] as const)('%s has the sizes %j and not %j', async (name, sizes, others) => {
  const row = LOCAL_ALGORITHMS[name]
  expect(row.sizesBits[0]).toBe(sizes[0])
  for (const size of sizes) expect(allowsSize(row, size)).toBe(true)
  for (const size of others) {
    expect(await refused('RULE_BROKEN', () => requireSize(row, size))).toContain(`size of ${name}`)
  }
})

test('algorithms and curves are found in any case, but not by inherited property names', () => {
  expect(findAlgorithm('AES')?.name).toBe('aes')
  expect(findAlgorithm('HMAC-SHA256')?.name).toBe('hmac-sha256')
  expect(findAlgorithm('constructor')).toBeUndefined()
  expect(findCurve(LOCAL_ALGORITHMS.ec, 'BRAINPOOLP256R1')?.id).toBe('brainpoolP256r1')
  expect(curveNamed(LOCAL_ALGORITHMS.ec, undefined).id).toBe('prime256v1')
})

test.each(Object.entries(NOT_OFFERED))('%s is refused by name, with its reason', async (name, reason) => {
  const sentence = await refused('RULE_BROKEN', () => algorithmNamed(name.toUpperCase()))
  expect(sentence).toContain(name)
  expect(sentence).toContain(reason)
})

test('seed is not among the ciphers of the runtime, and those that are offered are', () => {
  const ciphers = getCiphers()
  expect(ciphers.filter((name) => /seed/i.test(name))).toEqual([])
  for (const { block, sizesBits } of Object.values(LOCAL_ALGORITHMS))
    for (const size of sizesBits) if (block) expect(ciphers).toContain(block.ecbName(size))
})

test.each(['', 'des', 'toString'])('unknown algorithm %j is refused with the list of those there are', async (name) => {
  expect(await refused('RULE_BROKEN', () => algorithmNamed(name))).toContain('hmac-sha512')
})

test('the refusal of an unknown curve lists the known ones', async () => {
  const sentence = await refused('RULE_BROKEN', () => curveNamed(LOCAL_ALGORITHMS.ec, 'secp192k1'))
  expect(sentence).toContain('secp224k1')
})

test.each(curves.map((curve) => [curve.id, curve] as const))(
  'keys of curve %s are generated, sign and verify',
  async (id, curve) => {
    const material = await generateMaterial(LOCAL_ALGORITHMS.ec, { curve: id.toUpperCase() })
    expect(material).toMatchObject({ objectType: 'Private Key', algorithm: 'ec', curve: id, sizeBits: curve.sizeBits })
    const key = asKeyObject(material)
    expect(key.asymmetricKeyType).toBe(curve.keyType)
    expect(key.asymmetricKeyDetails?.namedCurve).toBe(curve.opensslName)
    const row = curve.keyType === 'ed25519' ? SIGNATURES.ed25519 : SIGNATURES['ecdsa-sha256']
    const data = Buffer.from('data', 'utf8')
    expect(verify(row, publicOf(material), data, sign(row, material, data))).toBe(true)
  },
)

test('the runtime names its curves as the table does', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  expect(privateKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
})
