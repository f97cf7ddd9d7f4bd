import { createPrivateKey, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { derOfBer, octetsIn } from '../asn1/ber.ts'
import { DerError, TAG, bigintOf, der, derInteger, memberAt, membersOf, oid, readDer } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'
import { encryptPbes2 } from './pbes2.ts'
import { openUnderPassword, pkcs12Mac, spellingsOf, spellingWithMac } from './pkcs12-password.ts'
import type { Pkcs12Hash, Pkcs12Password } from './pkcs12-password.ts'

/**
 * PKCS #12 files (RFC 7292) with one private key. Ours: this file instead of a package, for the reasons in
 * docs/decisions/0004-pkcs12-without-a-package.md. The containers may be BER. The key inside is an EncryptedPrivateKeyInfo,
 * which OpenSSL opens itself (PBES2 and the older 3DES form). Missing in `node:crypto` are the key derivation of PKCS #12 and
 * contents that are encrypted as a whole: see `pkcs12-password.ts`.
 */
const OID = {
  data: oid('1.2.840.113549.1.7.1'),
  encryptedData: oid('1.2.840.113549.1.7.6'),
  keyBag: oid('1.2.840.113549.1.12.10.1.1'),
  shroudedKeyBag: oid('1.2.840.113549.1.12.10.1.2'),
  certBag: oid('1.2.840.113549.1.12.10.1.3'),
  x509Certificate: oid('1.2.840.113549.1.9.22.1'),
  localKeyId: oid('1.2.840.113549.1.9.21'),
  contentsBag: oid('1.2.840.113549.1.12.10.1.6'),
  pbes2: oid('1.2.840.113549.1.5.13'),
  pbkdf2: oid('1.2.840.113549.1.5.12'),
  pbeSha1TripleDes: oid('1.2.840.113549.1.12.1.3'),
} as const

interface MacHash extends Pkcs12Hash {
  readonly oid: Buffer
}

const SHA256: MacHash = { name: 'sha256', oid: oid('2.16.840.1.101.3.4.2.1'), blockBytes: 64, hashBytes: 32 }
const MAC_HASHES: readonly MacHash[] = [
  { name: 'sha1', oid: oid('1.3.14.3.2.26'), blockBytes: 64, hashBytes: 20 },
  SHA256,
  { name: 'sha384', oid: oid('2.16.840.1.101.3.4.2.2'), blockBytes: 128, hashBytes: 48 },
  { name: 'sha512', oid: oid('2.16.840.1.101.3.4.2.3'), blockBytes: 128, hashBytes: 64 },
]

/** Ours: the most iterations that a file may request, about a second of work; common tools write 1 to 100,000. */
const MOST_ITERATIONS = 600_000
/** Ours, of a PFX: both ways to test a guessed password, key and MAC, cost as much as one export may. */
const OUR_ITERATIONS = 200_000
const SALT_BYTES = 16
const VERSION = 3

/** The password is wrong, as far as can be determined; callers may point to its field. */
export class WrongPassword extends Refusal {
  constructor(options?: ErrorOptions) {
    super('RULE_BROKEN', 'material cannot be opened with this password', options)
  }
}

const broken = (sentence: string, cause?: unknown) => new Refusal('RULE_BROKEN', sentence, { cause })

/**
 * The only private key of a PFX. Certificates are ignored. Blocks while it derives keys, up to about a second.
 * @throws Refusal RULE_BROKEN: not BER, no or wrong MAC, wrong password, no or several keys, a protection not offered
 */
export function openPkcs12(pfx: Buffer, password: string): KeyObject {
  try {
    const members = membersOf(readDer(derOfBer(pfx), TAG.sequence))
    if (bigintOf(memberAt(members, 0, TAG.integer)) !== BigInt(VERSION)) throw new DerError('another version')
    const authSafe = contentOf(memberAt(members, 1, TAG.sequence))
    if (authSafe === undefined) throw broken('a PFX must be protected by a password, not by a signature')
    return privateKeyOf(authSafe, passwordOf(members[2], authSafe, password))
  } catch (cause) {
    if (cause instanceof DerError) throw broken('material must be a PFX in DER or BER form', cause)
    throw cause
  }
}

/** Attributes of a bag that relate the key to its certificate (RFC 7292 §4.2). */
const PAIRED = der(
  TAG.set,
  der(TAG.sequence, OID.localKeyId, der(TAG.set, der(TAG.octetString, Buffer.of(0, 0, 0, 1)))),
)

const certificateBag = (certificate: Buffer, isOfKey: boolean): Buffer => {
  const value = der(TAG.sequence, OID.x509Certificate, der(TAG.context0, der(TAG.octetString, certificate)))
  return der(TAG.sequence, OID.certBag, der(TAG.context0, value), ...(isOfKey ? [PAIRED] : []))
}

/**
 * A PFX with this private key: PBES2 with PBKDF2-HMAC-SHA-256 and AES-256-CBC, MAC with SHA-256, as written by
 * OpenSSL 3 and read by current systems. Certificates are public, so they are not encrypted.
 * @param chain certificates in DER, first that of the key
 */
export async function makePkcs12(key: KeyObject, password: string, chain: readonly Buffer[] = []): Promise<Buffer> {
  const bag = der(
    TAG.sequence,
    OID.shroudedKeyBag,
    der(TAG.context0, await encryptPkcs8(key, password, OUR_ITERATIONS)),
    ...(chain.length > 0 ? [PAIRED] : []),
  )
  const safeContents = der(TAG.sequence, bag, ...chain.map((certificate, at) => certificateBag(certificate, at === 0)))
  const authSafe = der(TAG.sequence, dataContent(safeContents))
  const salt = randomBytes(SALT_BYTES)
  const [spelling] = spellingsOf(password)
  if (spelling === undefined) throw new Error('Every password has a spelling')
  const mac = pkcs12Mac(authSafe, spelling, { salt, iterations: OUR_ITERATIONS }, SHA256)
  const digestInfo = der(TAG.sequence, der(TAG.sequence, SHA256.oid, NULL), der(TAG.octetString, mac))
  const macData = der(TAG.sequence, digestInfo, der(TAG.octetString, salt), derInteger(OUR_ITERATIONS))
  return der(TAG.sequence, derInteger(VERSION), dataContent(authSafe), macData)
}

/**
 * A private key in PKCS #8 form under a password (RFC 5958 §3), as in a PFX and in an ENCRYPTED PRIVATE KEY.
 * @throws Refusal RULE_BROKEN: a protection not offered, too many iterations, wrong password
 */
export function openEncryptedPkcs8(encrypted: Buffer, password: string): KeyObject {
  requireAffordable(encrypted)
  try {
    return createPrivateKey({ key: encrypted, format: 'der', type: 'pkcs8', passphrase: password })
  } catch (cause) {
    throw new WrongPassword({ cause })
  }
}

/**
 * EncryptedPrivateKeyInfo, DER. Ours: not Node's own export, which derives its key with 2,048 iterations.
 * @throws Refusal TOO_MANY_REQUESTS when too many passwords are being worked on
 */
export async function encryptPkcs8(key: KeyObject, password: string, iterations?: number): Promise<Buffer> {
  const clear = key.export({ format: 'der', type: 'pkcs8' })
  try {
    return await encryptPbes2(clear, password, 'cbc', iterations)
  } finally {
    clear.fill(0)
  }
}

const NULL = Buffer.from([0x05, 0x00])
const IMPLICIT_OCTETS = 0x80
const dataContent = (bytes: Buffer) => der(TAG.sequence, OID.data, der(TAG.context0, der(TAG.octetString, bytes)))

/** The octets of a ContentInfo of type data; undefined for other types. */
function contentOf(contentInfo: Der): Buffer | undefined {
  const members = membersOf(contentInfo)
  if (!memberAt(members, 0, TAG.oid).whole.equals(OID.data)) return undefined
  return readDer(memberAt(members, 1, TAG.context0).body, TAG.octetString).body
}

/** Ours: a MAC is required and checked before the contents are read; without one they could be exchanged. */
function passwordOf(macData: Der | undefined, authSafe: Buffer, password: string): Pkcs12Password {
  if (macData === undefined) throw broken('a PFX without a MAC is not taken')
  const members = membersOf(macData)
  const digestInfo = membersOf(memberAt(members, 0, TAG.sequence))
  const algorithm = memberAt(membersOf(memberAt(digestInfo, 0, TAG.sequence)), 0, TAG.oid).whole
  const macHash = MAC_HASHES.find((row) => row.oid.equals(algorithm))
  if (macHash === undefined) throw broken('the MAC of a PFX must use SHA-1, SHA-256, SHA-384 or SHA-512')
  const salt = memberAt(members, 1, TAG.octetString).body
  const iterations = affordable(members[2]?.tag === TAG.integer ? bigintOf(members[2]) : 1n) // DEFAULT 1
  const mac = memberAt(digestInfo, 1, TAG.octetString).body
  const found = spellingWithMac(password, authSafe, { salt, iterations }, macHash, mac)
  if (found === undefined) throw new WrongPassword()
  return found
}

interface KeyBag {
  readonly shrouded: boolean
  readonly bytes: Buffer
}

/** The only private key. Contents that are encrypted as a whole are decrypted only if the others contain no key. */
function privateKeyOf(authSafe: Buffer, password: Pkcs12Password): KeyObject {
  const contents = membersOf(readDer(derOfBer(authSafe), TAG.sequence))
  const open = contents.map(contentOf).flatMap((one) => keysIn(one))
  const keys =
    open.length > 0 ? open : contents.map((one) => encryptedContentOf(one, password)).flatMap((one) => keysIn(one))
  const [only] = keys
  if (only === undefined || keys.length > 1) throw broken('a PFX must hold exactly one private key')
  return only.shrouded ? shroudedKey(only.bytes, password) : clearKey(only.bytes)
}

function clearKey(bytes: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
  } catch (cause) {
    throw broken('the key of a PFX is not in PKCS #8 form', cause)
  }
}

/** OpenSSL derives no key from a password without a byte. */
function shroudedKey(bytes: Buffer, password: Pkcs12Password): KeyObject {
  if (password.text !== '') return openEncryptedPkcs8(bytes, password.text)
  requireAffordable(bytes)
  const members = membersOf(readDer(bytes, TAG.sequence))
  const encrypted = memberAt(members, 1, TAG.octetString).body
  const opened = openUnderPassword(memberAt(members, 0, TAG.sequence), encrypted, password, affordable)
  if (opened === undefined) throw new WrongPassword()
  try {
    return clearKey(opened)
  } finally {
    opened.fill(0)
  }
}

/**
 * The decrypted octets of a ContentInfo of type encryptedData; undefined for other types, and if the decryption fails.
 */
function encryptedContentOf(contentInfo: Der, password: Pkcs12Password): Buffer | undefined {
  const members = membersOf(contentInfo)
  if (!memberAt(members, 0, TAG.oid).whole.equals(OID.encryptedData)) return undefined
  const data = membersOf(readDer(memberAt(members, 1, TAG.context0).body, TAG.sequence))
  const [type, algorithm, encrypted] = membersOf(memberAt(data, 1, TAG.sequence))
  if (type?.whole.equals(OID.data) !== true || algorithm === undefined || encrypted === undefined)
    throw new DerError('not encrypted contents')
  return openUnderPassword(algorithm, octetsOf(encrypted), password, affordable)
}

/** The octets of [0] IMPLICIT OCTET STRING, which BER may write in parts. */
function octetsOf(element: Der): Buffer {
  if (element.tag === IMPLICIT_OCTETS) return element.body
  if (element.tag !== TAG.context0) throw new DerError('another element was expected')
  return octetsIn(membersOf(element).map(({ whole }) => whole))
}

/** Keys of SafeContents. Ours: contents within contents are read three deep. */
function keysIn(safeContents: Buffer | undefined, depth = 0): KeyBag[] {
  if (safeContents === undefined || depth > 2) return []
  return membersOf(readDer(derOfBer(safeContents), TAG.sequence)).flatMap((bag) => keysOfBag(bag, depth))
}

function keysOfBag(bag: Der, depth: number): KeyBag[] {
  const members = membersOf(bag)
  const type = memberAt(members, 0, TAG.oid).whole
  const bytes = memberAt(members, 1, TAG.context0).body
  if (type.equals(OID.contentsBag)) return keysIn(bytes, depth + 1)
  const shrouded = type.equals(OID.shroudedKeyBag)
  return shrouded || type.equals(OID.keyBag) ? [{ shrouded, bytes }] : []
}

/** Checks the number of iterations before OpenSSL runs them. */
function requireAffordable(encrypted: Buffer): void {
  const algorithm = membersOf(memberAt(membersOf(readDer(encrypted, TAG.sequence)), 0, TAG.sequence))
  const type = memberAt(algorithm, 0, TAG.oid).whole
  const parameters = membersOf(memberAt(algorithm, 1, TAG.sequence))
  if (type.equals(OID.pbeSha1TripleDes)) {
    affordable(bigintOf(memberAt(parameters, 1, TAG.integer)))
    return
  }
  const kdf = type.equals(OID.pbes2) ? membersOf(memberAt(parameters, 0, TAG.sequence)) : []
  if (kdf[0]?.whole.equals(OID.pbkdf2) !== true) {
    throw broken('a private key must be encrypted with PBES2 and PBKDF2, or with the 3DES form of PKCS #12')
  }
  affordable(bigintOf(memberAt(membersOf(memberAt(kdf, 1, TAG.sequence)), 1, TAG.integer)))
}

function affordable(iterations: bigint): number {
  if (iterations >= 1n && iterations <= BigInt(MOST_ITERATIONS)) return Number(iterations)
  throw broken(`the password rounds of material must be between 1 and ${MOST_ITERATIONS}`)
}
