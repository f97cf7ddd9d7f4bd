import { quoted } from './go-quote.ts'
import { MAX_NS, MIN_NS } from './time-civil.ts'

const NANOSECONDS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
  ['w', 604_800_000_000_000n],
  ['y', 31_536_000_000_000_000n],
])

/** A text that is not a duration; the message contains the reason. */
export class DurationSyntaxError extends Error {
  override readonly name = 'DurationSyntaxError'
}

/**
 * Parses `1h30m`, `-1.5s`, `2w`: numbers with units, added up. A day has 24 hours, a year 365 days.
 * @returns nanoseconds, in 64 bits; fractions of one are truncated
 * @throws DurationSyntaxError
 */
export function parseDuration(text: string): bigint {
  const invalid = (what = 'invalid duration'): never => {
    throw new DurationSyntaxError(`time: ${what} ${quoted(text)}`)
  }
  const negative = text.startsWith('-')
  let rest = text.replace(/^[+-]/, '')
  if (rest === '0') return 0n
  if (rest === '') return invalid()
  let total = 0n
  while (rest !== '') {
    const [all, whole = '', fraction = '', unit = ''] = /^(\d{0,40})(?:\.(\d*))?([^\d.]*)/.exec(rest) ?? []
    if (all === undefined || whole + fraction === '') return invalid()
    if (unit === '') return invalid('missing unit in duration')
    const scale = NANOSECONDS.get(unit)
    if (scale === undefined) return invalid(`unknown unit ${quoted(unit)} in duration`)
    const kept = fraction.slice(0, 18)
    total +=
      BigInt(whole === '' ? 0 : whole) * scale + (BigInt(kept === '' ? 0 : kept) * scale) / 10n ** BigInt(kept.length)
    rest = rest.slice(all.length)
  }
  const signed = negative ? -total : total
  return signed > MAX_NS || signed < MIN_NS ? invalid() : signed
}
