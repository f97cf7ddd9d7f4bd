const PADDING = /={1,2}$/

/**
 * Bytes of base64 in either alphabet, padded or not. `undefined` for any other text, and for base64 that is not canonical.
 * @see RFC 4648 §3.5, §4, §5
 */
export function base64In(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  const spelled = bytes.toString('base64')
  const standard = text.includes('-') || text.includes('_') ? text.replaceAll('-', '+').replaceAll('_', '/') : text
  return standard === spelled || standard === spelled.replace(PADDING, '') ? bytes : undefined
}
