import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import { integer } from '../number.ts'
import { extensionFields } from './certificate-extensions.ts'
import type { Extension } from './certificate-extensions.ts'
import { nameOf } from './certificate-names.ts'
import { bitsOf, booleanOf, DER, DerError, elementsOf, expectTag, integerOf, membersOf, oidOf, timeOf } from './der.ts'
import type { Der } from './der.ts'

/** Context tags of RFC 5280 section 4.1. */
const VERSION = 0xa0
const ISSUER_ID = 0x81
const SUBJECT_ID = 0x82
const EXTENSIONS = 0xa3

/**
 * A certificate with the field names of Go's `x509.Certificate`. Nothing is verified. Ours: only the fields that
 * decisions use; not public keys, algorithms, policies, name constraints, addresses of issuers and the parts of `Raw`.
 * @throws DerError
 */
export function certificateOf(element: Der): Value {
  const [signed, algorithm, signature, extra] = membersOf(element, DER.sequence)
  if (extra !== undefined) throw new DerError('bytes after the end')
  const parts = membersOf(signed, DER.sequence)
  membersOf(algorithm, DER.sequence)
  const [version] = parts
  const isFirst = version?.tag !== VERSION
  if (!isFirst) parts.shift()
  const [serial, , issuer, validity, subject, publicKey, ...optional] = parts
  const [from, until] = membersOf(validity, DER.sequence)
  membersOf(publicKey, DER.sequence)
  const extensions = extensionsIn(optional)
  return RegoObject.from([
    ['Raw', element.whole.toString('base64')],
    ['Signature', bitsOf(signature).bytes.toString('base64')],
    ['Version', isFirst ? 1 : integer(integerOf(elementsOf(version.body)[0]) + 1n)],
    ['SerialNumber', integer(integerOf(serial))],
    ['Issuer', nameOf(issuer)],
    ['Subject', nameOf(subject)],
    ['NotBefore', timeOf(from)],
    ['NotAfter', timeOf(until)],
    ['Extensions', extensions.length === 0 ? null : extensions.map(describe)],
    ...extensionFields(extensions),
  ])
}

function extensionsIn(optional: readonly Der[]): Extension[] {
  const known = [ISSUER_ID, SUBJECT_ID, EXTENSIONS]
  if (optional.some(({ tag }) => !known.includes(tag))) throw new DerError('an element of another type')
  const found = optional.find(({ tag }) => tag === EXTENSIONS)
  if (found === undefined) return []
  const [list, more] = elementsOf(found.body)
  if (more !== undefined) throw new DerError('bytes after the end')
  const extensions = membersOf(list, DER.sequence).map(extensionOf)
  const ids = extensions.map(({ id }) => id.join('.'))
  if (new Set(ids).size < ids.length) throw new DerError('an extension is there twice')
  return extensions
}

function extensionOf(element: Der): Extension {
  const [id, ...rest] = membersOf(element, DER.sequence)
  const critical = rest[0]?.tag === DER.boolean ? booleanOf(rest[0]) : false
  return { id: oidOf(id), critical, value: expectTag(rest.at(-1), DER.octets).body }
}

const describe = ({ id, critical, value }: Extension): Value =>
  RegoObject.from([
    ['Id', [...id]],
    ['Critical', critical],
    ['Value', value.toString('base64')],
  ])
