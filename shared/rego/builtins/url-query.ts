import { quoted } from './go-quote.ts'

/** A text that is not a query; the message quotes the fault. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

/** A part of a query: a space is `+`, and only letters, digits and `-_.~` stay unescaped. */
export const encodeQuery = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')

/** Bytes that are not UTF-8 become U+FFFD. @throws QueryError */
export function decodeQuery(text: string): string {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text)
  if (wrong !== null) throw new QueryError(`invalid URL escape ${quoted(wrong[0])}`)
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'))
}

/** Names to values of a query, in the order of the text. @throws QueryError */
export function parseQuery(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const part of text.split('&')) {
    if (part === '') continue
    if (part.includes(';')) throw new QueryError('invalid semicolon separator in query')
    const equals = part.indexOf('=')
    const name = decodeQuery(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decodeQuery(part.slice(equals + 1))
    const values = found.get(name)
    if (values === undefined) found.set(name, [value])
    else values.push(value)
  }
  return found
}
