import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, bigintOf, der, derInteger, memberAt, membersOf, oid, readDer } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'
import { fewAtATime } from '../few-at-a-time.ts'
import { SecretBytes } from '../secret-bytes.ts'

/**
 * Bytes under a password: PBES2 with PBKDF2 (RFC 8018 §6.2 and §5.2), in the structure of an EncryptedPrivateKeyInfo
 * (RFC 5958 §3), which names salt, rounds and ciphers.
 */
const OID = { pbes2: oid('1.2.840.113549.1.5.13'), pbkdf2: oid('1.2.840.113549.1.5.12') }

/** Pseudorandom functions of PBKDF2 (RFC 8018 §B.1). */
const PRFS = {
  sha1: oid('1.2.840.113549.2.7'),
  sha256: oid('1.2.840.113549.2.9'),
  sha384: oid('1.2.840.113549.2.10'),
  sha512: oid('1.2.840.113549.2.11'),
}

interface Scheme {
  readonly cipher: string
  readonly oid: Buffer
  readonly keyBytes: number
  /** Whether a wrong password is always detected. AES-CBC detects most, by its padding. */
  readonly isAuthenticated: boolean
}

const cbc = (bits: number, arc: number): Scheme => ({
  cipher: `aes-${bits}-cbc`,
  oid: oid(`2.16.840.1.101.3.4.1.${arc}`),
  keyBytes: bits / 8,
  isAuthenticated: false,
})
/** RFC 5649; the identifiers are those of its §5. */
const kwp = (bits: number, arc: number): Scheme => ({
  ...cbc(bits, arc),
  cipher: `id-aes${bits}-wrap-pad`,
  isAuthenticated: true,
})
const SCHEMES = {
  cbc: cbc(256, 42),
  kwp: kwp(256, 48),
  cbc192: cbc(192, 22),
  cbc128: cbc(128, 2),
  kwp192: kwp(192, 28),
  kwp128: kwp(128, 8),
} as const
const KWP_IV = Buffer.from('a65959a6', 'hex')

/** OWASP's minimum for PBKDF2-HMAC-SHA-256 (password storage cheat sheet): about 0.2 seconds. */
export const PASSWORD_ROUNDS = 600_000
/** RFC 8018 §4.2 and RFC 7518 §4.8.1.2 recommend at least 1,000. Ours: the maximum, about a second of work. */
export const ROUNDS_TAKEN = { least: 1_000, most: 2_000_000 } as const
const SALT_BYTES = 16
const NULL = Buffer.from([0x05, 0x00])

const pbkdf2Async = promisify(pbkdf2)
const broken = (sentence: string, cause?: unknown) => new Refusal('RULE_BROKEN', sentence, { cause })

interface Derivation {
  readonly salt: Buffer
  readonly rounds: number
  readonly hash: string
}

const derive = (password: string, { salt, rounds, hash }: Derivation, keyBytes: number): Promise<Buffer> =>
  fewAtATime(() => pbkdf2Async(Buffer.from(password, 'utf8'), salt, rounds, keyBytes, hash))

/**
 * DER of the encrypted bytes.
 * @param scheme `cbc`: AES-256-CBC, as in an ENCRYPTED PRIVATE KEY; `kwp`: AES-256 key wrap with padding
 * @throws Refusal TOO_MANY_REQUESTS when too many passwords are being worked on
 */
export async function encryptPbes2(
  clear: Buffer,
  password: string,
  scheme: 'cbc' | 'kwp',
  rounds: number = PASSWORD_ROUNDS,
): Promise<Buffer> {
  const { cipher: name, oid: id, keyBytes } = SCHEMES[scheme]
  const salt = randomBytes(SALT_BYTES)
  const iv = scheme === 'cbc' ? randomBytes(16) : KWP_IV
  const dek = await derive(password, { salt, rounds, hash: 'sha256' }, keyBytes)
  const cipher = createCipheriv(name, dek, iv)
  const encrypted = Buffer.concat([cipher.update(clear), cipher.final()])
  dek.fill(0)
  const prf = der(TAG.sequence, PRFS.sha256, NULL)
  const kdf = der(TAG.sequence, der(TAG.octetString, salt), derInteger(rounds), prf)
  const encryption = der(TAG.sequence, id, ...(scheme === 'cbc' ? [der(TAG.octetString, iv)] : []))
  const parameters = der(TAG.sequence, der(TAG.sequence, OID.pbkdf2, kdf), encryption)
  return der(TAG.sequence, der(TAG.sequence, OID.pbes2, parameters), der(TAG.octetString, encrypted))
}

/**
 * The decrypted bytes, which the caller destroys. `isAuthenticated`: see above; if false, the caller checks their
 * structure.
 * @throws Refusal RULE_BROKEN: another structure, ciphers or rounds that are not accepted, a wrong password;
 * TOO_MANY_REQUESTS
 */
export async function decryptPbes2(
  encrypted: Buffer,
  password: string,
): Promise<{ bytes: SecretBytes; isAuthenticated: boolean }> {
  const { scheme, iv, derivation, content } = read(encrypted)
  const dek = await derive(password, derivation, scheme.keyBytes)
  try {
    const decipher = createDecipheriv(scheme.cipher, dek, iv)
    const [first, last] = [decipher.update(content), decipher.final()]
    const bytes = SecretBytes.take(Buffer.concat([first, last]))
    first.fill(0)
    last.fill(0)
    return { bytes, isAuthenticated: scheme.isAuthenticated }
  } catch (cause) {
    throw broken('material cannot be opened with this password', cause)
  } finally {
    dek.fill(0)
  }
}

interface Encrypted {
  readonly scheme: Scheme
  readonly iv: Buffer
  readonly derivation: Derivation
  readonly content: Buffer
}

function read(encrypted: Buffer): Encrypted {
  try {
    const members = membersOf(readDer(encrypted, TAG.sequence))
    const algorithm = membersOf(memberAt(members, 0, TAG.sequence))
    if (!memberAt(algorithm, 0, TAG.oid).whole.equals(OID.pbes2)) throw new DerError('not PBES2')
    const parameters = membersOf(memberAt(algorithm, 1, TAG.sequence))
    const content = memberAt(members, 1, TAG.octetString).body
    const { scheme, iv } = readScheme(memberAt(parameters, 1, TAG.sequence))
    const derivation = readDerivation(memberAt(parameters, 0, TAG.sequence), scheme.keyBytes)
    return { scheme, iv, derivation, content }
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause
    throw broken(
      'material under a password must be PBES2 with PBKDF2 in DER form, as of an ENCRYPTED PRIVATE KEY',
      cause,
    )
  }
}

function readScheme(element: Der): { scheme: Scheme; iv: Buffer } {
  const members = membersOf(element)
  const id = memberAt(members, 0, TAG.oid).whole
  const scheme = Object.values(SCHEMES).find((row) => row.oid.equals(id))
  if (scheme === undefined) throw broken('the cipher of PBES2 must be AES in CBC mode, or AES key wrap with padding')
  return { scheme, iv: scheme.isAuthenticated ? KWP_IV : ivOf(members) }
}

function ivOf(members: readonly Der[]): Buffer {
  const iv = memberAt(members, 1, TAG.octetString).body
  if (iv.length !== 16) throw new DerError('not an iv of AES')
  return iv
}

function readDerivation(element: Der, keyBytes: number): Derivation {
  const members = membersOf(element)
  if (!memberAt(members, 0, TAG.oid).whole.equals(OID.pbkdf2)) throw new DerError('not PBKDF2')
  const parameters = membersOf(memberAt(members, 1, TAG.sequence))
  const [length, prf] = parameters[2]?.tag === TAG.integer ? parameters.slice(2) : [undefined, parameters[2]]
  if (length !== undefined && bigintOf(length) !== BigInt(keyBytes)) throw new DerError('a key of another length')
  return {
    salt: memberAt(parameters, 0, TAG.octetString).body,
    rounds: roundsTaken(bigintOf(memberAt(parameters, 1, TAG.integer))),
    hash: prf === undefined ? 'sha1' : hashOf(memberAt(membersOf(prf), 0, TAG.oid).whole), // DEFAULT of RFC 8018 §A.2
  }
}

function hashOf(id: Buffer): string {
  const found = Object.entries(PRFS).find(([, prf]) => prf.equals(id))
  if (found === undefined) throw broken('PBKDF2 must use HMAC with SHA-1, SHA-256, SHA-384 or SHA-512')
  return found[0]
}

function roundsTaken(rounds: bigint): number {
  const { least, most } = ROUNDS_TAKEN
  if (rounds >= BigInt(least) && rounds <= BigInt(most)) return Number(rounds)
  throw broken(`the password rounds of material must be between ${least} and ${most}`)
}
