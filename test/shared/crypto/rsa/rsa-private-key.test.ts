import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { fewAtATime } from '../../../../shared/crypto/few-at-a-time.ts'
import { spkiHashOf } from '../../../../shared/crypto/public-half.ts'
import { readRsaPrivateKey } from '../../../../shared/crypto/rsa/rsa-private-key.ts'
import { TAG, der, membersOf, readDer } from '../../../../shared/crypto/asn1/der.ts'
import files from '../../../vectors/key-files.json' with { type: 'json' }
import { refused } from '../refused.ts'

const { keys } = files
const key = createPrivateKey(keys.rsa.pem)
const pkcs8 = key.export({ format: 'der', type: 'pkcs8' })
const pkcs1 = key.export({ format: 'der', type: 'pkcs1' })
const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
const wanted = { pkcs8, spkiHash: createHash('sha256').update(spki).digest(), bits: 2048 }

const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64')

test.each([
  ['PEM of PKCS #8', keys.rsa.pem],
  ['PEM of PKCS #1', keys['rsa-pkcs1'].pem],
  ['PEM with space around and other line ends', `\n ${keys.rsa.pem.replaceAll('\n', '\r\n')}\r\n`],
  ['base64 of PEM of PKCS #8', base64(keys.rsa.pem)],
  ['base64 of PEM of PKCS #1', base64(keys['rsa-pkcs1'].pem)],
  ['base64 of DER of PKCS #8', base64(pkcs8)],
  ['base64 of DER of PKCS #1', base64(pkcs1)],
  ['base64 for URLs without padding', pkcs8.toString('base64url')],
  ['base64 in lines of 76', base64(pkcs1).replaceAll(/.{76}/g, '$&\n')],
])('%s is read', async (_what, text) => {
  expect(await readRsaPrivateKey(text)).toEqual(wanted)
})

test.each([3072, 4096] as const)('a key of %i bits is read', async (bits) => {
  const { pem } = keys[`rsa-${bits}`]
  const read = await readRsaPrivateKey(pem)
  expect(read).toMatchObject({ bits, pkcs8: createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' }) })
})

/** The key with one of its numbers replaced by another of them. */
function mixed(index: number, taken: number): string {
  const numbers = membersOf(readDer(pkcs1))
  const parts = numbers.map(({ whole }, at) => (at === index ? numbers[taken] : undefined)?.whole ?? whole)
  return base64(der(TAG.sequence, ...parts))
}

test.each([
  ['nothing', ''],
  ['space', ' \n'],
  ['a word', 'key'],
  ['no base64', '{"private_key": 1}'],
  ['zeroes', base64(Buffer.alloc(1_200))],
  ['a key that is cut short', base64(pkcs8.subarray(0, -1))],
  ['PEM that is cut short', keys.rsa.pem.slice(0, -10)],
  ['two keys', keys.rsa.pem + keys.rsa.pem],
  ['bytes after a key', base64(Buffer.concat([pkcs8, Buffer.alloc(1)]))],
  ['a label of other keys', keys.rsa.pem.replaceAll('PRIVATE', 'EC PRIVATE')],
  ['base64 of base64', base64(base64(pkcs8))],
  ['a public key', createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString()],
  ['base64 of a public key', base64(spki)],
  ['an encrypted key', keys['rsa-trad-enc'].pem],
  ['an encrypted key of PKCS #8', keys['ec-enc'].pem],
  ['an EC key', keys.ec.pem],
  ['an Ed25519 key', keys.ed.pem],
  ['a key for PSS alone', keys.pss.pem],
  ['1,536 bits', keys.small.pem],
  ['three primes', keys.multi.pem],
  ['a public exponent of 3', keys.e3.pem],
  ['a d of another key', mixed(3, 1)],
  ['a dp of another key', mixed(6, 7)],
])('%s is no key to wrap', async (_what, text) => {
  expect(await readRsaPrivateKey(text)).toBeUndefined()
})

test('a key is not reported as invalid when there is no time to check it', async () => {
  const ends: (() => void)[] = []
  const busy = Array.from({ length: 10 }, () => fewAtATime(() => new Promise<void>((resolve) => ends.push(resolve))))
  await refused('TOO_MANY_REQUESTS', () => readRsaPrivateKey(keys.rsa.pem))
  for (const at of busy.keys()) {
    ends[at]?.()
    await busy[at]
  }
})

test('both halves of a pair have one hash', () => {
  expect(spkiHashOf(key)).toEqual(wanted.spkiHash)
  expect(spkiHashOf(createPublicKey(key))).toEqual(wanted.spkiHash)
})
