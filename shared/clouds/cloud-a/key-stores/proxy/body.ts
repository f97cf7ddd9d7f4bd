import { TAG_BYTES } from '../../../../crypto/aead.ts'
import type { Envelope } from '../../../../crypto/protocols/xks-envelope.ts'
import type { Plain } from './use-key.ts'
import { isObject, type Fields } from '../../../../base/json.ts'
import { shortText } from '../../../../base/short-text.ts'
import { METADATA_CHARACTERS, METADATA_FIELDS, type MetadataField } from './access-log.ts'
import { XksRefusal } from './errors.ts'

const invalid = (message: string): XksRefusal => new XksRefusal('ValidationException', message)

/** Adds `requestMetadata` to the access-log record, each text cut to its length. */
export function recordMetadata(
  { requestMetadata: given }: Fields,
  record: Partial<Record<MetadataField, string | undefined>>,
): void {
  if (!isObject(given)) return
  for (const field of METADATA_FIELDS) {
    const value = given[field]
    if (typeof value === 'string') record[field] = shortText(value, METADATA_CHARACTERS[field])
  }
}

/** Checks `requestMetadata` and its known fields. @throws XksRefusal ValidationException */
export function assertMetadata({ requestMetadata: given }: Fields, required: readonly MetadataField[]): void {
  if (!isObject(given)) throw invalid('requestMetadata is required and must be an object.')
  for (const field of METADATA_FIELDS) {
    const value = given[field]
    if (value === undefined ? required.includes(field) : typeof value !== 'string')
      throw invalid(`requestMetadata.${field} ${value === undefined ? 'is required' : 'must be a string'}.`)
  }
}

/** Last digits allowed before one and before two padding signs: those whose last two or four bits are zero. */
const BEFORE_PADDING = ['', 'AEIMQUYcgkosw048', 'AQgw'] as const

/**
 * Whether `value` is canonical Base64 with padding (RFC 4648 §4, §3.5). Node's decoder is lenient: it skips other
 * characters, so that bytes are missing, accepts the URL-safe alphabet, and ignores unused bits of the last group.
 */
function isBase64(value: string, bytes: Buffer): boolean {
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0
  if (bytes.length * 4 !== value.length * 3 - padding * 4 || value.length % 4 !== 0) return false
  if (value.includes('-') || value.includes('_')) return false
  if (Buffer.byteLength(value) !== value.length) return false // Node uses only the lower eight bits of wider characters
  return padding === 0 || BEFORE_PADDING[padding].includes(value.charAt(value.length - padding - 1))
}

/**
 * Bytes of a Base64 field.
 * @returns `undefined` for a field that is absent. @throws XksRefusal ValidationException
 */
function optionalBytes(body: Fields, name: string): Buffer | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw invalid(`${name} must be a string.`)
  const bytes = Buffer.from(value, 'base64')
  if (!isBase64(value, bytes)) throw invalid(`${name} must be Base64.`)
  return bytes
}

function bytes(body: Fields, name: string): Buffer {
  const given = optionalBytes(body, name)
  if (given === undefined) throw invalid(`${name} is required.`)
  return given
}

function word(body: Fields, name: string, only: string): boolean {
  const value = body[name]
  if (value === undefined) return false
  if (value !== only) throw invalid(`${name} must be ${only}.`)
  return true
}

/**
 * Ours: above the sizes that the protocol requires (4,300 and 8,192), and the maximum of a two-byte length in the AAD.
 */
const LARGEST_BYTES = 65_535
/** Size of `ciphertextMetadata`. */
const METADATA_BYTES = 20
const IV_BYTES: readonly number[] = [12, 16]
const NOTHING = Buffer.alloc(0)

function limitSize(value: Buffer, name: string): void {
  if (value.length > LARGEST_BYTES)
    throw new XksRefusal('UnsupportedOperationException', `${name} is longer than ${LARGEST_BYTES} bytes.`)
}

const AAD = 'additionalAuthenticatedData'

/** Values of an Encrypt request. */
export function encryptFields(body: Fields): Plain {
  const plaintext = bytes(body, 'plaintext')
  if (!word(body, 'encryptionAlgorithm', 'AES_GCM')) throw invalid('encryptionAlgorithm is required.')
  const aad = optionalBytes(body, AAD) ?? NOTHING
  const verified = word(body, 'ciphertextDataIntegrityValueAlgorithm', 'SHA_256')
  return { plaintext, aad, verified }
}

/** Checked after everything else. @throws XksRefusal UnsupportedOperationException */
export function limitPlain({ plaintext, aad }: Plain): void {
  limitSize(plaintext, 'plaintext')
  limitSize(aad, AAD)
}

/** Values of a Decrypt request. */
export function decryptFields(body: Fields): Envelope {
  const ciphertext = bytes(body, 'ciphertext')
  const iv = bytes(body, 'initializationVector')
  const tag = bytes(body, 'authenticationTag')
  if (!word(body, 'encryptionAlgorithm', 'AES_GCM')) throw invalid('encryptionAlgorithm is required.')
  const aad = optionalBytes(body, AAD) ?? NOTHING
  const metadata = optionalBytes(body, 'ciphertextMetadata') ?? NOTHING
  if (metadata.length > METADATA_BYTES) throw invalid(`ciphertextMetadata must have at most ${METADATA_BYTES} bytes.`)
  return { ciphertext, iv, tag, aad, metadata }
}

/**
 * Checked after everything else.
 * @throws XksRefusal UnsupportedOperationException; InvalidCiphertextException for impossible lengths of iv or tag
 */
export function limitEnvelope({ ciphertext, iv, tag, aad }: Envelope): void {
  limitSize(ciphertext, 'ciphertext')
  limitSize(aad, AAD)
  if (!IV_BYTES.includes(iv.length) || tag.length !== TAG_BYTES) throw new XksRefusal('InvalidCiphertextException')
}
