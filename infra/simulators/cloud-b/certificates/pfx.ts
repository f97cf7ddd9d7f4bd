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
  Asn1Error,
  at,
  der,
  hasMembers,
  integer,
  integerAt,
  membersOf,
  NULL,
  octets,
  octetsAt,
  oid,
  oidAt,
  parsed,
  sequence,
  sourceOf,
  tagged,
  type Asn1,
} from '../../toolkit/asn1.ts'
import { badParameter } from '../wire/errors.ts'

/*
 * PKCS #12 files (RFC 7292) with a private key and its certificates. Ours: independent of the product's reader, which
 * reads only the key; two readers also test each other.
 */
const OID = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certBag: '1.2.840.113549.1.12.10.1.3',
  x509: '1.2.840.113549.1.9.22.1',
  pbes2: '1.2.840.113549.1.5.13',
  tripleDes: '1.2.840.113549.1.12.1.3',
} as const

interface MacHash {
  readonly name: string
  readonly blockBytes: number
}
const SHA1: MacHash = { name: 'sha1', blockBytes: 64 }
const SHA256 = { oid: '2.16.840.1.101.3.4.2.1', name: 'sha256', blockBytes: 64 }
const MAC_HASHES: Readonly<Record<string, MacHash>> = {
  '1.3.14.3.2.26': SHA1,
  [SHA256.oid]: SHA256,
  '2.16.840.1.101.3.4.2.2': { name: 'sha384', blockBytes: 128 },
  '2.16.840.1.101.3.4.2.3': { name: 'sha512', blockBytes: 128 },
}
const SHA1_PRF = '1.2.840.113549.2.7'
const PRFS: Readonly<Record<string, string>> = {
  [SHA1_PRF]: 'sha1',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
}
const CIPHERS: Readonly<Record<string, { readonly name: string; readonly keyBytes: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyBytes: 24 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyBytes: 32 },
}
const ITERATIONS = 2_048
const SALT_BYTES = 16

export interface Opened {
  readonly key: KeyObject
  /** DER */
  readonly certificates: readonly Buffer[]
}

/** @throws ApiError BadParameter for a wrong password, a malformed file, or a file without exactly one key */
export function openPfx(pfx: Buffer, password: string): Opened {
  try {
    return opened(parsed(pfx), password)
  } catch (error) {
    if (error instanceof Asn1Error)
      throw badParameter('The specified PKCS#12 X.509 certificate content can not be read.')
    throw error
  }
}

function opened(pfx: Asn1, password: string): Opened {
  const [, authSafe, mac] = membersOf(pfx)
  const content = authSafe && dataOf(authSafe)
  if (content === undefined || mac === undefined) throw badParameter('The PKCS#12 content has no password integrity.')
  if (!isIntact(mac, content, password)) throw badParameter('The specified password is not correct.')
  const bags = membersOf(parsed(content)).flatMap((info) =>
    membersOf(parsed(dataOf(info) ?? decrypted(info, password))),
  )
  const certificates = bags.flatMap(certificateIn)
  const [only, ...others] = bags.flatMap((bag) => keyIn(bag, password))
  if (only === undefined || others.length > 0) throw badParameter('The PKCS#12 content must have one private key.')
  return { key: only, certificates }
}

const unsupported = () => badParameter('The encryption of the PKCS#12 content is not supported.')

/** The row of an object identifier. @throws ApiError BadParameter for an unknown one */
function rowOf<R>(rows: Readonly<Record<string, R>>, id: string): R {
  const row = rows[id]
  if (row === undefined) throw unsupported()
  return row
}

/** Octets of a ContentInfo of type data. */
const dataOf = (info: Asn1): Buffer | undefined => (oidAt(info, 0) === OID.data ? octetsAt(info, 1, 0) : undefined)

/** Octets of a ContentInfo of type encryptedData, in PBES2 or the older 3DES form. @see RFC 8018 §A.4, RFC 7292 §C */
function decrypted(info: Asn1, password: string): Buffer {
  if (oidAt(info, 0) !== OID.encryptedData) throw badParameter('Unknown PKCS#12 content.')
  const encrypted = at(info, 1, 0, 1)
  if (oidAt(encrypted, 1, 0) === OID.tripleDes)
    return byTripleDes(at(encrypted, 1, 1), octetsAt(encrypted, 2), password)
  if (oidAt(encrypted, 1, 0) !== OID.pbes2) throw unsupported()
  const [kdf, cipher] = [at(encrypted, 1, 1, 0, 1), at(encrypted, 1, 1, 1)]
  const { name, keyBytes } = rowOf(CIPHERS, oidAt(cipher, 0))
  // The key length is optional between the iterations and the hash.
  const [, , ...rest] = membersOf(kdf)
  const prf = rest.find(hasMembers)
  const prfHash = rowOf(PRFS, prf === undefined ? SHA1_PRF : oidAt(prf, 0))
  const key = pbkdf2Sync(password, octetsAt(kdf, 0), Number(integerAt(kdf, 1)), keyBytes, prfHash)
  const decipher = createDecipheriv(name, key, octetsAt(cipher, 1))
  return Buffer.concat([decipher.update(octetsAt(encrypted, 2)), decipher.final()])
}

function keyIn(bag: Asn1, password: string): KeyObject[] {
  const type = oidAt(bag, 0)
  if (type !== OID.keyBag && type !== OID.shroudedKeyBag) return []
  const shrouded = type === OID.shroudedKeyBag ? { passphrase: password } : {}
  return [createPrivateKey({ key: sourceOf(at(bag, 1, 0)), format: 'der', type: 'pkcs8', ...shrouded })]
}

const certificateIn = (bag: Asn1): Buffer[] => (oidAt(bag, 0) === OID.certBag ? [octetsAt(bag, 1, 0, 1, 0)] : [])

function isIntact(mac: Asn1, content: Buffer, password: string): boolean {
  const rounds = membersOf(mac).length === 2 ? 1 : Number(integerAt(mac, 2))
  const computed = macOf(content, password, octetsAt(mac, 1), rounds, rowOf(MAC_HASHES, oidAt(mac, 0, 0, 0)))
  return computed.equals(octetsAt(mac, 0, 1))
}

function byTripleDes(parameters: Asn1, encrypted: Buffer, password: string): Buffer {
  const [salt, rounds] = [octetsAt(parameters, 0), Number(integerAt(parameters, 1))]
  const bytes = (id: number, length: number): Buffer => derived(id, length, password, salt, rounds, SHA1)
  const decipher = createDecipheriv('des-ede3-cbc', bytes(1, 24), bytes(2, 8))
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}

/** RFC 7292 §B.2: 1 is for keys, 2 for initialization vectors. */
function derived(
  id: number,
  length: number,
  password: string,
  salt: Buffer,
  rounds: number,
  { name, blockBytes }: MacHash,
) {
  const filled = (bytes: Buffer) =>
    bytes.length === 0 ? bytes : Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes, bytes)
  const input = Buffer.concat([filled(salt), filled(Buffer.from(`${password}\0`, 'utf16le').swap16())])
  let all = Buffer.alloc(0)
  while (all.length < length) {
    let block = hash(name, Buffer.concat([Buffer.alloc(blockBytes, id), input]), 'buffer')
    for (let round = 1; round < rounds; round++) block = hash(name, block, 'buffer')
    all = Buffer.concat([all, block])
    const step = BigInt(`0x${Buffer.alloc(blockBytes, block).toString('hex')}`) + 1n
    for (let start = 0; start < input.length; start += blockBytes) {
      const part = input.subarray(start, start + blockBytes)
      const sum = BigInt.asUintN(8 * blockBytes, BigInt(`0x${part.toString('hex')}`) + step)
      part.set(Buffer.from(sum.toString(16).padStart(2 * blockBytes, '0'), 'hex'))
    }
  }
  return all.subarray(0, length)
}

/** RFC 7292 §B.2 with ID 3: the key has the hash's length, so one block is enough. */
function macOf(content: Buffer, password: string, salt: Buffer, rounds: number, { name, blockBytes }: MacHash): Buffer {
  const bmp = Buffer.from(`${password}\0`, 'utf16le').swap16()
  const filled = (bytes: Buffer) =>
    bytes.length === 0 ? bytes : Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes, bytes)
  let key = hash(name, Buffer.concat([Buffer.alloc(blockBytes, 3), filled(salt), filled(bmp)]), 'buffer')
  for (let round = 1; round < rounds; round++) key = hash(name, key, 'buffer')
  return createHmac(name, key).update(content).digest()
}

const content = (bytes: Buffer): Asn1 => sequence(oid(OID.data), tagged(0, octets(bytes)))

/** A file with an empty password, as vaults return it. @param pkcs8 of its key; without it, only certificates */
export function makePfx(pkcs8: Buffer | undefined, certificates: readonly Buffer[]): Buffer {
  const keys = pkcs8 === undefined ? [] : [sequence(oid(OID.keyBag), tagged(0, parsed(pkcs8)))]
  const bags = certificates.map((cer) =>
    sequence(oid(OID.certBag), tagged(0, sequence(oid(OID.x509), tagged(0, octets(cer))))),
  )
  const authSafe = der(sequence(content(der(sequence(...keys, ...bags)))))
  const salt = randomBytes(SALT_BYTES)
  const mac = macOf(authSafe, '', salt, ITERATIONS, SHA256)
  const info = sequence(sequence(oid(SHA256.oid), NULL), octets(mac))
  return der(sequence(integer(3), content(authSafe), sequence(info, octets(salt), integer(ITERATIONS))))
}
