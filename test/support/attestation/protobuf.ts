/** A writer of protocol-buffers fields, independent of the reader under test. */

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}

export const numberField = (number: number, value: bigint): Buffer =>
  Buffer.concat([varint(BigInt(number << 3)), varint(value)])

export const bytesField = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(value.length)), value])
