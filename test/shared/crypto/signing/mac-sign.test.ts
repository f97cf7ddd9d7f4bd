import { expect, test } from 'vitest'
import { algorithmNamed } from '../../../../shared/crypto/algorithms.ts'
import { generateMaterial, publicOf } from '../../../../shared/crypto/key-material.ts'
import { assertMacSigned, macSign } from '../../../../shared/crypto/signing/mac-sign.ts'
import { refused } from '../refused.ts'

const BYTES = Buffer.from('material')

test.each([
  ['hmac-sha1', undefined, 'hmac-sha1'],
  ['hmac-sha512', undefined, 'hmac-sha512'],
  ['rsa', undefined, 'rsa-pss-sha256'],
  ['ec', 'prime256v1', 'ecdsa-sha256'],
  ['ec', 'brainpoolP320r1', 'ecdsa-sha384'],
  ['ec', 'secp384r1', 'ecdsa-sha384'],
  ['ec', 'secp521r1', 'ecdsa-sha512'],
  ['ec', 'curve25519', 'ed25519'],
])('a key of %s %s signs with its only algorithm, and verifies nothing else', async (algorithm, curve, name) => {
  const key = await generateMaterial(algorithmNamed(algorithm), { curve })
  const { macSignature, macSignatureAlgorithm } = macSign(key, BYTES)
  expect(macSignatureAlgorithm).toBe(name)
  const verifier = key.objectType === 'Private Key' ? publicOf(key) : key
  for (const by of [key, verifier]) assertMacSigned(by, BYTES, macSignature)
  const changed = Buffer.from(macSignature)
  changed[5] = (changed[5] ?? 0) ^ 1
  const words = [
    await refused('RULE_BROKEN', () => assertMacSigned(verifier, BYTES.subarray(1), macSignature)),
    await refused('RULE_BROKEN', () => assertMacSigned(verifier, BYTES, changed)),
    await refused('RULE_BROKEN', () => assertMacSigned(verifier, BYTES, macSignature.subarray(1))),
    await refused('RULE_BROKEN', () => assertMacSigned(verifier, BYTES, Buffer.alloc(3))),
  ]
  expect(new Set(words)).toEqual(new Set(['macSignature does not verify']))
  if (verifier !== key) await refused('RULE_BROKEN', () => macSign(verifier, BYTES))
})

test('a key that only encrypts does not vouch', async () => {
  const key = await generateMaterial(algorithmNamed('aes'))
  expect(await refused('RULE_BROKEN', () => macSign(key, BYTES))).toContain('HMAC')
  await refused('RULE_BROKEN', () => assertMacSigned(key, BYTES, BYTES))
})
