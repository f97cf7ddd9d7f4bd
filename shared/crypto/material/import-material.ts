import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { namesOf } from '../../base/fields.ts'
import { algorithmNamed, findCurve, requireSize } from '../algorithms.ts'
import type { AlgorithmRow } from '../algorithms.ts'
import { materialOfKey } from './consistent-key.ts'
import { certificateMaterial } from './certificate-material.ts'
import type { KeyMaterial } from '../key-material.ts'
import { isUnstructured, type ObjectType } from '../object-types.ts'
import { findPem } from '../asn1/pem.ts'
import { openEncryptedPkcs8, openPkcs12 } from './pkcs12.ts'
import { SecretBytes } from '../secret-bytes.ts'
import { requireXtsSize, xtsFault } from '../xts.ts'

export type MaterialFormat = 'raw' | 'pkcs1' | 'pkcs8' | 'pkcs12' | 'opaque'
export type MaterialEncoding = 'hex' | 'base64'

/** Limit of one import, 64 KiB. Ours: counted in its encoding, as received. */
const MOST_MATERIAL_BYTES = 65_536

const broken = (sentence: string, cause?: unknown) => new Refusal('RULE_BROKEN', sentence, { cause })

/** The caller's description of the key. Each given field must match. */
export interface Expected {
  /** required except for a certificate */
  readonly algorithm?: string | undefined
  readonly objectType?: ObjectType | undefined
  readonly sizeBits?: number | undefined
  readonly curve?: string | undefined
  /** whether it consists of two halves of `sizeBits` */
  readonly xts?: boolean | undefined
}

/** DER structures, by the label of their PEM form (RFC 7468; RFC 8017 §A.1, RFC 5915). */
const STRUCTURES = {
  'PRIVATE KEY': { format: 'pkcs8', read: (key) => createPrivateKey({ key, format: 'der', type: 'pkcs8' }) },
  'ENCRYPTED PRIVATE KEY': { format: 'pkcs8', read: openEncryptedPkcs8 },
  'PUBLIC KEY': { format: 'pkcs8', read: (key) => createPublicKey({ key, format: 'der', type: 'spki' }) },
  'RSA PRIVATE KEY': { format: 'pkcs1', read: (key) => createPrivateKey({ key, format: 'der', type: 'pkcs1' }) },
  'RSA PUBLIC KEY': { format: 'pkcs1', read: (key) => createPublicKey({ key, format: 'der', type: 'pkcs1' }) },
  // Ours: `pkcs1` also names the older form of an ec key, as in tools that offer both forms.
  'EC PRIVATE KEY': { format: 'pkcs1', read: (key) => createPrivateKey({ key, format: 'der', type: 'sec1' }) },
} as const satisfies Record<
  string,
  { format: MaterialFormat; read: (der: Buffer<ArrayBuffer>, password: string) => KeyObject }
>
type Label = keyof typeof STRUCTURES

/**
 * Key material from a create call: hex (default) or base64 of a run of bytes, PEM of an asymmetric key or a certificate
 * (or its DER, if `encoding` is given), base64 of a PFX.
 * @param from.format default `raw` for symmetric keys, `opaque` for opaque ones, otherwise set by the PEM label
 * @param from.password of a PFX or an encrypted PKCS #8 key
 * @throws Refusal RULE_BROKEN with a message that never shows material
 */
export async function importMaterial(
  from: Expected & {
    readonly format?: MaterialFormat | undefined
    readonly encoding?: MaterialEncoding | undefined
    readonly material: string
    readonly password?: string | undefined
  },
): Promise<KeyMaterial> {
  if (from.material.length > MOST_MATERIAL_BYTES) throw broken(`material must not exceed ${MOST_MATERIAL_BYTES} bytes`)
  if (from.objectType === 'Certificate') return readCertificate(from)
  const row = algorithmNamed(from.algorithm ?? '')
  if (isUnstructured(row.objectType)) {
    requireFormat(row, from.format ?? nativeOf(row))
    return bareMaterial(row, SecretBytes.take(decode(from.material, from.encoding ?? 'hex')), from)
  }
  if (from.format !== undefined) requireFormat(row, from.format)
  if (from.format === 'pkcs12') {
    const pfx = decode(from.material, from.encoding ?? 'base64')
    return expected(from, row, openPkcs12(pfx, from.password ?? ''))
  }
  if (from.encoding !== undefined) {
    const bytes = SecretBytes.take(decode(from.material, from.encoding))
    return materialFromBytes({ ...from, bytes, format: from.format ?? 'pkcs8' })
  }
  const { label, der } = decodePem(from.material)
  const structure = STRUCTURES[label]
  if (from.format !== undefined && from.format !== structure.format) {
    throw broken(`material is labelled ${label}, which is not of format ${from.format}`)
  }
  const key = await read(() => structure.read(der, from.password ?? ''))
  der.fill(0)
  return expected(from, row, key)
}

/**
 * Key material from unwrapped bytes: raw for symmetric keys; DER for asymmetric ones, parsed as a private key first and
 * then as a public one. Takes ownership of `bytes`.
 * @throws Refusal RULE_BROKEN
 */
export async function materialFromBytes(
  from: Expected & { readonly format?: MaterialFormat | undefined; readonly bytes: SecretBytes },
): Promise<KeyMaterial> {
  if (from.objectType === 'Certificate') return certificateOf(from, from.bytes)
  const row = algorithmNamed(from.algorithm ?? '')
  const format = from.format ?? nativeOf(row)
  requireFormat(row, format)
  if (isUnstructured(row.objectType)) return bareMaterial(row, from.bytes, from)
  if (format === 'pkcs12') throw broken('wrapped material must be in format pkcs1 or pkcs8')
  const labels: readonly Label[] =
    format === 'pkcs8' ? ['PRIVATE KEY', 'PUBLIC KEY'] : ['RSA PRIVATE KEY', 'EC PRIVATE KEY', 'RSA PUBLIC KEY']
  try {
    return await expected(
      from,
      row,
      from.bytes.use((bytes) => firstOf(labels, Buffer.from(bytes))),
    )
  } finally {
    from.bytes.destroy()
  }
}

const FORMATS_OF: Readonly<Record<AlgorithmRow['objectType'], readonly [MaterialFormat, ...MaterialFormat[]]>> = {
  'Symmetric Key': ['raw'],
  'Opaque Object': ['opaque'],
  'Private Key': ['pkcs8', 'pkcs1', 'pkcs12'],
}

const nativeOf = (row: AlgorithmRow): MaterialFormat => FORMATS_OF[row.objectType][0]

function requireFormat(row: AlgorithmRow, format: MaterialFormat): void {
  const formats = FORMATS_OF[row.objectType]
  if (!formats.includes(format)) throw broken(`format of ${row.name} must be ${formats.join(', ')}`)
}

function readCertificate(from: Parameters<typeof importMaterial>[0]): Promise<KeyMaterial> {
  const { encoding, material } = from
  const bytes = encoding === undefined ? decodeLabelled(material, 'CERTIFICATE') : decode(material, encoding)
  return certificateOf(from, SecretBytes.take(bytes))
}

/** Takes ownership of `bytes`. */
async function certificateOf(
  from: Expected & { readonly format?: MaterialFormat | undefined },
  bytes: SecretBytes,
): Promise<KeyMaterial> {
  try {
    if (from.format !== undefined) throw broken('a certificate has no other format: leave the field out')
    const material = await certificateMaterial(bytes)
    requireEqual('algorithm', from.algorithm?.toLowerCase(), material.algorithm)
    requireEqual('curveid', from.curve?.toLowerCase(), material.curve?.toLowerCase())
    if (material.curve === undefined) requireEqual('size', from.sizeBits, material.sizeBits)
    return material
  } catch (refusal) {
    bytes.destroy()
    throw refusal
  }
}

function bareMaterial(row: AlgorithmRow, bytes: SecretBytes, from: Expected): KeyMaterial {
  const isXts = from.xts === true
  const sizeBits = bytes.length * (isXts ? 4 : 8)
  try {
    if (isXts) requireXtsSize(row, sizeBits)
    else requireSize(row, sizeBits)
    requireEqual('size', from.sizeBits, sizeBits)
    const fault = bytes.use((own) => (isXts ? xtsFault(own) : row.block?.fault?.(own)))
    if (fault !== undefined) throw broken(fault)
  } catch (refusal) {
    bytes.destroy()
    throw refusal
  }
  const isSecretData = row.family === 'opaque' && from.objectType === 'Secret Data'
  const objectType = isSecretData ? 'Secret Data' : row.objectType
  return { objectType, algorithm: row.name, sizeBits, ...(isXts && { xts: true }), bytes }
}

/**
 * The RSA or EC private key of a PFX; `undefined` for one of another algorithm.
 * @throws Refusal RULE_BROKEN: wrong password, not a PFX
 */
export async function materialOfPkcs12(pfx: Buffer, password: string): Promise<KeyMaterial | undefined> {
  const key = openPkcs12(pfx, password)
  const row = (['rsa', 'ec'] as const).map(algorithmNamed).find(({ name }) => name === key.asymmetricKeyType)
  return row && read(() => materialOfKey(row, key))
}

async function expected(from: Expected, row: AlgorithmRow, key: KeyObject): Promise<KeyMaterial> {
  const material = await read(() => materialOfKey(row, key)) // OpenSSL detects some faults only when it exports a key
  try {
    // The size of an ec key follows from its curve.
    if (row.family !== 'ec') requireEqual('size', from.sizeBits, material.sizeBits)
    if (from.curve !== undefined) requireEqual('curveid', findCurve(row, from.curve)?.id ?? '', material.curve)
  } catch (refusal) {
    material.bytes.destroy()
    throw refusal
  }
  return material
}

function requireEqual(field: string, wanted: number | string | undefined, found: number | string | undefined): void {
  if (wanted !== undefined && wanted !== found)
    throw broken(`${field} differs from that of material, ${found ?? 'none'}`)
}

function firstOf(labels: readonly Label[], der: Buffer<ArrayBuffer>): KeyObject {
  for (const label of labels) {
    try {
      return STRUCTURES[label].read(der, '')
    } catch {
      continue // another structure: try the next one
    }
  }
  throw notAKey()
}

async function read<T>(reader: () => T | Promise<T>): Promise<T> {
  try {
    return await reader()
  } catch (cause) {
    if (cause instanceof Refusal) throw cause
    throw notAKey(cause)
  }
}

const notAKey = (cause?: unknown) => broken('material is not a key in this format', cause)

/**
 * The bytes of material in the clear, as received and not yet parsed. The MAC or signature of the request covers them.
 * The caller destroys them.
 * @throws Refusal RULE_BROKEN for a text that is not in its encoding
 */
export function receivedBytes(
  from: Pick<Expected, 'algorithm' | 'objectType'> & {
    readonly encoding?: MaterialEncoding | undefined
    readonly material: string
  },
): SecretBytes {
  if (from.encoding !== undefined) return SecretBytes.take(decode(from.material, from.encoding))
  if (from.objectType === 'Certificate') return SecretBytes.take(decodeLabelled(from.material, 'CERTIFICATE'))
  const isBare = isUnstructured(algorithmNamed(from.algorithm ?? '').objectType)
  return SecretBytes.take(isBare ? decode(from.material, 'hex') : decodePem(from.material).der)
}

/** Strict: an even number of hex digits, or canonical base64 (RFC 4648 §3.5). */
function decode(text: string, encoding: MaterialEncoding): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(text, encoding)
  const again = bytes.toString(encoding)
  if (text.length > 0 && again === (encoding === 'hex' ? text.toLowerCase() : text)) return bytes
  bytes.fill(0)
  throw broken(`material must be ${encoding === 'hex' ? 'an even number of hex digits' : 'canonical base64'}`)
}

const LABELS = namesOf(STRUCTURES)

/** The one block of a key in a PEM text. */
function decodePem(text: string): { label: Label; der: Buffer<ArrayBuffer> } {
  return decodeOneOf(text, LABELS)
}

/**
 * DER of the only PEM block of a text with this label. @throws Refusal RULE_BROKEN that names the blocks in the text
 */
export const decodeLabelled = (text: string, wanted: string): Buffer<ArrayBuffer> => decodeOneOf(text, [wanted]).der

function decodeOneOf<L extends string>(text: string, labels: readonly L[]): { label: L; der: Buffer<ArrayBuffer> } {
  const found = findPem(text, labels)
  const label = labels.find((each) => 'label' in found && each === found.label)
  if ('fault' in found || label === undefined)
    throw broken(`material must be one PEM block labelled ${labels.join(', ')}: ${'fault' in found ? found.fault : ''}`)
  return { label, der: decode(found.body, 'base64') }
}
