import { base64In } from '../base/base64.ts'

/**
 * The only PEM block of a text; empty for other texts and for blocks with encapsulated headers (the older encryption,
 * with MD5). @see RFC 7468 §3
 */
export function pemBlock(text: string): { readonly label: string; readonly body: string } {
  const match = /^\s*-----BEGIN ([A-Z0-9 ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/.exec(text)
  const [, label = '', body = ''] = match ?? []
  return { label, body: body.replace(/\s+/g, '') }
}

/** Bytes of the only PEM block of a text, if it has one of `labels` and canonical base64. @see RFC 7468 §3 */
export function pemBytes(text: string, labels: readonly string[]): Buffer | undefined {
  const { label, body } = pemBlock(text)
  return labels.includes(label) ? base64In(body) : undefined
}

/** A PEM text with lines of 64 characters. @see RFC 7468 §2 */
export const pemOf = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`
