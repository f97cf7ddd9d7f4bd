import { readDer } from '../asn1/der.ts'
import { attributeText, attributeTypeOf, textOf } from './names.ts'

/** Texts between unescaped separators. */
function pieces(text: string, separator: ',' | '+'): string[] {
  const found: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at += 1
    else if (text[at] === separator) {
      found.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...found, text.slice(from)]
}

/**
 * One part of an escaped value: a byte in hex, an escaped character, or characters that need no escape. @see RFC 4514
 * §3
 */
const TOKEN = /\\([0-9A-Fa-f]{2})|\\([ "#+,;<=>\\])|([^\\"+,;<>\0]+)/gy

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @returns undefined for a value with missing escapes, or not UTF-8 */
function unescaped(value: string): string | undefined {
  const bytes: Buffer[] = []
  let length = 0
  for (const [whole, hex, sign, plain] of value.matchAll(TOKEN)) {
    bytes.push(hex === undefined ? Buffer.from(sign ?? plain ?? '') : Buffer.from(hex, 'hex'))
    length += whole.length
  }
  try {
    return length === value.length && value !== '' ? decoder.decode(Buffer.concat(bytes)) : undefined
  } catch {
    return undefined
  }
}

/** The text of a value that is given as DER in hex. */
function textOfHex(hex: string): string | undefined {
  try {
    return textOf(readDer(Buffer.from(hex, 'hex')))
  } catch {
    return undefined
  }
}

/** `type=value`, with optional spaces around either, which RFC 2253 required readers to accept. */
const ATTRIBUTE = /^ *([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+) *= *((?:\\[\s\S]|[^\\])*?) *$/

function attribute(text: string): string | undefined {
  const [, given = '', value = ''] = ATTRIBUTE.exec(text) ?? []
  const known = attributeTypeOf(given)
  const hex = /^#((?:[0-9A-Fa-f]{2})+)$/.exec(value)?.[1]
  if (hex === undefined) {
    const plain = known === undefined || value.startsWith('#') ? undefined : unescaped(value)
    return plain === undefined ? undefined : attributeText(known ?? '', plain)
  }
  const type = known ?? (/^\d/.test(given) ? given : undefined)
  const read = known === undefined ? undefined : textOfHex(hex)
  if (type === undefined) return undefined
  return read === undefined || read === '' ? `${type}=#${hex.toLowerCase()}` : attributeText(type, read)
}

/**
 * The canonical spelling of a name: short names of types if RFC 4514 defines them, only necessary escapes, attributes
 * of one part in order. Letters keep their case. Two names are equal if their spellings are.
 * @param text in the form of RFC 4514, such as `CN=shop, O=Shop`
 * @returns undefined for a text that is not a name, or has an attribute without a value
 */
export function spelledName(text: string): string | undefined {
  const parts = pieces(text, ',').map((part) => pieces(part, '+').map(attribute))
  if (parts.some((part) => part.includes(undefined))) return undefined
  return parts.map((part) => part.toSorted().join('+')).join(',')
}
