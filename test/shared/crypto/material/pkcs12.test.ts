import { createCipheriv, createHash, createHmac, createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { derOfBer } from '../../../../shared/crypto/asn1/ber.ts'
import { TAG, der, derInteger, membersOf, oid, readDer } from '../../../../shared/crypto/asn1/der.ts'
import { encryptPbes2 } from '../../../../shared/crypto/material/pbes2.ts'
import { makePkcs12, openPkcs12 } from '../../../../shared/crypto/material/pkcs12.ts'
import { selfSigned } from '../../../../shared/crypto/x509/self-signed.ts'
import vectors from '../../../vectors/key-files.json' with { type: 'json' }
import { refused } from '../refused.ts'
import { file, openssl } from '../x509/openssl.ts'

/** PKCS #12 as other tools write it. OpenSSL opens each file that is made here. @see RFC 7292 */
const { keys, pfx, password } = vectors
const pkcs8Of = (pem: string): Buffer => createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' })
const EC = pkcs8Of(keys.ec.pem)

const sequence = (...parts: Uint8Array[]): Buffer => der(TAG.sequence, ...parts)
const octets = (bytes: Uint8Array): Buffer => der(TAG.octetString, bytes)
const NULL = Buffer.of(5, 0)
const DATA = oid('1.2.840.113549.1.7.1')
const data = (bytes: Uint8Array): Buffer => sequence(DATA, der(0xa0, octets(bytes)))
const keyBag = (key: Uint8Array): Buffer => sequence(oid('1.2.840.113549.1.12.10.1.1'), der(0xa0, key))
const shroudedBag = (key: Uint8Array): Buffer => sequence(oid('1.2.840.113549.1.12.10.1.2'), der(0xa0, key))

/** RFC 7292 §B.2 with SHA-1, independent of the tested code. @param spelled password in the form for derivations */
function derive(id: number, spelled: Buffer, salt: Buffer, rounds: number, length: number): Buffer {
  const repeat = (bytes: Buffer): Buffer =>
    bytes.length === 0 ? bytes : Buffer.alloc(64 * Math.ceil(bytes.length / 64), bytes)
  let input = Buffer.concat([repeat(salt), repeat(spelled)])
  const blocks: Buffer[] = []
  while (Buffer.concat(blocks).length < length) {
    let block = Buffer.concat([Buffer.alloc(64, id), input])
    for (let round = 0; round < rounds; round++) block = createHash('sha1').update(block).digest()
    blocks.push(block)
    const step = BigInt(`0x${Buffer.alloc(64, block).toString('hex')}`) + 1n
    const parts = Array.from({ length: input.length / 64 }, (_, at) => input.subarray(at * 64, at * 64 + 64))
    input = Buffer.concat(
      parts.map((part) => {
        const sum = (BigInt(`0x${part.toString('hex')}`) + step) % 2n ** 512n
        return Buffer.from(sum.toString(16).padStart(128, '0'), 'hex')
      }),
    )
  }
  return Buffer.concat(blocks).subarray(0, length)
}

const bmp = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le').swap16()

function withMac(contents: readonly Buffer[], spelled: Buffer): Buffer {
  const authSafe = sequence(...contents)
  const salt = randomBytes(8)
  const mac = createHmac('sha1', derive(3, spelled, salt, 2_000, 20))
    .update(authSafe)
    .digest()
  const digest = sequence(sequence(oid('1.3.14.3.2.26'), NULL), octets(mac))
  return sequence(derInteger(3), data(authSafe), sequence(digest, octets(salt), derInteger(2_000)))
}

/** An EncryptedPrivateKeyInfo in the 3DES form of PKCS #12. */
function tripleDes(clear: Buffer, spelled: Buffer): Buffer {
  const salt = randomBytes(8)
  const cipher = createCipheriv('des-ede3-cbc', derive(1, spelled, salt, 2_000, 24), derive(2, spelled, salt, 2_000, 8))
  const encrypted = Buffer.concat([cipher.update(clear), cipher.final()])
  const algorithm = sequence(oid('1.2.840.113549.1.12.1.3'), sequence(octets(salt), derInteger(2_000)))
  return sequence(algorithm, octets(encrypted))
}

/** EncryptedData around an encrypted content. */
function encryptedData(encrypted: Buffer): Buffer {
  const [algorithm, content] = membersOf(readDer(encrypted))
  const info = sequence(DATA, algorithm?.whole ?? NULL, der(0x80, content?.body ?? NULL))
  return sequence(oid('1.2.840.113549.1.7.6'), der(0xa0, sequence(derInteger(0), info)))
}

/** The same value with indefinite lengths, and strings of octets in parts. */
function berOf(element: Buffer): Buffer {
  const { tag, body } = readDer(element)
  const end = Buffer.of(0, 0)
  if (tag === TAG.octetString && body.length > 1) {
    const half = Math.floor(body.length / 2)
    return Buffer.concat([Buffer.of(0x24, 0x80), octets(body.subarray(0, half)), octets(body.subarray(half)), end])
  }
  if ((tag & 0x20) === 0) return element
  return Buffer.concat([Buffer.of(tag, 0x80), ...membersOf(readDer(element)).map(({ whole }) => berOf(whole)), end])
}

function opened(made: Buffer, word: string): Buffer {
  const seen = openssl('pkcs12', '-in', file(made), '-nodes', '-nocerts', '-passin', `pass:${word}`)
  expect(pkcs8Of(seen.text.slice(seen.text.indexOf('-----BEGIN')))).toEqual(EC)
  return openPkcs12(made, word).export({ format: 'der', type: 'pkcs8' })
}

test('a PFX in BER is opened, as Java, NSS and Windows write it', () => {
  const made = Buffer.from(pfx['ec-default'].base64, 'base64')
  expect(derOfBer(berOf(made))).toEqual(made)
  expect(opened(berOf(made), password)).toEqual(EC)
})

test.each([
  ['as OpenSSL spells it', bmp('')],
  ['as .NET and Windows spell it', Buffer.alloc(0)],
])('a PFX without password is opened, %s', (_how, spelled) => {
  const shrouded = data(sequence(shroudedBag(tripleDes(EC, spelled))))
  expect(opened(withMac([shrouded], spelled), '')).toEqual(EC)
  expect(opened(withMac([data(sequence(keyBag(EC)))], spelled), '')).toEqual(EC)
})

test('a key within encrypted contents is opened, in either form', async () => {
  const contents = sequence(keyBag(EC))
  for (const encrypted of [await encryptPbes2(contents, 'word', 'cbc', 2_000), tripleDes(contents, bmp('word'))])
    expect(opened(withMac([encryptedData(encrypted)], bmp('word')), 'word')).toEqual(EC)
  const shrouded = sequence(shroudedBag(tripleDes(EC, bmp('word'))))
  expect(opened(withMac([encryptedData(tripleDes(shrouded, bmp('word')))], bmp('word')), 'word')).toEqual(EC)
})

test('a wrong password is one, and contents nest no deeper than files do', async () => {
  const made = withMac([encryptedData(tripleDes(sequence(keyBag(EC)), bmp('word')))], bmp('word'))
  expect(await refused('RULE_BROKEN', () => openPkcs12(made, 'other'))).toContain('password')
  expect(await refused('RULE_BROKEN', () => openPkcs12(made, ''))).toContain('password')
  const deep = Buffer.concat([...Array.from({ length: 5_000 }, () => Buffer.of(0x30, 0x80))])
  expect(await refused('RULE_BROKEN', () => openPkcs12(deep, ''))).toContain('BER')
})

test('a PFX with certificates is opened by OpenSSL, which pairs the first one with the key', async () => {
  const key = createPrivateKey(keys.ec.pem)
  const { certificate } = await selfSigned('authority', new Date(), 10)
  const own = openssl('req', '-x509', '-new', '-key', file(Buffer.from(keys.ec.pem)), '-subj', '/CN=own', '-days', '9')
  const chain = [own.text.slice(own.text.indexOf('-----BEGIN')), certificate].map((pem) => new X509Certificate(pem))
  const made = await makePkcs12(
    key,
    'word',
    chain.map(({ raw }) => raw),
  )
  const seen = (...which: string[]): string =>
    openssl('pkcs12', '-in', file(made), '-nodes', '-passin', 'pass:word', ...which).text
  expect(pkcs8Of(seen('-nocerts').slice(seen('-nocerts').indexOf('-----BEGIN')))).toEqual(EC)
  expect(new X509Certificate(seen('-clcerts', '-nokeys')).fingerprint256).toBe(chain[0]?.fingerprint256)
  expect(new X509Certificate(seen('-cacerts', '-nokeys')).fingerprint256).toBe(chain[1]?.fingerprint256)
})
