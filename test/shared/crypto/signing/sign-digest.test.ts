import { constants, generateKeyPairSync, hash, privateEncrypt, publicDecrypt, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { bigintOf, membersOf, readDer } from '../../../../shared/crypto/asn1/der.ts'
import { isPkcs1Signature, signDigest } from '../../../../shared/crypto/signing/sign-digest.ts'

const data = Buffer.from('what was hashed elsewhere')

test.each([
  ['prime256v1', 'sha256', 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n],
  [
    'secp384r1',
    'sha384',
    0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  ],
] as const)(
  'ECDSA on %s: every signature verifies, is minimal DER, and has its own nonce',
  (namedCurve, name, order) => {
    const seen = new Set<bigint>()
    for (let turn = 0; turn < 40; turn++) {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve })
      const signature = signDigest('ecdsa', privateKey, hash(name, data, 'buffer'), name)
      expect(verify(name, data, publicKey, signature)).toBe(true)
      expect(verify(name, Buffer.from('else'), publicKey, signature)).toBe(false)
      for (const number of membersOf(readDer(signature)).map(bigintOf)) {
        expect(number > 0n && number < order).toBe(true)
        seen.add(number)
      }
    }
    expect(seen.size).toBe(80)
  },
)

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })

test.each(['sha256', 'sha512'] as const)(
  'RSA over %s: PSS with a salt as long as the hash, PKCS #1 with its DigestInfo',
  (name) => {
    const digest = hash(name, data, 'buffer')
    const first = signDigest('rsa-pss', rsa.privateKey, digest, name)
    const second = signDigest('rsa-pss', rsa.privateKey, digest, name)
    expect(first.equals(second)).toBe(false)
    const padding = constants.RSA_PKCS1_PSS_PADDING
    for (const signature of [first, second]) {
      expect(verify(name, data, { key: rsa.publicKey, padding, saltLength: digest.length }, signature)).toBe(true)
      expect(verify(name, data, { key: rsa.publicKey, padding, saltLength: digest.length - 1 }, signature)).toBe(false)
    }
    const plain = signDigest('rsa-pkcs1', rsa.privateKey, digest, name)
    expect(verify(name, data, rsa.publicKey, plain)).toBe(true)
    expect(publicDecrypt(rsa.publicKey, plain).subarray(-digest.length).equals(digest)).toBe(true)
  },
)

test('a digest of another length is a fault', () => {
  expect(() => signDigest('rsa-pkcs1', rsa.privateKey, Buffer.alloc(20), 'sha256')).toThrow(RangeError)
})

test('PKCS #1 signatures are verified over a digest by their whole encoded message', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const digest = hash('sha256', data, 'buffer')
  const signature = signDigest('rsa-pkcs1', privateKey, digest, 'sha256')
  for (const key of [privateKey, publicKey]) expect(isPkcs1Signature(key, digest, 'sha256', signature)).toBe(true)
  const changed = Buffer.from(signature)
  changed.writeUInt8(changed.readUInt8(9) ^ 1, 9)
  for (const wrong of [changed, signature.subarray(1), Buffer.alloc(256), Buffer.alloc(256, 0xff), Buffer.alloc(0)])
    expect(isPkcs1Signature(publicKey, digest, 'sha256', wrong)).toBe(false)
  expect(isPkcs1Signature(publicKey, hash('sha256', 'else', 'buffer'), 'sha256', signature)).toBe(false)
  expect(isPkcs1Signature(publicKey, Buffer.concat([digest, digest]), 'sha512', signature)).toBe(false)
  const info = Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), digest])
  const short = Buffer.concat([Buffer.of(0, 1), Buffer.alloc(8, 0xff), Buffer.of(0), info, Buffer.alloc(194)])
  const forged = privateEncrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, short)
  expect(isPkcs1Signature(publicKey, digest, 'sha256', forged), 'bytes after the digest').toBe(false)
})
