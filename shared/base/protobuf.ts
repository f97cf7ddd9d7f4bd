/**
 * Reader of protocol-buffers messages in their binary form. Ours: written here, because a library would add a schema
 * compiler for three small messages; these readers need bytes and numbers by field number.
 * @see encoding of protocol buffers, version 3
 */

/** Not a message of protocol buffers. Callers convert it into a refusal. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

/** Ours: more fields than any message of a caller has. */
const FIELDS_MOST = 65_536
const VARINT_BYTES = 10
const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

interface Field {
  readonly number: number
  readonly value: bigint | Buffer
}

/** The fields of one message. Unknown ones are read over. */
export interface ProtobufMessage {
  /** All values of a field with bytes: a string, bytes or a message. */
  readonly all: (number: number) => Buffer[]
  /** Bytes or text: the last value counts. `undefined` when absent. */
  readonly bytes: (number: number) => Buffer | undefined
  /** A message within: several values are one message, in parts. `undefined` when absent. */
  readonly message: (number: number) => ProtobufMessage | undefined
  /** Repeated numbers, packed or not. */
  readonly numbers: (number: number) => bigint[]
  /** A number: the last value counts. `undefined` when absent. */
  readonly number: (number: number) => bigint | undefined
}

/** @returns the unsigned value, and the position after it */
function varint(bytes: Buffer, from: number): [value: bigint, at: number] {
  let value = 0n
  for (let at = from; at < from + VARINT_BYTES; at++) {
    const byte = bytes[at]
    if (byte === undefined) throw new ProtobufError('the message is cut short')
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - from))
    if (byte < 0x80) return [BigInt.asUintN(64, value), at + 1]
  }
  throw new ProtobufError('a number of the message is too long')
}

function part(bytes: Buffer, from: number, length: number): [value: Buffer, at: number] {
  if (length > bytes.length - from) throw new ProtobufError('the message is cut short')
  return [bytes.subarray(from, from + length), from + length]
}

function fieldAt(bytes: Buffer, from: number): [field: Field, at: number] {
  const [key, start] = varint(bytes, from)
  const number = Number(key >> 3n)
  if (number < 1 || number >= 2 ** 29) throw new ProtobufError('the message has no such field number')
  const wire = Number(key & 7n)
  if (wire === WIRE.varint) {
    const [value, at] = varint(bytes, start)
    return [{ number, value }, at]
  }
  if (wire === WIRE.bytes) {
    const [length, at] = varint(bytes, start)
    const [value, end] = part(bytes, at, Number(length))
    return [{ number, value }, end]
  }
  if (wire !== WIRE.fixed64 && wire !== WIRE.fixed32) throw new ProtobufError('the message has an unknown wire type')
  const [value, end] = part(bytes, start, wire === WIRE.fixed64 ? 8 : 4)
  return [{ number, value: wire === WIRE.fixed64 ? value.readBigUInt64LE() : BigInt(value.readUInt32LE()) }, end]
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let count = 0
  for (let at = 0; at < bytes.length;) {
    const [field, end] = fieldAt(bytes, at)
    if (++count > FIELDS_MOST) throw new ProtobufError('the message has too many fields')
    yield field
    at = end
  }
}

/** Packed numbers. @throws ProtobufError */
function unpacked(bytes: Buffer): bigint[] {
  const numbers: bigint[] = []
  for (let at = 0; at < bytes.length;) {
    const [value, end] = varint(bytes, at)
    numbers.push(value)
    at = end
  }
  return numbers
}

/** @throws ProtobufError for anything but a whole message; also from the functions of the answer, for what is within */
export function readProtobuf(bytes: Buffer): ProtobufMessage {
  const values = new Map<number, (bigint | Buffer)[]>()
  for (const { number, value } of fieldsOf(bytes)) {
    const known = values.get(number)
    if (known === undefined) values.set(number, [value])
    else known.push(value)
  }
  const all = (number: number): Buffer[] => (values.get(number) ?? []).filter((value) => Buffer.isBuffer(value))
  const numbers = (number: number): bigint[] =>
    (values.get(number) ?? []).flatMap((value) => (Buffer.isBuffer(value) ? unpacked(value) : [value]))
  return {
    all,
    bytes: (number) => all(number).at(-1),
    message: (number) => {
      const parts = all(number)
      return parts.length === 0 ? undefined : readProtobuf(Buffer.concat(parts))
    },
    numbers,
    number: (number) => numbers(number).at(-1),
  }
}
