/** Replaces control characters, so that no field of a record starts a new line in the log of a target. */
export const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')

/** The start of a text within this number of UTF-8 bytes, cut between characters. */
export function cutToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  let end = Math.max(0, most)
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end-- // a byte that continues a character
  return bytes.toString('utf8', 0, end)
}
