import { createPublicKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, bigintOf, der, derInteger, dottedOf, memberAt, membersOf, oid } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'
import { bytesOfPem, pemOf } from '../asn1/pem.ts'
import { spkiOf } from '../public-half.ts'
import { NO_ALT_NAMES, encodeAltNames, readAltNames } from './alt-names.ts'
import type { AltNames } from './alt-names.ts'
import { extension, sequence } from './encoding.ts'
import { EXTENSION, readExtensions } from './extensions.ts'
import { assertName, encodeName, nameText } from './names.ts'
import type { SubjectName } from './names.ts'
import { isSignedWith, readSigned, requireCertifiable, signed } from './signed.ts'

/** A request for a certificate, whose creator had the private key. @see RFC 2986 §4 */
export interface CertificateRequest {
  /** in the text form of RFC 4514, such as `CN=shop,O=Shop`; empty for a request that has only alternative names */
  readonly subject: string
  /** DER of the subject, for the certificate */
  readonly name: Buffer
  readonly cn: string | undefined
  readonly altNames: Required<AltNames>
  readonly publicKey: KeyObject
  /** DER of the SubjectPublicKeyInfo */
  readonly spki: Buffer
}

const LABELS = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'] // the second is from older tools (RFC 7468 §7)
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14' // RFC 2985 §5.4.2
/** The same attribute as older tools of Windows write it. @see [MS-WCCE] §2.2.2.7.7.3 */
const MICROSOFT_EXTENSIONS = '1.3.6.1.4.1.311.2.1.14'
const EXTENSION_LISTS = [EXTENSION_REQUEST, MICROSOFT_EXTENSIONS]

/**
 * Ours: most characters of the PEM text, checked before it is parsed. A request with 100 names and a key of 4096 bits
 * has 10 000.
 */
const PEM_CHARACTERS_MOST = 64 * 1024

const broken = (sentence: string, cause?: unknown) => new Refusal('RULE_BROKEN', sentence, { cause })

/**
 * A request in PEM.
 * @param key private, of a kind that can be certified
 * @throws Refusal RULE_BROKEN for invalid names
 */
export async function makeRequest(subject: SubjectName, altNames: AltNames, key: KeyObject): Promise<string> {
  const names = encodeAltNames(altNames)
  const attributes =
    names === undefined
      ? []
      : [sequence(oid(EXTENSION_REQUEST), der(TAG.set, sequence(extension(EXTENSION.subjectAltName, false, names))))]
  const content = sequence(...[derInteger(0), encodeName(subject), spkiOf(key)], der(TAG.context0, ...attributes))
  return pemOf('CERTIFICATE REQUEST', await signed(content, key))
}

/**
 * Parses a request in PEM and checks its form, its names, its key, and that this key signed it. Extensions other than
 * alternative names are ignored: the issuer decides about the purpose of a certificate.
 * @throws Refusal RULE_BROKEN, TOO_MANY_REQUESTS
 */
export async function readRequest(pem: string): Promise<CertificateRequest> {
  if (pem.length > PEM_CHARACTERS_MOST)
    throw broken(`a certificate request must have at most ${PEM_CHARACTERS_MOST} characters`)
  const bytes = bytesOfPem(pem, LABELS)
  if (!Buffer.isBuffer(bytes)) throw broken(`there must be one certificate request in PEM form: ${bytes.fault}`)
  try {
    return await readBytes(bytes)
  } catch (cause) {
    if (cause instanceof DerError) throw broken('the certificate request is not in the form of PKCS #10', cause)
    throw cause
  }
}

async function readBytes(bytes: Buffer): Promise<CertificateRequest> {
  const whole = readSigned(bytes)
  const info = membersOf(whole.content)
  const { whole: name } = memberAt(info, 1, TAG.sequence)
  const { whole: spki } = memberAt(info, 2, TAG.sequence)
  const attributes = info[3] === undefined ? undefined : memberAt(info, 3, TAG.context0)
  if (info.length > 4 || bigintOf(memberAt(info, 0, TAG.integer)) !== 0n) throw new DerError('not a request')
  const cn = assertName(name)
  const altNames = altNamesOf(attributes)
  const publicKey = publicKeyOf(spki)
  await requireCertifiable(publicKey)
  if (!isSignedWith(whole, publicKey)) throw broken('the certificate request is not signed by its own key')
  return { subject: nameText(name), name, cn, altNames, publicKey, spki }
}

/** Ours: only a key whose bytes are exactly as this service would encode them, so that one key has one hash. */
export function publicKeyOf(spki: Buffer): KeyObject {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    if (spkiOf(key).equals(spki)) return key
  } catch (cause) {
    throw broken('the public key cannot be read', cause)
  }
  throw broken('the public key is not in its usual form')
}

/**
 * One value, which is a list of extensions. Ours: one of the two attributes, since two lists could name different names.
 * @see RFC 2985 §5.4.2
 * @throws DerError, Refusal RULE_BROKEN
 */
function altNamesOf(attributes: Der | undefined): Required<AltNames> {
  if (attributes === undefined) return NO_ALT_NAMES
  const asked = membersOf(attributes)
    .map((attribute) => membersOf(attribute))
    .filter((members) => EXTENSION_LISTS.includes(dottedOf(memberAt(members, 0, TAG.oid))))
  const [members, ...others] = asked
  if (members === undefined) return NO_ALT_NAMES
  const [extensions, ...more] = membersOf(memberAt(members, 1, TAG.set))
  if (others.length > 0 || more.length > 0 || extensions?.tag !== TAG.sequence)
    throw new DerError('not one list of extensions')
  const names = readExtensions(extensions).get(EXTENSION.subjectAltName)
  return names === undefined ? NO_ALT_NAMES : readAltNames(names.value)
}
