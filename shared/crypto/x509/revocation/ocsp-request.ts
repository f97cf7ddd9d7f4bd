import { DerError, TAG, bigintOf, dottedOf, memberAt, membersOf, readDer } from '../../asn1/der.ts'
import type { Der } from '../../asn1/der.ts'
import { EXTENSION, readExtensions } from '../extensions.ts'

/** The certificate in question. @see RFC 6960 §4.1.1, CertID */
export interface CertId {
  /** DER, which the answer repeats */
  readonly whole: Buffer
  /** undefined for an unknown hash */
  readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512' | undefined
  readonly issuerNameHash: Buffer
  readonly issuerKeyHash: Buffer
  /** in hex, as `CertificateFacts.serialNumber` */
  readonly serial: string
}

export interface OcspRequest {
  /** at least one */
  readonly asked: readonly CertId[]
  /** DER of its extension's content, which the answer repeats */
  readonly nonce: Buffer | undefined
}

/** Ours, checked before parsing: clients ask about one certificate in about 100 bytes. */
const BYTES_MOST = 4_096
const ASKED_MOST = 16
const SERIAL_BYTES_MOST = 21
const NONCE_BYTES_MOST = 128 // RFC 9654 §2.1

const HASHES: ReadonlyMap<string, CertId['hash']> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])

/** Tags of the optional members of a TBSRequest: version and name before the list, extensions after it. */
const [VERSION, REQUESTOR, EXTENSIONS] = [0xa0, 0xa1, 0xa2]

/** A serial number in Node's form: whole bytes, without the leading zero that makes it positive. @throws DerError */
function serialText(element: Der): string {
  if (element.body.length > SERIAL_BYTES_MOST) throw new DerError('too long a serial number')
  const digits = bigintOf(element).toString(16)
  return digits.padStart(digits.length + (digits.length % 2), '0')
}

function readCertId(request: Der): CertId {
  const id = memberAt(membersOf(request), 0, TAG.sequence)
  const members = membersOf(id)
  if (request.tag !== TAG.sequence || members.length !== 4) throw new DerError('not a question')
  const algorithm = membersOf(memberAt(members, 0, TAG.sequence))
  return {
    whole: id.whole,
    hash: HASHES.get(dottedOf(memberAt(algorithm, 0, TAG.oid))),
    issuerNameHash: memberAt(members, 1, TAG.octetString).body,
    issuerKeyHash: memberAt(members, 2, TAG.octetString).body,
    serial: serialText(memberAt(members, 3, TAG.integer)),
  }
}

/** @see RFC 9654 §2.1 @throws DerError, also for an unknown critical extension */
function readNonce(element: Der | undefined): Buffer | undefined {
  if (element === undefined) return undefined
  const extensions = readExtensions(readDer(element.body, TAG.sequence))
  for (const [id, { critical }] of extensions)
    if (critical && id !== EXTENSION.ocspNonce) throw new DerError('an unknown extension that is critical')
  const nonce = extensions.get(EXTENSION.ocspNonce)?.value
  const length = nonce === undefined ? 1 : readDer(nonce, TAG.octetString).body.length
  if (length === 0 || length > NONCE_BYTES_MOST) throw new DerError('not a nonce')
  return nonce
}

/** @throws DerError */
function read(bytes: Buffer): OcspRequest {
  const outer = membersOf(readDer(bytes, TAG.sequence))
  const members = membersOf(memberAt(outer, 0, TAG.sequence))
  const begin = members.findIndex(({ tag }) => tag !== VERSION && tag !== REQUESTOR)
  const asked = membersOf(memberAt(members, begin, TAG.sequence))
  const [extensions, ...more] = members.slice(begin + 1)
  const isForm = outer.length <= 2 && more.length === 0 && (extensions?.tag ?? EXTENSIONS) === EXTENSIONS
  if (!isForm || asked.length === 0 || asked.length > ASKED_MOST) throw new DerError('not a request')
  return { asked: asked.map(readCertId), nonce: readNonce(extensions) }
}

/**
 * A request for the status of certificates, in DER; its signature, if any, is not verified. Undefined for any other
 * bytes. @see RFC 6960 §4.1
 */
export function readOcspRequest(bytes: Buffer): OcspRequest | undefined {
  if (bytes.length > BYTES_MOST) return undefined
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof DerError) return undefined
    throw error
  }
}
