/** Members of a request. */
export type Body = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object; empty for any other value. */
export const fieldsOf = (value: unknown): Body => (isObject(value) ? value : {})

/** The entries of a list; empty for any other value. */
export const entriesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The object in a body; an empty body is an empty object. @param refusal thrown for any other body */
export function jsonBody(bytes: Buffer, refusal: () => Error): Body {
  if (bytes.length === 0) return {}
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (isObject(value)) return value
  } catch {
    // refused below
  }
  throw refusal()
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** @returns `undefined` unless the text is base64 with padding */
export const base64In = (text: string): Buffer | undefined =>
  BASE64.test(text) ? Buffer.from(text, 'base64') : undefined
