import {
  createDecipheriv,
  createHmac,
  createPrivateKey,
  hash,
  pbkdf2Sync,
  randomBytes,
  type KeyObject,
} from 'node:crypto'
import {
  bigintOf,
  der,
  derInteger,
  memberAt,
  membersOf,
  oid,
  readDer,
  TAG,
  type Der,
} from '../../../shared/crypto/der.ts'
import { badParameter } from './errors.ts'

/*
 * PKCS #12 files (RFC 7292) with a private key and its certificates. Ours: beside the product's reader, which takes the
 * key alone; two readers also hold each other to the standard.
 */
const OID = {
  data: oid('1.2.840.113549.1.7.1'),
  encryptedData: oid('1.2.840.113549.1.7.6'),
  keyBag: oid('1.2.840.113549.1.12.10.1.1'),
  shroudedKeyBag: oid('1.2.840.113549.1.12.10.1.2'),
  certBag: oid('1.2.840.113549.1.12.10.1.3'),
  x509: oid('1.2.840.113549.1.9.22.1'),
  pbes2: oid('1.2.840.113549.1.5.13'),
} as const

interface Named {
  readonly name: string
  readonly oid: Buffer
}
const MAC_HASHES: readonly (Named & { readonly blockBytes: number })[] = [
  { name: 'sha1', oid: oid('1.3.14.3.2.26'), blockBytes: 64 },
  { name: 'sha256', oid: oid('2.16.840.1.101.3.4.2.1'), blockBytes: 64 },
  { name: 'sha384', oid: oid('2.16.840.1.101.3.4.2.2'), blockBytes: 128 },
  { name: 'sha512', oid: oid('2.16.840.1.101.3.4.2.3'), blockBytes: 128 },
]
const PRFS: readonly Named[] = [
  { name: 'sha1', oid: oid('1.2.840.113549.2.7') },
  { name: 'sha256', oid: oid('1.2.840.113549.2.9') },
  { name: 'sha384', oid: oid('1.2.840.113549.2.10') },
  { name: 'sha512', oid: oid('1.2.840.113549.2.11') },
]
const CIPHERS: readonly (Named & { readonly keyBytes: number })[] = [
  { name: 'aes-128-cbc', oid: oid('2.16.840.1.101.3.4.1.2'), keyBytes: 16 },
  { name: 'aes-192-cbc', oid: oid('2.16.840.1.101.3.4.1.22'), keyBytes: 24 },
  { name: 'aes-256-cbc', oid: oid('2.16.840.1.101.3.4.1.42'), keyBytes: 32 },
]
const SHA256 = MAC_HASHES[1] as (typeof MAC_HASHES)[number]
const ITERATIONS = 2_048
const SALT_BYTES = 16
const NULL = Buffer.of(5, 0)
const CONTEXT0 = 0x80

export interface Opened {
  readonly key: KeyObject
  /** DER */
  readonly certificates: readonly Buffer[]
}

/** @throws ApiError BadParameter for another password, and for what is no such file or has not exactly one key */
export function openPfx(pfx: Buffer, password: string): Opened {
  try {
    return opened(pfx, password)
  } catch (error) {
    if (error instanceof Error && error.name === 'DerError')
      throw badParameter('The specified PKCS#12 X.509 certificate content can not be read.')
    throw error
  }
}

function opened(pfx: Buffer, password: string): Opened {
  const [, authSafe, mac] = membersOf(readDer(pfx, TAG.sequence))
  const content = authSafe && dataOf(authSafe)
  if (content === undefined || mac === undefined) throw badParameter('The PKCS#12 content has no password integrity.')
  const wrongPassword = () => badParameter('The specified password is not correct.')
  if (!isIntact(mac, content, password)) throw wrongPassword()
  const bags = membersOf(readDer(content, TAG.sequence)).flatMap((info) => {
    const clear = dataOf(info) ?? decrypted(info, password)
    return membersOf(readDer(clear, TAG.sequence))
  })
  const certificates = bags.flatMap(certificateIn)
  const [only, ...others] = bags.flatMap((bag) => keyIn(bag, password))
  if (only === undefined || others.length > 0) throw badParameter('The PKCS#12 content must have one private key.')
  return { key: only, certificates }
}

/** Octets of a ContentInfo of type data. */
function dataOf(info: Der): Buffer | undefined {
  const members = membersOf(info)
  if (!memberAt(members, 0, TAG.oid).whole.equals(OID.data)) return undefined
  return readDer(memberAt(members, 1, TAG.context0).body, TAG.octetString).body
}

/** Octets of a ContentInfo of type encryptedData, in PBES2. */
function decrypted(info: Der, password: string): Buffer {
  const members = membersOf(info)
  if (!memberAt(members, 0, TAG.oid).whole.equals(OID.encryptedData)) throw badParameter('Unknown PKCS#12 content.')
  const data = membersOf(readDer(memberAt(members, 1, TAG.context0).body, TAG.sequence))
  const [, algorithm, content] = membersOf(memberAt(data, 1, TAG.sequence))
  const [scheme, parameters] = membersOf(algorithm as Der)
  if (scheme?.whole.equals(OID.pbes2) !== true || content?.tag !== CONTEXT0)
    throw badParameter('The encryption of the PKCS#12 content is not supported.')
  const [kdf, cipher] = membersOf(parameters as Der)
  const [salt, iterations, ...rest] = membersOf(memberAt(membersOf(kdf as Der), 1, TAG.sequence))
  const [cipherOid, iv] = membersOf(cipher as Der)
  const row = named(CIPHERS, cipherOid)
  const prfOf = rest.find(({ tag }) => tag === TAG.sequence)
  const prf = prfOf === undefined ? 'sha1' : named(PRFS, membersOf(prfOf)[0]).name
  const key = pbkdf2Sync(password, salt?.body ?? '', Number(bigintOf(iterations as Der)), row.keyBytes, prf)
  const decipher = createDecipheriv(row.name, key, iv?.body ?? Buffer.alloc(0))
  return Buffer.concat([decipher.update(content.body), decipher.final()])
}

function named<R extends Named>(rows: readonly R[], of: Der | undefined): R {
  const row = rows.find((each) => of?.whole.equals(each.oid) === true)
  if (row === undefined) throw badParameter('The encryption of the PKCS#12 content is not supported.')
  return row
}

function keyIn(bag: Der, password: string): KeyObject[] {
  const members = membersOf(bag)
  const type = memberAt(members, 0, TAG.oid).whole
  if (!type.equals(OID.keyBag) && !type.equals(OID.shroudedKeyBag)) return []
  const shrouded = type.equals(OID.shroudedKeyBag) ? { passphrase: password } : {}
  return [createPrivateKey({ key: memberAt(members, 1, TAG.context0).body, format: 'der', type: 'pkcs8', ...shrouded })]
}

function certificateIn(bag: Der): Buffer[] {
  const members = membersOf(bag)
  if (!memberAt(members, 0, TAG.oid).whole.equals(OID.certBag)) return []
  const value = membersOf(readDer(memberAt(members, 1, TAG.context0).body, TAG.sequence))
  return [readDer(memberAt(value, 1, TAG.context0).body, TAG.octetString).body]
}

function isIntact(mac: Der, content: Buffer, password: string): boolean {
  const [info, salt, iterations] = membersOf(mac)
  const [algorithm, digest] = membersOf(info as Der)
  const row = named(MAC_HASHES, membersOf(algorithm as Der)[0])
  const rounds = iterations === undefined ? 1 : Number(bigintOf(iterations))
  return macOf(content, password, salt?.body ?? Buffer.alloc(0), rounds, row).equals(digest?.body ?? Buffer.alloc(0))
}

/** RFC 7292 §B.2 with ID 3: one block is enough for a key as long as the hash. */
function macOf(
  content: Buffer,
  password: string,
  salt: Buffer,
  rounds: number,
  { name, blockBytes }: { readonly name: string; readonly blockBytes: number },
): Buffer {
  const bmp = Buffer.from(`${password}\0`, 'utf16le').swap16()
  const filled = (bytes: Buffer) =>
    bytes.length === 0 ? bytes : Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes, bytes)
  let key = hash(name, Buffer.concat([Buffer.alloc(blockBytes, 3), filled(salt), filled(bmp)]), 'buffer')
  for (let round = 1; round < rounds; round++) key = hash(name, key, 'buffer')
  return createHmac(name, key).update(content).digest()
}

const sequence = (...parts: Uint8Array[]): Buffer => der(TAG.sequence, ...parts)
const content = (bytes: Buffer): Buffer => sequence(OID.data, der(TAG.context0, der(TAG.octetString, bytes)))

/** A file under the empty password, as vaults give it out. @param pkcs8 of its key; without one, certificates alone */
export function makePfx(pkcs8: Buffer | undefined, certificates: readonly Buffer[]): Buffer {
  const keys = pkcs8 === undefined ? [] : [sequence(OID.keyBag, der(TAG.context0, pkcs8))]
  const bags = certificates.map((cer) => {
    const value = sequence(OID.x509, der(TAG.context0, der(TAG.octetString, cer)))
    return sequence(OID.certBag, der(TAG.context0, value))
  })
  const authSafe = sequence(content(sequence(...keys, ...bags)))
  const salt = randomBytes(SALT_BYTES)
  const mac = macOf(authSafe, '', salt, ITERATIONS, SHA256)
  const info = sequence(sequence(SHA256.oid, NULL), der(TAG.octetString, mac))
  return sequence(derInteger(3), content(authSafe), sequence(info, der(TAG.octetString, salt), derInteger(ITERATIONS)))
}
