import { createCipheriv, createHash, createPublicKey } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { LOCAL_ALGORITHMS } from '../../../shared/crypto/algorithms.ts'
import type { AlgorithmName } from '../../../shared/crypto/algorithms.ts'
import { bytesInFormat, exportMaterial } from '../../../shared/crypto/material/export-material.ts'
import { importMaterial, materialFromBytes } from '../../../shared/crypto/material/import-material.ts'
import {
  asKeyObject,
  fingerprints,
  generateMaterial,
  keyCheckValue,
  publicOf,
} from '../../../shared/crypto/key-material.ts'
import type { KeyMaterial } from '../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../shared/crypto/secret-bytes.ts'
import { refused } from './refused.ts'

const hexOf = (material: KeyMaterial) => material.bytes.use((bytes) => bytes.toString('hex'))
const same = (a: KeyMaterial, b: KeyMaterial) => {
  expect({ ...a, bytes: hexOf(a) }).toEqual({ ...b, bytes: hexOf(b) })
}

const SYMMETRIC = Object.values(LOCAL_ALGORITHMS).filter(({ objectType }) => objectType === 'Symmetric Key')
const ASYMMETRIC: [string, KeyMaterial][] = [
  ...(await Promise.all(
    LOCAL_ALGORITHMS.rsa.sizesBits.map(async (sizeBits): Promise<[string, KeyMaterial]> => [
      `rsa ${sizeBits}`,
      await generateMaterial(LOCAL_ALGORITHMS.rsa, { sizeBits }),
    ]),
  )),
  ...(await Promise.all(
    (LOCAL_ALGORITHMS.ec.curves ?? []).map(async ({ id }): Promise<[string, KeyMaterial]> => [
      id,
      await generateMaterial(LOCAL_ALGORITHMS.ec, { curve: id }),
    ]),
  )),
  ...(await Promise.all(
    [LOCAL_ALGORITHMS['ml-dsa'], LOCAL_ALGORITHMS['ml-kem']].flatMap((row) =>
      row.sizesBits.map(async (sizeBits): Promise<[string, KeyMaterial]> => [
        `${row.name} ${sizeBits}`,
        await generateMaterial(row, { sizeBits }),
      ]),
    ),
  )),
]
const named = (name: string): KeyMaterial => {
  const found = ASYMMETRIC.find(([each]) => each === name)
  if (found === undefined) throw new Error(`no key ${name}`)
  return found[1]
}

test.each(SYMMETRIC.flatMap((row) => row.sizesBits.map((size) => [row.name, size] as const)))(
  '%s of %i bits is made, exported and imported again',
  async (name: AlgorithmName, sizeBits) => {
    const material = await generateMaterial(LOCAL_ALGORITHMS[name], { sizeBits })
    expect(material).toMatchObject({ objectType: 'Symmetric Key', algorithm: name, sizeBits })
    expect(material.bytes.length).toBe(sizeBits / 8)
    for (const encoding of ['hex', 'base64'] as const) {
      const text = await exportMaterial(material, { encoding })
      same(await importMaterial({ algorithm: name, encoding, material: text, sizeBits }), material)
    }
    same(await materialFromBytes({ algorithm: name, bytes: bytesInFormat(material, 'raw') }), material)
  },
)

test.each(SYMMETRIC)('$name is generated in its default size', async (row) => {
  expect((await generateMaterial(row)).sizeBits).toBe(row.sizesBits[0])
})

test.each(ASYMMETRIC)('%s is exported and imported again in every form, both halves', async (_name, material) => {
  const { algorithm, curve, sizeBits } = material
  for (const half of [material, publicOf(material)]) {
    const pem = await exportMaterial(half)
    same(await importMaterial({ algorithm, material: pem, format: 'pkcs8', curve, sizeBits }), half)
    const der = await exportMaterial(half, { encoding: 'base64' })
    same(await importMaterial({ algorithm, material: der, encoding: 'base64' }), half)
    same(await materialFromBytes({ algorithm, bytes: bytesInFormat(half, 'pkcs8') }), half)
  }
})

test.each(ASYMMETRIC.filter(([name]) => name !== 'curve25519' && !name.startsWith('ml-')))(
  '%s has a form called pkcs1',
  async (_name, material) => {
    const { algorithm } = material
    const pem = await exportMaterial(material, { format: 'pkcs1' })
    expect(pem).toMatch(/^-----BEGIN (RSA|EC) PRIVATE KEY-----\n/)
    same(await importMaterial({ algorithm, material: pem, format: 'pkcs1' }), material)
    same(await materialFromBytes({ algorithm, format: 'pkcs1', bytes: bytesInFormat(material, 'pkcs1') }), material)
  },
)

test('an RSA public key has a pkcs1 form, other public keys have none', async () => {
  const half = publicOf(named('rsa 2048'))
  const pem = await exportMaterial(half, { format: 'pkcs1' })
  expect(pem).toContain('-----BEGIN RSA PUBLIC KEY-----')
  same(await importMaterial({ algorithm: 'rsa', material: pem }), half)
  for (const other of [publicOf(named('prime256v1')), named('curve25519')]) {
    await refused('RULE_BROKEN', () => exportMaterial(other, { format: 'pkcs1' }))
  }
})

test.each(['rsa 2048', 'prime256v1', 'brainpoolP512t1', 'curve25519'])(
  '%s goes through a PFX and through encrypted PKCS #8, with the right password only',
  async (name) => {
    const material = named(name)
    const { algorithm } = material
    const password = 'pässwörd€'
    for (const format of ['pkcs12', 'pkcs8'] as const) {
      const text = await exportMaterial(material, { format, password })
      same(await importMaterial({ algorithm, format, material: text, password }), material)
      for (const wrong of ['passwort', undefined]) {
        await refused('RULE_BROKEN', () => importMaterial({ algorithm, format, material: text, password: wrong }))
      }
    }
  },
)

test('an empty password is refused', async () => {
  const aes = await generateMaterial(LOCAL_ALGORITHMS.aes)
  const password = 'secret'
  await refused('RULE_BROKEN', () => exportMaterial(aes, { password }))
  await refused('RULE_BROKEN', () => exportMaterial(named('rsa 2048'), { format: 'pkcs1', password }))
  await refused('RULE_BROKEN', () => exportMaterial(publicOf(named('rsa 2048')), { password }))
  for (const none of [undefined, '']) {
    await refused('RULE_BROKEN', () => exportMaterial(named('rsa 2048'), { format: 'pkcs12', password: none }))
  }
  await refused('RULE_BROKEN', () => exportMaterial(publicOf(named('rsa 2048')), { format: 'pkcs12', password }))
})

test('a key is refused in the format of another kind', async () => {
  const aes = await generateMaterial(LOCAL_ALGORITHMS.aes)
  await refused('RULE_BROKEN', () => exportMaterial(aes, { format: 'pkcs8' }))
  await refused('RULE_BROKEN', () => exportMaterial(named('rsa 2048'), { format: 'raw' }))
})

test('fingerprints are those of the SubjectPublicKeyInfo, the same for both halves, and none for symmetric keys', async () => {
  const material = named('prime256v1')
  const spki = createPublicKey(asKeyObject(material)).export({ format: 'der', type: 'spki' })
  const digest = (hash: string) => createHash(hash).update(spki).digest('hex')
  expect(fingerprints(material)).toEqual({ sha1: digest('sha1'), sha256: digest('sha256') })
  expect(fingerprints(publicOf(material))).toEqual(fingerprints(material))
  expect(fingerprints(await generateMaterial(LOCAL_ALGORITHMS.aes))).toBeUndefined()
})

test.each([
  // AES of a zero block under a zero key: McGrew and Viega, GCM, appendix B, test cases 1, 7 and 13 (H)
  ['aes', '00'.repeat(16), '66e94b'],
  ['aes', '00'.repeat(24), 'aae069'],
  ['aes', '00'.repeat(32), 'dc95c0'],
  // the double-length test key of ANSI X9 and PCI documents
  ['tdes', '0123456789abcdeffedcba9876543210', '08d7b4'],
  // HMAC pads a short key with zeros, so this is the well-known HMAC-SHA-256 of an empty message with an empty key
  ['hmac-sha256', '00'.repeat(32), 'b61367'],
])('the check value of %s key %s is %s', async (algorithm, material, kcv) => {
  expect(keyCheckValue(await importMaterial({ algorithm, material }))).toBe(kcv)
})

test.each([
  // RFC 5794, appendix A
  [128, 'd718fbd6ab644c739da95f3be6451778'],
  [192, '26449c1805dbe7aa25a468ce263a9e79'],
  [256, 'f92bd7c79fb72e2f2b8f80c1972d24fc'],
])('aria of %i bits matches the standard', (sizeBits, block) => {
  const key = Buffer.from(Array.from({ length: sizeBits / 8 }, (_, at) => at))
  const cipher = createCipheriv(LOCAL_ALGORITHMS.aria.block?.ecbName(sizeBits) ?? '', key, null)
  expect(cipher.update('00112233445566778899aabbccddeeff', 'hex', 'hex')).toBe(block)
})

test.each([192, 128])('tdes keys of %i bits are generated with odd parity, and imported with any', async (sizeBits) => {
  const material = await generateMaterial(LOCAL_ALGORITHMS.tdes, { sizeBits })
  const onesOf = (byte: number) => byte.toString(2).replaceAll('0', '').length
  expect([...Buffer.from(hexOf(material), 'hex')].filter((byte) => onesOf(byte) % 2 === 0)).toEqual([])
  const even = (await importMaterial({ algorithm: 'tdes', material: '0022446688aacceefedcba9876543210' })).bytes
  expect(even.use((bytes) => bytes.toString('hex'))).toBe('0022446688aacceefedcba9876543210')
})

test('asymmetric keys have no check value, symmetric ones no public half', () => {
  expect(keyCheckValue(named('prime256v1'))).toBeUndefined()
  expect(() => publicOf({ ...named('prime256v1'), objectType: 'Symmetric Key' })).toThrow(TypeError)
})

test('material shows no bytes when printed', async () => {
  const material = await generateMaterial(LOCAL_ALGORITHMS.aes)
  const printed = `${JSON.stringify(material)} ${inspect(material, { showHidden: true, depth: 9 })}`
  expect(printed).toContain('[secret]')
  expect(printed).not.toContain(hexOf(material))
})

test('unwrapped bytes are destroyed once read, and when they are refused', async () => {
  const bytes = bytesInFormat(named('prime256v1'), 'pkcs8')
  await materialFromBytes({ algorithm: 'ec', bytes })
  expect(() => bytes.use(() => 0)).toThrow(RangeError)
  const short = SecretBytes.random(15)
  await refused('RULE_BROKEN', () => materialFromBytes({ algorithm: 'aes', bytes: short }))
  expect(() => short.use(() => 0)).toThrow(RangeError)
})
