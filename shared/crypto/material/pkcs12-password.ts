import { createDecipheriv, createHmac, hash, pbkdf2Sync } from 'node:crypto'
import { constantTimeEqual } from '../constant-time.ts'
import { DerError, TAG, bigintOf, dottedOf, memberAt, membersOf } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'

/** The hash of a key derivation: `blockBytes` is `v` of RFC 7292 §B.2. */
export interface Pkcs12Hash {
  readonly name: string
  readonly blockBytes: number
  readonly hashBytes: number
}

const SHA1: Pkcs12Hash = { name: 'sha1', blockBytes: 64, hashBytes: 20 }

/** What derived bytes are for. @see RFC 7292 §B.3 */
const PURPOSE = { key: 1, iv: 2, mac: 3 } as const

/** A password as PKCS #12 derives keys from it, and as PBES2 does. */
export interface Pkcs12Password {
  readonly text: string
  readonly bytes: Buffer
}

/** RFC 7292 §B.1: UTF-16, big-endian, with two zero bytes at the end. */
const bmp = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le').swap16()

/** Ways to spell a password. Without one, .NET and Windows derive keys from no byte at all, others from the two zero bytes. */
export const spellingsOf = (text: string): Pkcs12Password[] => [
  { text, bytes: bmp(text) },
  ...(text === '' ? [{ text, bytes: Buffer.alloc(0) }] : []),
]

interface Derivation {
  readonly salt: Buffer
  readonly iterations: number
}

const filled = (bytes: Buffer, blockBytes: number): Buffer =>
  bytes.length === 0 ? bytes : Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes, bytes)

/** Adds a number and one to each block, modulo its size. */
function stepped(input: Buffer, step: Buffer): void {
  for (let start = 0; start < input.length; start += step.length) {
    let carry = 1
    for (let at = step.length - 1; at >= 0; at--) {
      carry += (input[start + at] ?? 0) + (step[at] ?? 0)
      input[start + at] = carry & 0xff
      carry >>= 8
    }
  }
}

/** @see RFC 7292 §B.2 */
function derived(
  purpose: number,
  { bytes: password }: Pkcs12Password,
  { salt, iterations }: Derivation,
  { name, blockBytes }: Pkcs12Hash,
  length: number,
): Buffer {
  const diversifier = Buffer.alloc(blockBytes, purpose)
  const input = Buffer.concat([filled(salt, blockBytes), filled(password, blockBytes)])
  let found = Buffer.alloc(0)
  while (found.length < length) {
    let block = hash(name, Buffer.concat([diversifier, input]), 'buffer')
    for (let round = 1; round < iterations; round++) block = hash(name, block, 'buffer')
    found = Buffer.concat([found, block])
    stepped(input, Buffer.alloc(blockBytes, block))
  }
  return found.subarray(0, length)
}

/** The MAC of a PFX. @see RFC 7292 §4 */
export const pkcs12Mac = (content: Buffer, password: Pkcs12Password, how: Derivation, macHash: Pkcs12Hash): Buffer =>
  createHmac(macHash.name, derived(PURPOSE.mac, password, how, macHash, macHash.hashBytes))
    .update(content)
    .digest()

/** The spelling of a password under which a PFX has its MAC. */
export const spellingWithMac = (
  text: string,
  content: Buffer,
  how: Derivation,
  macHash: Pkcs12Hash,
  mac: Buffer,
): Pkcs12Password | undefined =>
  spellingsOf(text).find((spelling) => constantTimeEqual(pkcs12Mac(content, spelling, how, macHash), mac))

const TRIPLE_DES = '1.2.840.113549.1.12.1.3'
const PBES2 = '1.2.840.113549.1.5.13'
const PBKDF2 = '1.2.840.113549.1.5.12'
const PRFS = new Map([
  ['1.2.840.113549.2.7', 'sha1'],
  ['1.2.840.113549.2.8', 'sha224'],
  ['1.2.840.113549.2.9', 'sha256'],
  ['1.2.840.113549.2.10', 'sha384'],
  ['1.2.840.113549.2.11', 'sha512'],
])
const CIPHERS = new Map([
  ['1.2.840.113549.3.7', { name: 'des-ede3-cbc', keyBytes: 24 }],
  ['2.16.840.1.101.3.4.1.2', { name: 'aes-128-cbc', keyBytes: 16 }],
  ['2.16.840.1.101.3.4.1.22', { name: 'aes-192-cbc', keyBytes: 24 }],
  ['2.16.840.1.101.3.4.1.42', { name: 'aes-256-cbc', keyBytes: 32 }],
])

interface Opening {
  readonly cipher: string
  readonly key: Buffer
  readonly iv: Buffer
}

function openingByTripleDes(parameters: readonly Der[], password: Pkcs12Password, affordable: Affordable): Opening {
  const salt = memberAt(parameters, 0, TAG.octetString).body
  const how = { salt, iterations: affordable(bigintOf(memberAt(parameters, 1, TAG.integer))) }
  return {
    cipher: 'des-ede3-cbc',
    key: derived(PURPOSE.key, password, how, SHA1, 24),
    iv: derived(PURPOSE.iv, password, how, SHA1, 8),
  }
}

function openingByPbes2(
  parameters: readonly Der[],
  { text }: Pkcs12Password,
  affordable: Affordable,
): Opening | undefined {
  const kdf = membersOf(memberAt(parameters, 0, TAG.sequence))
  const [id, iv] = membersOf(memberAt(parameters, 1, TAG.sequence))
  const cipher = id && CIPHERS.get(dottedOf(id))
  if (dottedOf(memberAt(kdf, 0, TAG.oid)) !== PBKDF2 || cipher === undefined || iv === undefined) return undefined
  const [salt, rounds, ...more] = membersOf(memberAt(kdf, 1, TAG.sequence))
  const prf = more.find(({ tag }) => tag === TAG.sequence)
  const hashName = prf === undefined ? 'sha1' : PRFS.get(dottedOf(memberAt(membersOf(prf), 0, TAG.oid)))
  if (salt?.tag !== TAG.octetString || rounds === undefined || hashName === undefined) return undefined
  const key = pbkdf2Sync(Buffer.from(text), salt.body, affordable(bigintOf(rounds)), cipher.keyBytes, hashName)
  return { cipher: cipher.name, key, iv: iv.body }
}

/** Checks a number of iterations before they run. @throws Refusal RULE_BROKEN */
type Affordable = (iterations: bigint) => number

/**
 * Decrypts bytes of a PFX that its password protects, by PBES2 or the 3DES form of PKCS #12.
 * @param algorithm an AlgorithmIdentifier
 * @returns `undefined` for another protection, and if the decryption fails
 * @throws DerError; Refusal RULE_BROKEN for too many iterations
 */
export function openUnderPassword(
  algorithm: Der,
  encrypted: Buffer,
  password: Pkcs12Password,
  affordable: Affordable,
): Buffer | undefined {
  const [id, parameters] = membersOf(algorithm)
  if (id === undefined || parameters === undefined) throw new DerError('no algorithm')
  const type = dottedOf(id)
  const how = type === TRIPLE_DES ? openingByTripleDes : type === PBES2 ? openingByPbes2 : undefined
  const opening = how?.(membersOf(parameters), password, affordable)
  if (opening === undefined) return undefined
  try {
    const decipher = createDecipheriv(opening.cipher, opening.key, opening.iv)
    return Buffer.concat([decipher.update(encrypted), decipher.final()])
  } catch {
    return undefined
  } finally {
    opening.key.fill(0)
  }
}
