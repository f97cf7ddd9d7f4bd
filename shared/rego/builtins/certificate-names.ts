import { RegoObject } from '../value.ts'
import type { Value } from '../value.ts'
import { DER, DerError, membersOf, oidOf } from './der.ts'
import type { Der } from './der.ts'

/** Attributes of RFC 5280 appendix A.1 that Go has fields for, by the last arc below 2.5.4. */
const LISTS: Readonly<Record<number, string>> = {
  6: 'Country',
  7: 'Locality',
  8: 'Province',
  9: 'StreetAddress',
  10: 'Organization',
  11: 'OrganizationalUnit',
  17: 'PostalCode',
}
const TEXTS: Readonly<Record<number, string>> = { 3: 'CommonName', 5: 'SerialNumber' }

/** A name with the field names of Go's `pkix.Name`. @throws DerError */
export function nameOf(element: Der | undefined): Value {
  const lists = new Map<string, string[]>()
  const texts = new Map<string, string>()
  const names: Value[] = []
  for (const set of membersOf(element, DER.sequence)) {
    for (const attribute of membersOf(set, DER.set)) {
      const [type, value] = membersOf(attribute, DER.sequence)
      const id = oidOf(type)
      const text = textOf(value)
      names.push(
        RegoObject.from([
          ['Type', id],
          ['Value', text],
        ]),
      )
      const [first, second, third, last] = id
      if (id.length !== 4 || first !== 2 || second !== 5 || third !== 4 || last === undefined) continue
      const [list, single] = [LISTS[last], TEXTS[last]]
      if (list !== undefined) lists.set(list, [...(lists.get(list) ?? []), text])
      if (single !== undefined) texts.set(single, text)
    }
  }
  return RegoObject.from([
    ...Object.values(LISTS).map((name) => [name, lists.get(name) ?? null] as const),
    ...Object.values(TEXTS).map((name) => [name, texts.get(name) ?? ''] as const),
    ['Names', names.length === 0 ? null : names],
    ['ExtraNames', null],
  ])
}

/** Tags of the string types in names, and how their bytes are decoded. */
const ENCODINGS: Readonly<Record<number, (body: Buffer) => string>> = {
  0x0c: (body) => utf8(body),
  0x12: (body) => body.toString('latin1'),
  0x13: (body) => body.toString('latin1'),
  0x14: (body) => body.toString('latin1'),
  0x16: (body) => ia5(body),
  0x1e: (body) => ucs2(body),
}

function textOf(element: Der | undefined): string {
  const read = element && ENCODINGS[element.tag]
  if (element === undefined || read === undefined) throw new DerError('a name is no text')
  return read(element.body)
}

/** @throws DerError */
export function ia5(body: Buffer): string {
  if (body.some((byte) => byte > 0x7f)) throw new DerError('a text is not ASCII')
  return body.toString('latin1')
}

function utf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw new DerError('a text is not UTF-8')
  }
}

function ucs2(body: Buffer): string {
  if (body.length % 2 === 1) throw new DerError('a text is cut')
  return Buffer.from(body).swap16().toString('utf16le').toWellFormed()
}
