import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import type { MaterialEncoding, MaterialFormat } from './import-material.ts'
import { asKeyObject } from '../key-material.ts'
import { isUnstructured, objectTypeRow } from '../object-types.ts'
import type { KeyMaterial } from '../key-material.ts'
import { SecretBytes } from '../secret-bytes.ts'
import { encryptPkcs8, makePkcs12 } from './pkcs12.ts'

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

/** Encodings of each kind of key: the `type` of Node's export and the PEM label (RFC 7468). */
interface Structure {
  readonly type: 'pkcs1' | 'pkcs8' | 'sec1' | 'spki'
  readonly label: string
}

const PKCS8: Structure = { type: 'pkcs8', label: 'PRIVATE KEY' }
const SPKI: Structure = { type: 'spki', label: 'PUBLIC KEY' }

/**
 * Key material in the encoding of an export: hex (default) or base64 of a run of bytes, PEM of an asymmetric key and of a
 * certificate (or its DER, if `encoding` is given), base64 of a PFX.
 * @param to.format default that of its object type
 * @param to.password needed for a PFX; with `pkcs8` it encrypts the private key
 * @throws Refusal RULE_BROKEN for a format this key does not have
 */
export async function exportMaterial(
  material: KeyMaterial,
  to: {
    readonly format?: MaterialFormat | undefined
    readonly encoding?: MaterialEncoding | undefined
    readonly password?: string | undefined
  } = {},
): Promise<string> {
  const { format } = to
  if (format === 'pkcs12') return (await pfxOf(material, to.password)).toString(to.encoding ?? 'base64')
  if (to.password !== undefined && (format ?? 'pkcs8') === 'pkcs8' && material.objectType === 'Private Key') {
    return text(await encryptPkcs8(asKeyObject(material), to.password), 'ENCRYPTED PRIVATE KEY', to.encoding)
  }
  if (to.password !== undefined) throw broken('password goes with format pkcs12, or with pkcs8 of a private key')
  const bytes = bytesInFormat(material, format)
  try {
    return bytes.use((clear) =>
      isUnstructured(material.objectType)
        ? clear.toString(to.encoding ?? 'hex')
        : text(clear, labelOf(material, format), to.encoding),
    )
  } finally {
    bytes.destroy()
  }
}

/**
 * The bytes to be wrapped in a wrapped export: unstructured bytes unchanged, DER otherwise. The caller destroys them.
 * @param format default that of its object type
 * @throws Refusal RULE_BROKEN for a format that this key does not have
 */
export function bytesInFormat(material: KeyMaterial, format?: MaterialFormat): SecretBytes {
  const { native } = objectTypeRow(material.objectType)
  if (native === (format ?? native)) return material.bytes.use((bytes) => SecretBytes.from(bytes))
  if (native !== 'pkcs8' || format === undefined)
    throw broken(`a ${material.objectType} cannot be exported in format ${format}`)
  const key = asKeyObject(material)
  return SecretBytes.take(key.export({ format: 'der', type: structureOf(material, key, format).type }))
}

const labelOf = (material: KeyMaterial, format: MaterialFormat = 'pkcs8'): string =>
  material.objectType === 'Certificate' ? 'CERTIFICATE' : structureOf(material, asKeyObject(material), format).label

function structureOf(material: KeyMaterial, key: KeyObject, format: MaterialFormat): Structure {
  const isPrivate = material.objectType === 'Private Key'
  if (format === 'pkcs8') return isPrivate ? PKCS8 : SPKI
  if (format === 'pkcs1' && key.asymmetricKeyType === 'rsa') {
    return { type: 'pkcs1', label: isPrivate ? 'RSA PRIVATE KEY' : 'RSA PUBLIC KEY' }
  }
  // Ours: as on import, `pkcs1` also names the older form of an ec private key (RFC 5915)
  if (format === 'pkcs1' && key.asymmetricKeyType === 'ec' && isPrivate)
    return { type: 'sec1', label: 'EC PRIVATE KEY' }
  throw broken(`this ${material.objectType} cannot be exported in format ${format}`)
}

async function pfxOf(material: KeyMaterial, password: string | undefined): Promise<Buffer> {
  if (material.objectType !== 'Private Key') throw broken('format pkcs12 is for private keys')
  if (password === undefined || password === '') throw broken('password is required for format pkcs12')
  return makePkcs12(asKeyObject(material), password)
}

/** DER in `encoding`, or PEM in lines of 64 (RFC 7468 §2). */
function text(der: Buffer, label: string, encoding: MaterialEncoding | undefined): string {
  if (encoding !== undefined) return der.toString(encoding)
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
