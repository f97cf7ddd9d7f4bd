import { createPrivateKey, createPublicKey, createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { LOCAL_ALGORITHMS } from '../../../../shared/crypto/algorithms.ts'
import { asKeyObject, generateMaterial, publicOf } from '../../../../shared/crypto/key-material.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SIGNATURES, sign, verify } from '../../../../shared/crypto/signing/sign.ts'
import type { SignatureName, SignatureRow } from '../../../../shared/crypto/signing/sign.ts'
import vectors from '../../../vectors/signatures.json' with { type: 'json' }

const hex = (text: string) => Buffer.from(text, 'hex')
const base64url = (text: string) => hex(text).toString('base64url')

test.each(vectors.hmac.tests)(
  '$row computes and accepts the MAC of its RFC for key $key',
  ({ row, key, data, mac }) => {
    const secret = createSecretKey(hex(key))
    expect(sign(SIGNATURES[row as SignatureName], secret, hex(data)).toString('hex')).toBe(mac)
    expect(verify(SIGNATURES[row as SignatureName], secret, hex(data), hex(mac))).toBe(true)
  },
)

test.each(vectors.ed25519.tests)('Ed25519 signs as RFC 8032 does: $public', (vector) => {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(vector.public) }
  const privateKey = createPrivateKey({ key: { ...jwk, d: base64url(vector.secret) }, format: 'jwk' })
  expect(sign(SIGNATURES.ed25519, privateKey, hex(vector.data)).toString('hex')).toBe(vector.signature)
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  expect(verify(SIGNATURES.ed25519, publicKey, hex(vector.data), hex(vector.signature))).toBe(true)
})

test.each(vectors.ecdsa.tests)('$row accepts only the signature of RFC 6979', ({ row, data, r, s }) => {
  const { x, y } = vectors.ecdsa
  const key = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: base64url(x), y: base64url(y) },
    format: 'jwk',
  })
  const name = row as SignatureName
  expect(verify(SIGNATURES[name], key, hex(data), hex(r + s))).toBe(true)
  expect(verify(SIGNATURES[name], key, hex(data), hex(s + r))).toBe(false)
  expect(verify(SIGNATURES[name], key, hex(`${data}00`), hex(r + s))).toBe(false)
})

const mlDsa = (sizeBits: number) => generateMaterial(LOCAL_ALGORITHMS['ml-dsa'], { sizeBits })

const keys: Record<SignatureRow['keyType'], KeyMaterial> = {
  rsa: await generateMaterial(LOCAL_ALGORITHMS.rsa),
  ec: await generateMaterial(LOCAL_ALGORITHMS.ec),
  ed25519: await generateMaterial(LOCAL_ALGORITHMS.ec, { curve: 'curve25519' }),
  'ml-dsa-44': await mlDsa(44),
  'ml-dsa-65': await mlDsa(65),
  'ml-dsa-87': await mlDsa(87),
  secret: await generateMaterial(LOCAL_ALGORITHMS['hmac-sha512']),
}
const data = Buffer.from('what is signed', 'utf8')

test.each(Object.entries(SIGNATURES))('%s verifies its own signatures and refuses similar ones', (_name, row) => {
  const key = keys[row.keyType]
  const signature = sign(row, asKeyObject(key), data)
  const forVerifying = row.keyType === 'secret' ? key : publicOf(key)
  expect(verify(row, forVerifying, data, signature)).toBe(true)
  const changed = Buffer.from(signature)
  changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1
  expect(verify(row, forVerifying, data, changed)).toBe(false)
  expect(verify(row, forVerifying, data, signature.subarray(1))).toBe(false)
  expect(verify(row, forVerifying, data, Buffer.alloc(0))).toBe(false)
  expect(verify(row, forVerifying, Buffer.concat([data, data]), signature)).toBe(false)
})

test.each(['rsa-pss-sha256', 'rsa-pkcs1-sha256'] as const)(
  '%s has no shorter form, even if it begins with 0',
  (name) => {
    const row = SIGNATURES[name]
    const key = asKeyObject(keys.rsa)
    for (let at = 0; at < 20_000; at++) {
      const signed = Buffer.from(`text ${at}`)
      const signature = sign(row, key, signed)
      if (signature[0] !== 0) continue
      expect(verify(row, publicOf(keys.rsa), signed, signature)).toBe(true)
      expect(verify(row, publicOf(keys.rsa), signed, signature.subarray(1))).toBe(false)
      return
    }
    throw new Error('No signature began with 0')
  },
)

test('P1363 signatures have a fixed length, DER ones are a sequence', () => {
  expect(sign(SIGNATURES['ecdsa-sha256-p1363'], keys.ec, data)).toHaveLength(64)
  expect(sign(SIGNATURES['ecdsa-sha256'], keys.ec, data)[0]).toBe(0x30)
})

test('PSS needs a salt as long as the hash', () => {
  const signature = sign(SIGNATURES['rsa-pss-sha512'], keys.rsa, data)
  expect(verify(SIGNATURES['rsa-pss-sha256'], keys.rsa, data, signature)).toBe(false)
  expect(verify(SIGNATURES['rsa-pkcs1-sha512'], keys.rsa, data, signature)).toBe(false)
})

test.each([
  ['an EC key with an RSA row', 'rsa-pkcs1-sha256', 'ec'],
  ['an RSA key with an ECDSA row', 'ecdsa-sha256', 'rsa'],
  ['an asymmetric key with an HMAC row', 'hmac-sha256', 'rsa'],
  ['a secret key with the Ed25519 row', 'ed25519', 'secret'],
] as const)('%s is a fault', (_what, name, key) => {
  expect(() => sign(SIGNATURES[name], keys[key], data)).toThrow(TypeError)
  expect(() => verify(SIGNATURES[name], keys[key], data, Buffer.alloc(64))).toThrow(TypeError)
})
