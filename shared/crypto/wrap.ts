import { constants, createCipheriv, createDecipheriv, privateDecrypt, publicEncrypt } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../base/errors.ts'
import { isNameIn } from '../base/json.ts'
import { ciphertextInvalid } from './aead.ts'
import { asKeyObject } from './key-material.ts'
import type { KeyMaterial } from './key-material.ts'
import { modulusBytesOf } from './public-half.ts'
import { SecretBytes } from './secret-bytes.ts'

/** One way to wrap key material under another key. */
export interface WrappingRow {
  /** The name in the API, or only the padding for plain RSA. */
  readonly name: string
  /** The kind of kek. A private RSA key wraps with its public half; unwrapping needs the private half. */
  readonly kek: 'aes' | 'rsa'
  readonly wrap: (kek: KeyObject, bytes: Buffer) => Buffer
  /** May throw any error; `unwrap` below turns it into a single refusal. */
  readonly unwrap: (kek: KeyObject, wrapped: Uint8Array) => Buffer
}

/** Initial values: RFC 3394 §2.2.3.1 and RFC 5649 §3. */
const KW_IV = Buffer.from('a6a6a6a6a6a6a6a6', 'hex')
const KWP_IV = Buffer.from('a65959a6', 'hex')
const SEMIBLOCK_BYTES = 8
const EPHEMERAL_BYTES = 32

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

function aesRow(name: string, suffix: string, iv: Buffer, check: (bytes: Buffer) => void): WrappingRow {
  const cipherOf = (kek: KeyObject) => `id-aes${(kek.symmetricKeySize ?? 0) * 8}-${suffix}`
  return {
    name,
    kek: 'aes',
    wrap: (kek, bytes) => {
      check(bytes)
      const cipher = createCipheriv(cipherOf(kek), kek, iv)
      return Buffer.concat([cipher.update(bytes), cipher.final()])
    },
    unwrap: (kek, wrapped) => {
      const decipher = createDecipheriv(cipherOf(kek), kek, iv)
      return joined(decipher.update(wrapped), decipher.final())
    },
  }
}

/** RFC 3394 §2 and SP 800-38F §6.2: at least two whole semiblocks. */
const kw = aesRow('AES/AESKEYWRAP', 'wrap', KW_IV, (bytes) => {
  if (bytes.length % SEMIBLOCK_BYTES === 0 && bytes.length >= 2 * SEMIBLOCK_BYTES) return
  throw broken('AES/AESKEYWRAP takes material of at least 16 bytes in multiples of 8; use AES/AESKEYWRAPPADDING')
})

/** RFC 5649. */
const kwp = aesRow('AES/AESKEYWRAPPADDING', 'wrap-pad', KWP_IV, (bytes) => {
  if (bytes.length === 0) throw broken('there is no material to wrap')
})

type OaepHash = 'sha1' | 'sha256' | 'sha384' | 'sha512'

/** RSAES-OAEP (RFC 8017 §7.1) with MGF1 over the same hash and an empty label. */
function oaepRow(name: string, oaepHash: OaepHash, hashBytes: number): WrappingRow {
  const options = (key: KeyObject) => ({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash })
  return {
    name,
    kek: 'rsa',
    wrap: (kek, bytes) => {
      requireFits(name, kek, bytes, 2 * hashBytes + 2)
      return publicEncrypt(options(kek), bytes)
    },
    unwrap: (kek, wrapped) => privateDecrypt(options(kek), wrapped),
  }
}

/**
 * RSAES-PKCS1-v1_5 (RFC 8017 §7.2), for legacy partners. Unwrapping relies on OpenSSL's implicit rejection (since 3.2):
 * wrong padding results in random bytes instead of an error, which prevents a Bleichenbacher oracle. The result is
 * therefore not authenticated; the import of the key must check it.
 */
const pkcs1: WrappingRow = {
  name: 'pkcs1',
  kek: 'rsa',
  wrap: (kek, bytes) => {
    requireFits('pkcs1', kek, bytes, 11)
    return publicEncrypt({ key: kek, padding: constants.RSA_PKCS1_PADDING }, bytes)
  },
  unwrap: (kek, wrapped) => privateDecrypt({ key: kek, padding: constants.RSA_PKCS1_PADDING }, wrapped),
}

const oaep = oaepRow('oaep', 'sha1', 20)
const oaep256 = oaepRow('oaep256', 'sha256', 32)
const oaep384 = oaepRow('oaep384', 'sha384', 48)
const oaep512 = oaepRow('oaep512', 'sha512', 64)

/**
 * An ephemeral AES-256 key under RSA-OAEP, then the material under that key with RFC 5649: the layout of PKCS #11 v3.0,
 * CKM_RSA_AES_KEY_WRAP. Fits material of any length.
 */
function rsaAesRow(outer: WrappingRow): WrappingRow {
  return {
    name: 'RSA/RSAAESKEYWRAPPADDING',
    kek: 'rsa',
    wrap: (kek, bytes) => {
      const ephemeral = SecretBytes.random(EPHEMERAL_BYTES)
      try {
        return Buffer.concat([ephemeral.use((key) => outer.wrap(kek, key)), wrap(kwp, aesKek(ephemeral), bytes)])
      } finally {
        ephemeral.destroy()
      }
    },
    unwrap: (kek, wrapped) => {
      const modulusBytes = modulusBytesOf(kek)
      const ephemeral = SecretBytes.take(outer.unwrap(kek, wrapped.subarray(0, modulusBytes)))
      try {
        if (ephemeral.length !== EPHEMERAL_BYTES) throw ciphertextInvalid()
        return kwp.unwrap(asKeyObject(aesKek(ephemeral)), wrapped.subarray(modulusBytes))
      } finally {
        ephemeral.destroy()
      }
    },
  }
}

const aesKek = (bytes: SecretBytes): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: bytes.length * 8,
  bytes,
})

/** Values of `wrapPublicKeyPadding`. */
const PADDINGS = { pkcs1, oaep, oaep256, oaep384, oaep512 } as const
/** Ours: SHA-256 if RSA-AES is requested without a padding; PKCS #11 does not specify it. */
const RSA_AES = {
  oaep: rsaAesRow(oaep),
  oaep256: rsaAesRow(oaep256),
  oaep384: rsaAesRow(oaep384),
  oaep512: rsaAesRow(oaep512),
} as const

/** Values of `wrappingEncryptionAlgo` and `wrapPublicKeyPadding`. */
export const WRAPPINGS = {
  'AES/AESKEYWRAP': kw,
  'AES/AESKEYWRAPPADDING': kwp,
  'RSA/RSAAESKEYWRAPPADDING': RSA_AES.oaep256,
  ...PADDINGS,
} as const satisfies Record<string, WrappingRow>

/**
 * The row for the two fields of a request: an AES wrap alone, an RSA padding alone, or RSA-AES with the padding of its
 * outer part. Names in any case.
 * @throws Refusal RULE_BROKEN for unknown names, if both are absent, or for a combination that does not exist
 */
export function wrappingNamed(wanted: {
  readonly wrappingEncryptionAlgo?: string | undefined
  readonly wrapPublicKeyPadding?: string | undefined
}): WrappingRow {
  const algorithm = wanted.wrappingEncryptionAlgo?.toUpperCase()
  const padding = wanted.wrapPublicKeyPadding?.toLowerCase()
  if (padding !== undefined && !isNameIn(PADDINGS, padding)) {
    throw broken(`wrapPublicKeyPadding must be one of ${Object.keys(PADDINGS).join(', ')}`)
  }
  if (algorithm === undefined) {
    if (padding === undefined) throw broken('wrappingEncryptionAlgo or wrapPublicKeyPadding must be given')
    return PADDINGS[padding]
  }
  if (algorithm === 'RSA/RSAAESKEYWRAPPADDING') {
    if (padding === 'pkcs1') throw broken('RSA/RSAAESKEYWRAPPADDING goes with an oaep padding')
    return RSA_AES[padding ?? 'oaep256']
  }
  if (algorithm !== 'AES/AESKEYWRAP' && algorithm !== 'AES/AESKEYWRAPPADDING') {
    throw broken(
      'wrappingEncryptionAlgo must be one of AES/AESKEYWRAP, AES/AESKEYWRAPPADDING, RSA/RSAAESKEYWRAPPADDING',
    )
  }
  if (padding !== undefined) throw broken(`wrapPublicKeyPadding does not go with ${algorithm}`)
  return WRAPPINGS[algorithm]
}

/**
 * @param kek AES for the AES rows, RSA for the others, public or private
 * @throws Refusal RULE_BROKEN if kek or material does not fit the row
 */
export function wrap(row: WrappingRow, kek: KeyMaterial | KeyObject, bytes: SecretBytes | Buffer): Buffer {
  const key = kekFor(row, kek)
  return bytes instanceof SecretBytes ? bytes.use((clear) => row.wrap(key, clear)) : row.wrap(key, bytes)
}

/**
 * @param kek AES for the AES rows, the private RSA key for the others
 * @throws Refusal CIPHERTEXT_INVALID, the same for every cause; RULE_BROKEN if the kek is of another kind
 */
export function unwrap(row: WrappingRow, kek: KeyMaterial | KeyObject, wrapped: Uint8Array): SecretBytes {
  const key = kekFor(row, kek)
  if (key.type === 'public') throw broken('unwrapping needs a private key')
  let clear
  try {
    clear = row.unwrap(key, wrapped)
  } catch {
    throw ciphertextInvalid()
  }
  if (clear.length === 0) throw ciphertextInvalid() // an empty result is never a key
  return SecretBytes.take(clear)
}

function kekFor(row: WrappingRow, kek: KeyMaterial | KeyObject): KeyObject {
  const key = 'bytes' in kek ? asKeyObject(kek) : kek
  const isAes = 'bytes' in kek ? kek.algorithm === 'aes' : key.type === 'secret'
  const fits = row.kek === 'rsa' ? key.asymmetricKeyType === 'rsa' : isAes && [16, 24, 32].includes(sizeOf(key))
  if (!fits) throw broken(`${row.name} needs ${row.kek === 'rsa' ? 'an RSA' : 'an AES'} key to wrap with`)
  return key
}

const sizeOf = (key: KeyObject) => key.symmetricKeySize ?? 0

function requireFits(name: string, kek: KeyObject, bytes: Buffer, overheadBytes: number): void {
  const most = modulusBytesOf(kek) - overheadBytes
  if (bytes.length === 0) throw broken('there is no material to wrap')
  if (bytes.length > most) {
    throw broken(
      `${name} under this key takes at most ${Math.max(most, 0)} bytes of material; use RSA/RSAAESKEYWRAPPADDING`,
    )
  }
}

/** Concatenates two buffers of clear bytes and zeroes them. */
function joined(first: Buffer, second: Buffer): Buffer {
  if (second.length === 0) return first
  const both = Buffer.concat([first, second])
  first.fill(0)
  second.fill(0)
  return both
}
