import { generateKeyPair, exportJWK, jwtVerify, importJWK, SignJWT } from 'jose'
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  isSigned,
  JWS_ALGORITHMS,
  readCompactJws,
  signRs256,
  verifyingKey,
  type CompactJws,
} from '../../../../shared/crypto/jose/jws.ts'

/** A token and its signer's public key, from another implementation. */
async function signed(alg: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const text = await new SignJWT({ sub: 'ada' }).setProtectedHeader({ alg, kid: 'first' }).sign(privateKey)
  return { jws: readCompactJws(text) as CompactJws, jwk: await exportJWK(publicKey) }
}

test.each(JWS_ALGORITHMS)('a token signed with %s verifies only with the algorithm of its key', async (alg) => {
  const { jws, jwk } = await signed(alg)
  const key = verifyingKey({ ...jwk, alg, use: 'sig' })
  expect(key && isSigned(jws, key)).toBe(true)
  const unnamed = verifyingKey({ ...jwk })
  expect(unnamed && isSigned(jws, unnamed)).toBe(true)
  const changed = { ...jws, signed: Buffer.concat([jws.signed, Buffer.from('A')]) }
  expect(key && isSigned(changed, key)).toBe(false)
  const other = JWS_ALGORITHMS.find((name) => name !== alg && name.slice(0, 1) === alg.slice(0, 1))
  const ofOther = verifyingKey({ ...jwk, alg: other })
  expect(ofOther !== undefined && isSigned(jws, ofOther)).toBe(false)
})

test('a header that names no signature is never signed', async () => {
  const { jws, jwk } = await signed('RS256')
  const key = verifyingKey({ ...jwk })
  for (const alg of ['none', 'HS256', 'constructor', undefined, 1])
    expect(key && isSigned({ ...jws, header: { alg } }, key), String(alg)).toBe(false)
})

test.each<[what: string, change: object]>([
  ['for encryption', { use: 'enc' }],
  ['with another algorithm', { alg: 'RSA-OAEP-256' }],
  ['of another kind', { kty: 'oct', k: 'c2VjcmV0' }],
  ['without a modulus', { n: undefined }],
  ['with a modulus that is no number', { n: 7 }],
])('a key %s signs no tokens', async (_what, change) => {
  const { jwk } = await signed('RS256')
  expect(verifyingKey({ ...jwk, ...change })).toBeUndefined()
})

test('a short key signs no tokens', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  expect(verifyingKey({ ...publicKey.export({ format: 'jwk' }) })).toBeUndefined()
})

test('another implementation verifies our signatures', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const text = signRs256('own', { sub: 'ada' }, privateKey)
  const { payload, protectedHeader } = await jwtVerify(
    text,
    await importJWK(publicKey.export({ format: 'jwk' }), 'RS256'),
  )
  expect(payload).toEqual({ sub: 'ada' })
  expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'own' })
})
