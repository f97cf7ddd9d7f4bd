/** The only PEM block of a text. Encapsulated headers (the older encryption, with MD5) make it none. @see RFC 7468 §3 */
export function pemBlock(text: string): { readonly label: string; readonly body: string } {
  const match = /^\s*-----BEGIN ([A-Z0-9 ]+)-----\s+([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/.exec(text)
  const [, label = '', body = ''] = match ?? []
  return { label, body: body.replace(/\s+/g, '') }
}
