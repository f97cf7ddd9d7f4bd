import { CompactEncrypt } from 'jose'
import * as crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { encryptJwe, materialFromJwe } from '../../../../shared/crypto/jose/jwe.ts'
import { importMaterial } from '../../../../shared/crypto/material/import-material.ts'
import { asKeyObject, type KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import vectors from '../../../vectors/key-files.json' with { type: 'json' }
import rfc7517 from '../../../vectors/jwe.json' with { type: 'json' }
import { refused } from '../refused.ts'

const { keys } = vectors
const { jwe, password, n, d } = rfc7517
const aes = (bytes: number): Promise<KeyMaterial> => importMaterial({ algorithm: 'aes', material: '5a'.repeat(bytes) })
const secret = () => importMaterial({ algorithm: 'aes', material: 'c3'.repeat(32) })
const imported = (algorithm: string, name: 'rsa' | 'ec' | 'ed'): Promise<KeyMaterial> =>
  importMaterial({ algorithm, material: keys[name].pem })
const hexOf = ({ bytes }: KeyMaterial): string => bytes.use((clear) => clear.toString('hex'))

test('opens the RSA key of RFC 7517, appendix C', async () => {
  const material = await materialFromJwe(jwe, { password }, { algorithm: 'rsa' })
  expect(material).toMatchObject({ objectType: 'Private Key', sizeBits: 2048 })
  expect(asKeyObject(material).export({ format: 'jwk' })).toMatchObject({ n, d })
  for (const wrong of ['', 'Thus from my lips'])
    await refused('CIPHERTEXT_INVALID', () => materialFromJwe(jwe, { password: wrong }, { algorithm: 'rsa' }))
  expect(await refused('RULE_BROKEN', () => materialFromJwe(jwe, { password }, { algorithm: 'ec' }))).toContain('ec')
  await refused('RULE_BROKEN', () => materialFromJwe(jwe, { password }, { algorithm: 'aes' }))
  await refused('RULE_BROKEN', () => materialFromJwe(jwe, { password }, { algorithm: 'opaque' }))
})

const unwrapped = (name: string, iv: string, kek: crypto.CipherKey, wrapped: Buffer): Buffer => {
  const decipher = crypto.createDecipheriv(name, kek, Buffer.from(iv, 'hex'))
  return Buffer.concat([decipher.update(wrapped), decipher.final()])
}
/** RFC 7516 §5.2 by hand, with the content encryption key that `cekOf` derives from header and encrypted key. */
function opened(text: string, cekOf: (header: any, wrapped: Buffer) => Buffer): { header: any; jwk: any } {
  const [protectedHeader = '', ...parts] = text.split('.')
  const [wrapped, iv, ciphertext, tag] = parts.map((part) => Buffer.from(part, 'base64url')) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  const header = JSON.parse(Buffer.from(protectedHeader, 'base64url').toString())
  const decipher = crypto.createDecipheriv('aes-256-gcm', cekOf(header, wrapped), iv)
  decipher.setAAD(Buffer.from(protectedHeader)).setAuthTag(tag)
  const clear = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  return { header, jwk: JSON.parse(clear.toString()) }
}

test.each([
  [16, 'A128KW'],
  [24, 'A192KW'],
  [32, 'A256KW'],
] as const)('under an AES key of %i bytes it is %s and A256GCM', async (bytes, alg) => {
  const key = await aes(bytes)
  const text = await encryptJwe(await secret(), { key })
  const { header, jwk } = opened(text, (_, wrapped) =>
    unwrapped(`id-aes${bytes * 8}-wrap`, 'a6a6a6a6a6a6a6a6', Buffer.alloc(bytes, 0x5a), wrapped),
  )
  expect(header).toEqual({ alg, enc: 'A256GCM', cty: 'jwk+json' })
  expect(jwk).toEqual({ kty: 'oct', k: Buffer.alloc(32, 0xc3).toString('base64url') })
  expect(hexOf(await materialFromJwe(text, { key }, { algorithm: 'aes', sizeBits: 256 }))).toBe('c3'.repeat(32))
  expect(
    await refused('RULE_BROKEN', async () =>
      materialFromJwe(text, { key: await aes(bytes === 16 ? 32 : 16) }, { algorithm: 'aes' }),
    ),
  ).toContain('alg')
})

test.each([
  [undefined, 'RSA-OAEP-256', 'sha256'],
  ['oaep', 'RSA-OAEP', 'sha1'],
  ['oaep384', 'RSA-OAEP-384', 'sha384'],
  ['oaep512', 'RSA-OAEP-512', 'sha512'],
])('under an RSA key with padding %s it is %s', async (padding, alg, oaepHash) => {
  const key = await imported('rsa', 'rsa')
  const text = await encryptJwe(await imported('ec', 'ec'), { key: crypto.createPublicKey(keys.rsa.pem), padding })
  const { header, jwk } = opened(text, (_, wrapped) => crypto.privateDecrypt({ key: keys.rsa.pem, oaepHash }, wrapped))
  expect(header).toMatchObject({ alg, enc: 'A256GCM' })
  expect(crypto.createPrivateKey({ key: jwk, format: 'jwk' }).export({ format: 'pem', type: 'pkcs8' })).toBe(
    keys.ec.pem,
  )
  expect(await materialFromJwe(text, { key }, { algorithm: 'ec' })).toMatchObject({ curve: 'prime256v1' })
  if (padding !== undefined) await materialFromJwe(text, { key, padding }, { algorithm: 'ec' })
  await refused('RULE_BROKEN', () =>
    materialFromJwe(text, { key, padding: padding === 'oaep' ? 'oaep256' : 'oaep' }, { algorithm: 'ec' }),
  )
})

test('a JWE under a password has 600,000 rounds; Ed25519 and public keys are exported and imported as JWK', async () => {
  const text = await encryptJwe(await imported('ec', 'ed'), { password })
  const { header, jwk } = opened(text, ({ alg, p2s, p2c }, wrapped) => {
    const salt = Buffer.concat([Buffer.from(`${alg}\0`), Buffer.from(p2s, 'base64url')])
    return unwrapped(
      'id-aes128-wrap',
      'a6a6a6a6a6a6a6a6',
      crypto.pbkdf2Sync(password, salt, p2c, 16, 'sha256'),
      wrapped,
    )
  })
  expect(header).toMatchObject({ alg: 'PBES2-HS256+A128KW', p2c: 600_000, enc: 'A256GCM' })
  expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519' })
  expect(await materialFromJwe(text, { password }, { algorithm: 'ec' })).toMatchObject({ curve: 'curve25519' })
  const key = await aes(32)
  const half = {
    algorithm: 'rsa',
    material: crypto.createPublicKey(keys.rsa.pem).export({ format: 'pem', type: 'spki' }).toString(),
  }
  const publicJwe = await encryptJwe(await importMaterial(half), { key })
  expect(await materialFromJwe(publicJwe, { key }, { algorithm: 'rsa' })).toMatchObject({ objectType: 'Public Key' })
})

const made = (content: unknown, header: object = {}, p2c?: number): Promise<string> => {
  const jwt = new CompactEncrypt(Buffer.from(JSON.stringify(content)))
  jwt.setProtectedHeader({ alg: 'A256KW', enc: 'A256GCM', ...header })
  if (p2c !== undefined) jwt.setKeyManagementParameters({ p2c })
  return jwt.encrypt(p2c === undefined ? Buffer.alloc(32, 0x5a) : Buffer.from(password))
}
const oct = { kty: 'oct', k: Buffer.alloc(32, 7).toString('base64url') }

test.each([
  ['a JWK set', { keys: [oct] }, {}],
  ['no JWK', 'text', {}],
  ['base64 with padding', { kty: 'oct', k: Buffer.alloc(32, 7).toString('base64') }, {}],
  ['an empty k', { kty: 'oct', k: '' }, {}],
  ['a key of another kind', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, {}],
  ['a direct key', oct, { alg: 'dir' }],
  ['GCM key wrap', oct, { alg: 'A256GCMKW' }],
  ['compression', oct, { zip: 'DEF' }],
])('refuses %s', async (_what, content, header) => {
  const text = await made(content, header)
  await refused('RULE_BROKEN', async () => materialFromJwe(text, { key: await aes(32) }, { algorithm: 'aes' }))
})

test('refuses an RSA key of three primes, a half that does not match, and rounds beyond the bounds', async () => {
  const { jwk } = opened(await encryptJwe(await imported('ec', 'ec'), { key: await aes(32) }), (_, wrapped) =>
    unwrapped('id-aes256-wrap', 'a6a6a6a6a6a6a6a6', Buffer.alloc(32, 0x5a), wrapped),
  )
  const open = async (text: string, algorithm = 'ec') => materialFromJwe(text, { key: await aes(32) }, { algorithm })
  await open(await made(jwk))
  await refused('RULE_BROKEN', async () => open(await made({ ...jwk, d: Buffer.alloc(32, 9).toString('base64url') })))
  const three = { ...asKeyObject(await imported('rsa', 'rsa')).export({ format: 'jwk' }), oth: [] }
  await refused('RULE_BROKEN', async () => open(await made(three), 'rsa'))
  for (const p2c of [999, 2_000_001]) {
    const text = await made(oct, { alg: 'PBES2-HS256+A128KW' }, p2c)
    expect(await refused('RULE_BROKEN', () => materialFromJwe(text, { password }, { algorithm: 'aes' }))).toContain(
      'p2c',
    )
  }
})

test('refuses a JWE cut or changed in any part, always with the same words', async () => {
  const key = await aes(32)
  const parts = (await encryptJwe(await secret(), { key })).split('.')
  const words = new Set<string>()
  for (const at of [1, 2, 3, 4]) {
    const part = parts[at] ?? ''
    for (const other of [part.slice(4), `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`]) {
      const text = parts.with(at, other).join('.')
      words.add(await refused('CIPHERTEXT_INVALID', () => materialFromJwe(text, { key }, { algorithm: 'aes' })))
    }
  }
  expect(words.size).toBe(1)
  for (const text of ['', 'a.b.c.d.e', 'none', parts.slice(0, 3).join('.')])
    await expect(materialFromJwe(text, { key }, { algorithm: 'aes' })).rejects.toThrow()
})

test('keys that no alg has, and keys without a JWK form, are refused', async () => {
  const hmac = await importMaterial({ algorithm: 'hmac-sha256', material: '5a'.repeat(32) })
  const small = crypto.generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  for (const key of [hmac, small, await imported('ec', 'ec')])
    await refused('RULE_BROKEN', async () => encryptJwe(await secret(), { key }))
  const key = crypto.createPublicKey(keys.rsa.pem)
  await refused('RULE_BROKEN', async () => encryptJwe(await secret(), { key, padding: 'pkcs1' }))
  await refused('RULE_BROKEN', async () => encryptJwe(await secret(), { key: await aes(32), padding: 'oaep' }))
  const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' })
  const brainpool = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const material = await importMaterial({ algorithm: 'ec', material: brainpool })
  expect(await refused('RULE_BROKEN', async () => encryptJwe(material, { key: await aes(32) }))).toContain('JWK')
})
