/** A version of semver.org, without its build metadata, which does not affect the order. */
export interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly preRelease: readonly string[]
}

const FORM =
  /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?(?:\+(?:[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?$/

const LARGEST = 2n ** 63n

/**
 * Parses `1.2.3-rc.1+build`. As in the reference, a leading `v` is allowed, and numbers may begin with zeros.
 * @returns undefined for any other text
 */
export function parseVersion(text: string): Version | undefined {
  if (text.length > 4_096) return undefined
  const [, major, minor, patch, preRelease] = FORM.exec(text) ?? []
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const
  if (numbers.some((number) => number >= LARGEST)) return undefined
  return { numbers, preRelease: preRelease === undefined ? [] : preRelease.split('.') }
}

/** -1, 0 or 1. @see semver.org, item 11 */
export function compareVersions(a: Version, b: Version): -1 | 0 | 1 {
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n
    if (number !== other) return number < other ? -1 : 1
  }
  // A version with a pre-release comes before the one without.
  if (a.preRelease.length === 0 || b.preRelease.length === 0)
    return sign(Number(b.preRelease.length > 0) - Number(a.preRelease.length > 0))
  for (const [index, part] of a.preRelease.entries()) {
    const other = b.preRelease[index]
    if (other === undefined) return 1
    const order = compareParts(part, other)
    if (order !== 0) return order
  }
  return a.preRelease.length < b.preRelease.length ? -1 : 0
}

const sign = (difference: number): -1 | 0 | 1 => (difference < 0 ? -1 : difference > 0 ? 1 : 0)

/** Numbers by value and before words; words by their characters. */
function compareParts(a: string, b: string): -1 | 0 | 1 {
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (x !== y) return x ? -1 : 1
  if (x && BigInt(a) !== BigInt(b)) return BigInt(a) < BigInt(b) ? -1 : 1
  return x || a === b ? 0 : a < b ? -1 : 1
}
