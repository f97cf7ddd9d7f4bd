import * as asn1js from 'asn1js'

/* ASN.1 by a library: simulators must not share defects of the product's own reader and writer. */

export type Asn1 = asn1js.BaseBlock

/** Not ASN.1, or not the expected structure. */
export class Asn1Error extends Error {
  override readonly name = 'Asn1Error'
}

export const sequence = (...value: Asn1[]): Asn1 => new asn1js.Sequence({ value })
export const set = (...value: Asn1[]): Asn1 => new asn1js.Set({ value })
export const oid = (value: string): Asn1 => new asn1js.ObjectIdentifier({ value })
export const integer = (value: number | bigint): Asn1 => asn1js.Integer.fromBigInt(value)
export const octets = (valueHex: Uint8Array): Asn1 => new asn1js.OctetString({ valueHex })
export const bits = (valueHex: Uint8Array, unusedBits = 0): Asn1 => new asn1js.BitString({ valueHex, unusedBits })
export const utf8 = (value: string): Asn1 => new asn1js.Utf8String({ value })
export const TRUE: Asn1 = new asn1js.Boolean({ value: true })
export const NULL: Asn1 = new asn1js.Null()

/** An element under the context tag `[tagNumber]`. */
export const tagged = (tagNumber: number, ...value: Asn1[]): Asn1 =>
  new asn1js.Constructed({ idBlock: { tagClass: CONTEXT, tagNumber }, value })

/** Bytes under the context tag `[tagNumber]`, which replaces the element's own type. */
export const taggedBytes = (tagNumber: number, valueHex: Uint8Array): Asn1 =>
  new asn1js.Primitive({ idBlock: { tagClass: CONTEXT, tagNumber }, valueHex })

const CONTEXT = 3

/** UTCTime before 2050, GeneralizedTime from then on, in whole seconds. @see RFC 5280 §4.1.2.5 */
export function time(date: Date): Asn1 {
  const valueDate = new Date(Math.floor(date.getTime() / 1_000) * 1_000)
  return valueDate.getUTCFullYear() < 2050
    ? new asn1js.UTCTime({ valueDate })
    : new asn1js.GeneralizedTime({ valueDate })
}

export const der = (element: Asn1): Buffer => Buffer.from(element.toBER())

/** The only element of `bytes`. @throws Asn1Error */
export function parsed(bytes: Uint8Array): Asn1 {
  const { offset, result } = asn1js.fromBER(bytes)
  if (offset !== bytes.length) throw new Asn1Error('not one element')
  return result
}

export const hasMembers = (element: Asn1): element is asn1js.Constructed => element instanceof asn1js.Constructed

/** @throws Asn1Error */
export function membersOf(element: Asn1): readonly Asn1[] {
  if (hasMembers(element)) return element.valueBlock.value
  throw new Asn1Error('an element without members')
}

/** The element at these indexes of members, one index per level. @throws Asn1Error */
export function at(element: Asn1, ...path: readonly number[]): Asn1 {
  let found = element
  for (const index of path) {
    const member = membersOf(found)[index]
    if (member === undefined) throw new Asn1Error('an element is missing')
    found = member
  }
  return found
}

/** @throws Asn1Error */
export function oidAt(element: Asn1, ...path: readonly number[]): string {
  const found = at(element, ...path)
  if (found instanceof asn1js.ObjectIdentifier) return found.getValue()
  throw new Asn1Error('not an object identifier')
}

/** A non-negative number. @throws Asn1Error */
export function integerAt(element: Asn1, ...path: readonly number[]): bigint {
  const found = at(element, ...path)
  const value = found instanceof asn1js.Integer ? found.toBigInt() : -1n
  if (value < 0n) throw new Asn1Error('not a natural number')
  return value
}

/** Content of an OCTET STRING, also under a context tag. @throws Asn1Error */
export function octetsAt(element: Asn1, ...path: readonly number[]): Buffer {
  const found = at(element, ...path)
  if (found instanceof asn1js.OctetString) return Buffer.from(found.getValue())
  if (found instanceof asn1js.Primitive) return Buffer.from(found.valueBlock.valueHexView)
  throw new Asn1Error('not a string of octets')
}

/** The bytes that an element was read from. */
export const sourceOf = (element: Asn1): Buffer => Buffer.from(element.valueBeforeDecodeView)
