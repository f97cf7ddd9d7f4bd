import {
  createCipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPair,
  X509Certificate,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../base/errors.ts'
import { LOCAL_ALGORITHMS, curveNamed, requireSize } from './algorithms.ts'
import type { AlgorithmName, AlgorithmRow } from './algorithms.ts'
import { fewAtATime } from './few-at-a-time.ts'
import { isUnstructured, type ObjectType } from './object-types.ts'
import { spkiOf } from './public-half.ts'
import { SecretBytes } from './secret-bytes.ts'
import { randomXts, requireXtsSize, xtsCheckBlock } from './xts.ts'

/** One key in the clear. Its owner calls `bytes.destroy()` when done. */
export interface KeyMaterial {
  readonly objectType: ObjectType
  readonly algorithm: AlgorithmName
  readonly sizeBits: number
  /** `curveid`, for an ec key. */
  readonly curve?: string
  /**
   * set if it consists of two AES keys of `sizeBits` each, the data key and the tweak key: no operation here uses it
   */
  readonly xts?: true
  /** PKCS #8 DER of a private key, SubjectPublicKeyInfo DER of a public one, DER of a certificate; otherwise raw. */
  readonly bytes: SecretBytes
}

/**
 * A new key. RSA and EC keys are generated outside the event loop; RSA 4096 may take seconds.
 * @param wanted.sizeBits default of the row when absent; ignored for `ec`, whose curve sets the size
 * @param wanted.curve `curveid`; default of the row when absent
 * @param wanted.xts material for XTS, of two halves of `sizeBits`
 * @throws Refusal RULE_BROKEN for a size or curve that the row does not have, and for algorithms that can only be
 * imported; TOO_MANY_REQUESTS when too many RSA keys are being generated
 */
export async function generateMaterial(
  row: AlgorithmRow,
  wanted: {
    readonly sizeBits?: number | undefined
    readonly curve?: string | undefined
    readonly xts?: boolean | undefined
  } = {},
): Promise<KeyMaterial> {
  if (wanted.xts === true) return generateXts(row, wanted.sizeBits)
  if (row.family === 'ec') {
    const curve = curveNamed(row, wanted.curve)
    const bytes = await (curve.opensslName === undefined ? ed25519() : ecKey(curve.opensslName))
    return { objectType: 'Private Key', algorithm: row.name, sizeBits: curve.sizeBits, curve: curve.id, bytes }
  }
  if (row.family === 'opaque') throw new Refusal('RULE_BROKEN', `${row.name} material is not made here: import it`)
  const sizeBits = wanted.sizeBits ?? row.sizesBits[0] ?? 0
  requireSize(row, sizeBits)
  const bytes = await newBytes(row, sizeBits)
  const { finish } = row.block ?? {}
  if (finish) bytes.use(finish)
  return { objectType: row.objectType, algorithm: row.name, sizeBits, bytes }
}

async function newBytes({ family, name }: AlgorithmRow, sizeBits: number): Promise<SecretBytes> {
  if (family === 'rsa') return rsaKey(sizeBits)
  return family === 'lattice' ? latticeKey(`${name}-${sizeBits}`) : SecretBytes.random(sizeBits / 8)
}

function generateXts(row: AlgorithmRow, wantedBits: number | undefined): KeyMaterial {
  const sizeBits = wantedBits ?? row.xtsSizesBits?.[0] ?? 0
  requireXtsSize(row, sizeBits)
  return { objectType: row.objectType, algorithm: row.name, sizeBits, xts: true, bytes: randomXts(sizeBits) }
}

/**
 * The public key, for the record that is linked to a private key.
 * @throws TypeError for material without one: a fault that no caller can cause
 */
export function publicOf(material: KeyMaterial): KeyMaterial {
  if (isUnstructured(material.objectType)) throw new TypeError(`a ${material.objectType} has no public half`)
  return { ...material, objectType: 'Public Key', bytes: SecretBytes.take(spkiOf(asKeyObject(material))) }
}

/**
 * As a key of `node:crypto`; for a certificate, its public key. OpenSSL owns the copy of the bytes: it is freed with
 * the object and cannot be zeroed here.
 * @throws Refusal RULE_BROKEN for xts material: 128 bits of it would pass as an AES-256 key
 */
export function asKeyObject(material: KeyMaterial): KeyObject {
  if (material.xts) throw new Refusal('RULE_BROKEN', 'an xts key is only kept, cloned and exported')
  return material.bytes.use((bytes) => {
    if (isUnstructured(material.objectType)) return createSecretKey(bytes)
    if (material.objectType === 'Certificate') return new X509Certificate(bytes).publicKey
    return material.objectType === 'Private Key'
      ? createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' })
      : createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  })
}

/**
 * SHA-1 and SHA-256, in hex: of a certificate, or of the SubjectPublicKeyInfo, which is the same for both halves of a
 * pair. Ours: undefined for other objects, because a hash of the key would let any reader test guesses.
 */
export function fingerprints(material: KeyMaterial): { sha1: string; sha256: string } | undefined {
  if (isUnstructured(material.objectType)) return undefined
  if (material.objectType === 'Certificate') return material.bytes.use(digestsOf)
  return publicKeyPrints(material)
}

/** The fingerprints of the key pair that a certificate, or a half of the pair, belongs to. */
export const publicKeyPrints = (material: KeyMaterial): { sha1: string; sha256: string } =>
  digestsOf(spkiOf(asKeyObject(material)))

function digestsOf(bytes: Buffer): { sha1: string; sha256: string } {
  const digest = (hash: string) => createHash(hash).update(bytes).digest('hex')
  return { sha1: digest('sha1'), sha256: digest('sha256') }
}

/**
 * Key check value, six hex digits; undefined for asymmetric keys. Block ciphers: the first bytes of a zero block
 * encrypted in ECB mode (PKCS #11 v3.0, CKA_CHECK_VALUE). HMAC: PKCS #11 would hash the key itself. Ours: the first
 * bytes of the MAC of an empty message, so that the key is only used, never hashed.
 */
export function keyCheckValue(material: KeyMaterial): string | undefined {
  if (material.objectType !== 'Symmetric Key') return undefined
  const { hash, block } = LOCAL_ALGORITHMS[material.algorithm]
  const check = material.bytes.use((bytes) => {
    if (material.xts) return xtsCheckBlock(bytes, material.sizeBits)
    if (block)
      return createCipheriv(block.ecbName(material.sizeBits), bytes, null).update(Buffer.alloc(block.blockBytes))
    return hash && createHmac(hash, bytes).digest()
  })
  return check?.subarray(0, 3).toString('hex')
}

/** The canonical bytes of a private key. */
export function pkcs8Of(key: KeyObject): SecretBytes {
  return SecretBytes.take(key.export({ format: 'der', type: 'pkcs8' }))
}

/** The callback of `generateKeyPair`. The public half can be derived from the private one. */
type Made = (error: Error | null, publicKey: KeyObject, privateKey: KeyObject) => void

function privateHalf(start: (made: Made) => void): Promise<SecretBytes> {
  return new Promise((resolve, reject) => {
    start((error, _publicKey, privateKey) => (error === null ? resolve(pkcs8Of(privateKey)) : reject(error)))
  })
}

const rsaKey = (modulusLength: number) =>
  fewAtATime(() => privateHalf((made) => generateKeyPair('rsa', { modulusLength }, made)))
const ecKey = (namedCurve: string) => privateHalf((made) => generateKeyPair('ec', { namedCurve }, made))
/** @param type with its parameter set, such as `ml-dsa-65`, as the row's sizes allow */
const latticeKey = (type: string) => privateHalf((made) => generateKeyPair(type as 'ml-dsa-65', {}, made)) // the runtime declares each name apart
const ed25519 = () => privateHalf((made) => generateKeyPair('ed25519', {}, made))
