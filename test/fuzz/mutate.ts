import type { Dice } from '../histories/seeded.ts'
import { MOST_BYTES } from './target.ts'

/** Bytes and lengths at which parsers change their behaviour. */
const TELLING = [0, 1, 0x20, 0x22, 0x2e, 0x30, 0x3d, 0x5b, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xa0, 0xff]

type Change = (bytes: Buffer, dice: Dice, others: readonly Buffer[]) => Buffer

/** A part of the bytes: begin and end. */
function part(bytes: Buffer, dice: Dice): [number, number] {
  const begin = dice.between(0, Math.max(0, bytes.length - 1))
  return [begin, Math.min(bytes.length, begin + dice.between(1, dice.of([2, 8, 64, 4_096])))]
}

function withByte(bytes: Buffer, dice: Dice, byteOf: (before: number) => number): Buffer {
  const changed = Buffer.from(bytes)
  const at = dice.between(0, Math.max(0, bytes.length - 1))
  if (at < changed.length) changed[at] = byteOf(changed[at] ?? 0)
  return changed
}

const CHANGES: readonly Change[] = [
  (bytes, dice) => withByte(bytes, dice, (before) => before ^ (1 << dice.between(0, 7))),
  (bytes, dice) => withByte(bytes, dice, () => dice.of(TELLING)),
  (bytes, dice) => withByte(bytes, dice, (before) => before + dice.of([-1, 1])),
  (bytes, dice) => {
    const [begin, end] = part(bytes, dice)
    return Buffer.concat([bytes.subarray(0, begin), bytes.subarray(end)])
  },
  (bytes, dice) => {
    const [begin, end] = part(bytes, dice)
    const times = dice.of([2, 3, 16, 256])
    return Buffer.concat([
      bytes.subarray(0, begin),
      ...Array<Buffer>(times).fill(bytes.subarray(begin, end)),
      bytes.subarray(end),
    ])
  },
  (bytes, dice) => {
    const [at] = part(bytes, dice)
    const more = Buffer.from(Array.from({ length: dice.between(1, 6) }, () => dice.of(TELLING)))
    return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)])
  },
  (bytes, dice, others) => {
    const other = dice.of(others)
    const [at] = part(bytes, dice)
    const [begin, end] = part(other, dice)
    return Buffer.concat([bytes.subarray(0, at), other.subarray(begin, end), bytes.subarray(at)])
  },
]

/** One to four changes of an input, of which some take parts of `others`. */
export function mutated(bytes: Buffer, dice: Dice, others: readonly Buffer[]): Buffer {
  let changed = bytes
  for (let count = dice.between(1, 4); count > 0; count--) changed = dice.of(CHANGES)(changed, dice, others)
  return changed.subarray(0, MOST_BYTES)
}
