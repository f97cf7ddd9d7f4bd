import type { Entry } from 'ldapts'

/** Attributes with binary values, as directories spell them. */
export const BINARY: readonly string[] = ['objectGUID', 'objectSid']
const isBinary = (attribute: string): boolean => BINARY.some((name) => name.toLowerCase() === attribute.toLowerCase())

/** The values of an attribute. Attribute names ignore case. @see RFC 4512 §2.5 */
function valuesIn(entry: Entry, attribute: string): Buffer[] {
  const wanted = attribute.toLowerCase()
  const found = Object.entries(entry).find(([name]) => name !== 'dn' && name.toLowerCase() === wanted)?.[1] ?? []
  return (Array.isArray(found) ? found : [found]).map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(value)))
}

const textOf = (value: Buffer): string | undefined => {
  const text = value.toString('utf8')
  return value.length > 0 && Buffer.from(text).equals(value) && !/[\u0000-\u001f\u007f]/.test(text) ? text : undefined
}

/** The text values of an attribute. */
export const textsIn = (entry: Entry, attribute: string): string[] =>
  valuesIn(entry, attribute).flatMap((value) => textOf(value) ?? [])

export const textIn = (entry: Entry, attribute: string): string | undefined => textsIn(entry, attribute)[0]

/** The constant identifier of an entry, in hex if it is not text; `undefined` unless there is exactly one value. */
export function idIn(entry: Entry, attribute: string): string | undefined {
  const [value, ...others] = valuesIn(entry, attribute)
  if (value === undefined || value.length === 0 || others.length > 0) return undefined
  return (isBinary(attribute) ? undefined : textOf(value)) ?? value.toString('hex')
}
