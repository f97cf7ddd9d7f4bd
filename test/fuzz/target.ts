/** A parser of input from outside. */
export interface Target {
  /** Reads an input. It may refuse it in the parser's own way; every other error is a crash. */
  readonly parse: (bytes: Buffer) => unknown
  /** Inputs from which a fuzzer begins: small and well-formed. */
  readonly seeds: () => readonly (string | Buffer)[]
  /** Inputs that could cost more time or memory than their size: nested, repeated, with false lengths. */
  readonly shapes: () => Readonly<Record<string, string | Buffer>>
}

/** Size of the largest input that is measured. */
export const MOST_BYTES = 65_536

/** A text repeated to the largest size. */
export const filled = (part: string, before = '', after = ''): string => {
  const room = MOST_BYTES - before.length - after.length
  return before + part.repeat(Math.ceil(room / part.length)).slice(0, room) + after
}

/** `open` and `close` around `inner` as often as they fit. */
export function nested(open: string, inner: string, close: string): string {
  const depth = Math.floor((MOST_BYTES - inner.length) / (open.length + close.length))
  return open.repeat(depth) + inner + close.repeat(depth)
}

/** Runs a parser. @throws any error that is no refusal of one of these classes */
export function refusing(refusals: readonly (abstract new (...given: never[]) => Error)[], parse: () => unknown): void {
  try {
    parse()
  } catch (error) {
    if (!refusals.some((each) => error instanceof each)) throw error
  }
}

/** Like `refusing`, for a parser that answers later. */
export async function refusingLater(
  refusals: readonly (abstract new (...given: never[]) => Error)[],
  parse: () => Promise<unknown>,
): Promise<void> {
  try {
    await parse()
  } catch (error) {
    if (!refusals.some((each) => error instanceof each)) throw error
  }
}

/** Nested DER sequences of the largest size, each with its true length. */
export function nestedDer(tag: number): Buffer {
  const parts: Buffer[] = []
  let length = 0
  while (length + 4 < MOST_BYTES) {
    const head = length < 128 ? Buffer.of(tag, length) : Buffer.of(tag, 0x82, length >> 8, length & 0xff)
    parts.push(head)
    length += head.length
  }
  return Buffer.concat(parts.reverse())
}

/** A DER sequence of many small members. */
export const manyMembers = (tag: number, member: Buffer): Buffer => {
  const count = Math.floor((MOST_BYTES - 4) / member.length)
  const length = count * member.length
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), Buffer.alloc(length, member)])
}
