import { expect, test } from 'vitest'
import { ProtobufError, readProtobuf } from '../../../shared/base/protobuf.ts'
import fc from '../../support/fast-check.ts'

const read = (hex: string) => readProtobuf(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

test('repeated numbers are read packed and one by one', () => {
  expect(read('0a 03 01 02 03 12 01 01').numbers(1)).toEqual([1n, 2n, 3n])
  expect(read('08 01 08 02 08 03 10 01').numbers(1)).toEqual([1n, 2n, 3n])
  expect(read('0a 01 01').numbers(2)).toEqual([])
})

test('a message within a message is read', () => {
  const wrap = read('0a 03 61 62 63 12 02 68 69 1a 07 12 01 72 1a 02 08 05')
  expect(wrap.bytes(1)?.toString()).toBe('abc')
  expect(wrap.bytes(2)?.toString()).toBe('hi')
  const context = wrap.message(3)
  expect(context?.bytes(2)?.toString()).toBe('r')
  expect(context?.message(3)?.number(1)).toBe(5n)
})

test('the last value of a repeated field counts, and parts of a message are merged', () => {
  expect(read('08 01 08 02').number(1)).toBe(2n)
  expect(read('0a 01 61 0a 01 62').bytes(1)?.toString()).toBe('b')
  expect(read('0a 02 08 01 0a 02 10 02').message(1)?.numbers(1)).toEqual([1n])
  expect(read('0a 02 08 01 0a 02 10 02').message(1)?.numbers(2)).toEqual([2n])
})

test('unknown fields of every wire type are read over', () => {
  const message = read('78 05 79 0102030405060708 72 02 ffff 7d 01020304 08 07')
  expect(message.number(1)).toBe(7n)
  expect(message.number(15)).toBe(0x0403_0201n)
})

test.each([
  ['a length past the end', '0a 05 61'],
  ['a cut number', '08 80'],
  ['a number of eleven bytes', '08 8080808080808080808001'],
  ['a cut fixed number', '0d 0102'],
  ['field number zero', '00 01'],
  ['a group', '0b 0c'],
  ['a length of 64 bits', '0a ffffffffffffffffff01'],
])('%s is refused', (_what, hex) => {
  expect(() => read(hex)).toThrow(ProtobufError)
})

test('any bytes are read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        readProtobuf(Buffer.from(bytes)).numbers(1)
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufError)
      }
    }),
    { numRuns: 2_000 },
  )
})
