/** The Castagnoli polynomial, its bits reversed (RFC 3720 §12.1). */
const POLYNOMIAL = 0x82f63b78

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1
  return rest
})

/**
 * CRC-32C: detects accidental changes in transit. It does not authenticate.
 * @returns 0 to 2^32 - 1
 * @see RFC 3720 §12.1, appendix B.4
 */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff
  for (const byte of bytes) rest = (TABLE[(rest ^ byte) & 0xff] ?? 0) ^ (rest >>> 8)
  return (rest ^ 0xffffffff) >>> 0
}
