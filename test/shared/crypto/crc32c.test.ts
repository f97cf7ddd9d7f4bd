import { expect, test } from 'vitest'
import { crc32c } from '../../../shared/crypto/crc32c.ts'

/**
 * RFC 3720 appendix B.4, as numbers; the last one is the check value in the catalogue entry of the Castagnoli
 * polynomial
 */
test.each<[string, Uint8Array, number]>([
  ['32 bytes of zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['32 bytes upwards', Uint8Array.from({ length: 32 }, (_, n) => n), 0x46dd794e],
  ['32 bytes downwards', Uint8Array.from({ length: 32 }, (_, n) => 31 - n), 0x113fdb5c],
  ['the digits', Buffer.from('123456789'), 0xe3069283],
  ['nothing', new Uint8Array(0), 0],
])('the checksum of %s is as published', (_what, bytes, expected) => {
  expect(crc32c(bytes)).toBe(expected)
})
