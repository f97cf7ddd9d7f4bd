import { constants, generateKeyPairSync, hash, publicDecrypt, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { bigintOf, membersOf, readDer } from '../../../shared/crypto/der.ts'
import { signDigest } from '../../../shared/crypto/sign-digest.ts'

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
