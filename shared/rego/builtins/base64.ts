/** Base64, decoded like Go's encoding/base64. Errors contain the position, which token errors quote. */
export interface Base64 {
  /** Characters of the last two values. */
  readonly last: string
  readonly padded: boolean
}

export const STANDARD: Base64 = { last: '+/', padded: true }
export const URL_SAFE: Base64 = { last: '-_', padded: true }
export const URL_SAFE_UNPADDED: Base64 = { last: '-_', padded: false }

/** Invalid Base64; the message states the reason. */
export class Base64Error extends Error {
  override readonly name = 'Base64Error'
}

/** @param offset of the first wrong byte */
const illegalAt = (offset: number): Base64Error => new Base64Error(`illegal base64 data at input byte ${offset}`)

/** Line ends are skipped; unused bits of the last character are ignored. @throws Base64Error */
export function decodeBase64(text: string, { last, padded }: Base64): Buffer {
  let digits = ''
  let at = 0
  const skipLines = (): void => {
    while (text[at] === '\n' || text[at] === '\r') at += 1
  }
  for (skipLines(); at < text.length; skipLines()) {
    const character = text.charAt(at)
    if (/[A-Za-z0-9]/.test(character) || last.includes(character)) {
      digits += character
      at += 1
      continue
    }
    const filled = digits.length % 4
    // Positions count bytes; everything before the first wrong character is ASCII.
    if (!padded || character !== '=' || filled < 2) throw illegalAt(at)
    at += 1
    skipLines()
    if (filled === 2) {
      if (at === text.length) throw illegalAt(at)
      if (text[at] !== '=') throw illegalAt(at - 1)
      at += 1
      skipLines()
    }
    if (at < text.length) throw illegalAt(at)
    return Buffer.from(digits, 'base64')
  }
  const left = digits.length % 4
  if (left === 1 || (left > 0 && padded)) throw illegalAt(text.length - left)
  return Buffer.from(digits, 'base64')
}

export const encodeBase64 = (bytes: Buffer, { last, padded }: Base64): string => {
  const text = bytes.toString(last === '+/' ? 'base64' : 'base64url')
  return padded ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text
}

/** URL-safe Base64 with or without padding. @throws Base64Error */
export function decodeBase64Url(text: string): Buffer {
  if (text.endsWith('=')) return decodeBase64(text, URL_SAFE)
  if (text.length % 4 === 1) throw new Base64Error(`illegal base64url string: ${text}`)
  return decodeBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='), URL_SAFE)
}
