import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, der, dottedOf, membersOf, oid, readDer } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'
import { sequence } from './encoding.ts'

/** The subject of a certificate, in a request. */
export interface SubjectName {
  readonly cn: string
  /** Encoded in this order, each as C, ST, L, O, OU; the common name follows. */
  readonly names?: readonly NameParts[] | undefined
}

const PARTS = ['C', 'ST', 'L', 'O', 'OU'] as const
export type NameParts = { readonly [part in (typeof PARTS)[number]]?: string | undefined }

/** One type of attribute. */
interface AttributeType {
  readonly name: string
  readonly id: string
  /** most characters, from the upper bounds of RFC 5280 §A.1 */
  readonly most: number
  /** string type of its values; UTF8String if RFC 5280 leaves the choice */
  readonly tag?: number
}

/** @see RFC 4514 §3, and for e-mail addresses and serial numbers RFC 4519 and PKCS #9 */
const ATTRIBUTES: readonly AttributeType[] = [
  { name: 'CN', id: '2.5.4.3', most: 64 },
  { name: 'serialNumber', id: '2.5.4.5', most: 64, tag: TAG.printableString },
  { name: 'C', id: '2.5.4.6', most: 2, tag: TAG.printableString },
  { name: 'L', id: '2.5.4.7', most: 128 },
  { name: 'ST', id: '2.5.4.8', most: 128 },
  { name: 'STREET', id: '2.5.4.9', most: 128 },
  { name: 'O', id: '2.5.4.10', most: 64 },
  { name: 'OU', id: '2.5.4.11', most: 64 },
  { name: 'UID', id: '0.9.2342.19200300.100.1.1', most: 256 },
  { name: 'DC', id: '0.9.2342.19200300.100.1.25', most: 63, tag: TAG.ia5String },
  { name: 'emailAddress', id: '1.2.840.113549.1.9.1', most: 255, tag: TAG.ia5String },
]
const BY_NAME = new Map(ATTRIBUTES.map((attribute) => [attribute.name, attribute]))
const BY_ID = new Map(ATTRIBUTES.map((attribute) => [attribute.id, attribute]))

/** Ours, for a request: most parts of a name, and most characters of a part without a bound in RFC 5280. */
const PARTS_MOST = 32
const CHARACTERS_MOST = 256

/** Ours: characters that are invisible or displayed elsewhere make two names look alike. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
const HIDDEN_ALL = new RegExp(HIDDEN, 'gu')

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

function assertValue(name: string, value: string, most = BY_NAME.get(name)?.most ?? CHARACTERS_MOST): void {
  if (value === '' || !value.isWellFormed()) throw broken(`${name} of a name must be text that is not empty`)
  if (value.length > 2 * most || Array.from(value).length > most)
    throw broken(`${name} of a name must have at most ${most} characters`)
  if (HIDDEN.test(value)) throw broken(`${name} of a name must have no control characters`)
  if (name === 'C' && !/^[A-Z]{2}$/.test(value)) throw broken('C of a name must be two capital letters (ISO 3166-1)')
}

/** Characters of the string types with a restricted alphabet. @see X.680 §41.4, table 10 */
const ALPHABETS = new Map([
  [TAG.printableString, { sign: /^[A-Za-z0-9 '()+,./:=?-]*$/, name: "letters, digits and ' ( ) + , - . / : = ?" }],
  [TAG.ia5String, { sign: /^[\x20-\x7e]*$/, name: 'ASCII characters' }],
])

/** One attribute in DER. @throws Refusal RULE_BROKEN for an unknown type and for an invalid value */
function encodeAttribute(type: string, value: string): Buffer {
  const known = BY_NAME.get(type)
  if (known === undefined) throw broken(`the type of an attribute must be one of ${[...BY_NAME.keys()].join(', ')}`)
  const { name, id, tag = TAG.utf8String } = known
  assertValue(name, value)
  const alphabet = ALPHABETS.get(tag)
  if (alphabet !== undefined && !alphabet.sign.test(value)) throw broken(`${name} of a name must have ${alphabet.name}`)
  return sequence(oid(id), der(tag, Buffer.from(value)))
}

/** DER of a Name, from the most general part to the common name. @see RFC 5280 §4.1.2.4 @throws Refusal RULE_BROKEN */
export function encodeName({ cn, names = [] }: SubjectName): Buffer {
  const parts = names.flatMap((one) =>
    PARTS.flatMap((part) => (one[part] === undefined ? [] : [[part, one[part]] as const])),
  )
  if (parts.length >= PARTS_MOST) throw broken(`a name must have at most ${PARTS_MOST} parts`)
  const relative = ([name, value]: readonly [string, string]): Buffer => der(TAG.set, encodeAttribute(name, value))
  return sequence(...parts.map(relative), relative(['CN', cn]))
}

/** One attribute of a Name. */
interface Attribute {
  /** its short name, else its object identifier */
  readonly type: string
  /** undefined if its string type is not one that RFC 5280 §4.1.2.4 allows authorities to use */
  readonly text: string | undefined
  readonly value: Der
  readonly whole: Buffer
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const UTF16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true })

/** Types of ASCII text: TeletexString (of T.61) is taken as far as both agree. */
const IN_ASCII: readonly number[] = [TAG.printableString, TAG.ia5String, TAG.teletexString]

/** The text of a value; undefined if its string type is not one that RFC 5280 §4.1.2.4 allows authorities to use. */
export function textOf({ tag, body }: Der): string | undefined {
  try {
    if (tag === TAG.utf8String) return UTF8.decode(body)
    if (tag === TAG.bmpString) return UTF16.decode(body)
  } catch {
    return undefined // not in that form
  }
  return IN_ASCII.includes(tag) && body.every((byte) => byte < 0x80) ? body.toString('latin1') : undefined
}

function readAttribute(element: Der): Attribute {
  const [type, value, ...more] = membersOf(element)
  if (element.tag !== TAG.sequence || type === undefined || value === undefined || more.length > 0)
    throw new DerError('not an attribute of a name')
  const id = dottedOf(type)
  const name = BY_ID.get(id)?.name
  const text = name === undefined ? undefined : textOf(value)
  return { type: name ?? id, text, value, whole: element.whole }
}

/** Parts of a Name in the order of its bytes, most general first. @throws DerError */
const readParts = (name: Buffer): Attribute[][] =>
  membersOf(readDer(name, TAG.sequence)).map((part) => {
    const attributes = membersOf(part).map(readAttribute)
    if (part.tag !== TAG.set || attributes.length === 0) throw new DerError('not a part of a name')
    return attributes
  })

const hexPairs = (character: string): string => Buffer.from(character).toString('hex').replaceAll(/../g, '\\$&')

/** The canonical name of a type, given its name in any case or its object identifier. */
export const attributeTypeOf = (given: string): string | undefined =>
  BY_ID.get(given)?.name ?? ATTRIBUTES.find(({ name }) => name.toLowerCase() === given.toLowerCase())?.name

/** @see RFC 4514 §2.4 */
export function attributeText(type: string, text: string): string {
  const escaped = text
    .replaceAll(/["+,;<>\\]/g, '\\$&')
    .replace(/^[ #]/, '\\$&')
    .replace(/(?<=.) $/, '\\ ')
    .replaceAll(HIDDEN_ALL, hexPairs)
  return `${type}=${escaped}`
}

const textOfAttribute = ({ type, text, value }: Attribute): string =>
  text === undefined ? `${type}=#${value.whole.toString('hex')}` : attributeText(type, text)

/** A Name as text, the common name first, such as `CN=shop,O=Shop`. @see RFC 4514 §2 @throws DerError */
export const nameText = (name: Buffer): string =>
  readParts(name)
    .reverse()
    .map((part) => part.map(textOfAttribute).join('+'))
    .join(',')

/**
 * Values of one type of attribute in a Name, most general first; values that are not text as `#` and hex. @throws
 * DerError
 */
export const valuesOf = (name: Buffer, type: string): string[] =>
  readParts(name)
    .flat()
    .filter((attribute) => attribute.type === type)
    .map(({ text, value }) => text ?? `#${value.whole.toString('hex')}`)

/**
 * Checks a Name encoded by another implementation against keymgr's rules.
 * @returns its common name, if it has one
 * @throws DerError, Refusal RULE_BROKEN
 */
export function assertName(name: Buffer): string | undefined {
  const attributes = readParts(name).flat()
  if (attributes.length > PARTS_MOST) throw broken(`a name must have at most ${PARTS_MOST} parts`)
  for (const { type, value } of attributes) {
    const text = textOf(value)
    if (text === undefined)
      throw broken(`${type} of a name must be a UTF8String, a PrintableString, an IA5String or a BMPString`)
    assertValue(type, text)
  }
  const common = attributes.filter(({ type }) => type === 'CN')
  if (common.length > 1) throw broken('a name must have one common name')
  return common[0]?.text
}

/** A SET OF, whose elements DER puts in the order of their bytes. @see X.690 §11.6 */
const setOf = (elements: Buffer[]): Buffer => der(TAG.set, ...elements.toSorted((one, other) => one.compare(other)))

/**
 * A Name in which `value` is the only attribute of this type: it replaces the first of them, or follows all others as a
 * separate part. Further attributes of the type are removed, so that readers agree on the value; all other attributes
 * keep their bytes.
 * @param name DER
 * @param type a short name of RFC 4514, such as UID
 * @throws DerError, Refusal RULE_BROKEN also for more than 32 parts
 */
export function withAttribute(name: Buffer, type: string, value: string): Buffer {
  const written = encodeAttribute(type, value)
  const former = readParts(name)
  const first = former.flat().find((attribute) => attribute.type === type)
  const kept = (attribute: Attribute): Buffer[] => {
    if (attribute === first) return [written]
    return attribute.type === type ? [] : [attribute.whole]
  }
  const parts = former.map((part) => part.flatMap(kept))
  if (first === undefined) parts.push([written])
  if (parts.flat().length > PARTS_MOST) throw broken(`a name must have at most ${PARTS_MOST} parts`)
  return sequence(...parts.filter(({ length }) => length > 0).map(setOf))
}
