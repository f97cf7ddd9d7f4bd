/** An address as a number of 32 or 128 bits. IPv4 addresses written as IPv6 (`::ffff:1.2.3.4`) are IPv4. */
export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** A network: its first address and the number of fixed bits. */
export interface Network extends Address {
  readonly prefix: number
}

const MAPPED = 0xffffn << 32n

/** @returns undefined for any other text, including an address with a zone */
export function parseAddress(text: string): Address | undefined {
  if (text.length > 45) return undefined
  if (!text.includes(':')) {
    const value = ipv4(text)
    return value === undefined ? undefined : { bits: 32, value }
  }
  const value = ipv6(text)
  if (value === undefined) return undefined
  return value >> 32n === 0xffffn ? { bits: 32, value: value - MAPPED } : { bits: 128, value }
}

/** Four decimal numbers without leading zeros. */
function ipv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || parts.some((part) => !/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255))
    return undefined
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n)
}

function ipv6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const groups = halves.map((half) => groupsOf(half))
  const [before, after] = groups
  if (before === undefined || groups.includes(undefined)) return undefined
  const written = before.length + (after?.length ?? 0)
  if (after === undefined ? written !== 8 : written > 7) return undefined
  const all = [...before, ...Array.from({ length: 8 - written }, () => 0n), ...(after ?? [])]
  return all.reduce((value, group) => (value << 16n) + group, 0n)
}

/** Groups of 16 bits; the last part may be an IPv4 address, which counts as two groups. */
function groupsOf(text: string): bigint[] | undefined {
  if (text === '') return []
  const groups: bigint[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const value = index === parts.length - 1 ? ipv4(part) : undefined
      if (value === undefined) return undefined
      groups.push(value >> 16n, value & 0xffffn)
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`))
    else return undefined
  }
  return groups
}

/** `address/bits`; the bits of the host are cleared. @returns undefined for any other text */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', written = '', ...more] = text.split('/')
  const found = parseAddress(address)
  if (found === undefined || more.length > 0 || !/^\d{1,3}$/.test(written)) return undefined
  const asWritten = address.includes(':') ? 128 : 32
  const length = Number(written)
  if (length > asWritten) return undefined
  // An IPv4 address written as IPv6 is IPv4 as long as its prefix includes the mapping bits.
  if (asWritten === 128 && found.bits === 32) {
    if (length >= 96) return networkOf(found, length - 96)
    return networkOf({ bits: 128, value: found.value + MAPPED }, length)
  }
  return networkOf(found, length)
}

/** The network of `prefix` bits that contains `address`. */
export function networkOf({ bits, value }: Address, prefix: number): Network {
  const host = BigInt(bits - prefix)
  return { bits, value: (value >> host) << host, prefix }
}

export const lastOf = ({ bits, value, prefix }: Network): bigint => value + (1n << BigInt(bits - prefix)) - 1n

export const containsAddress = (network: Network, { bits, value }: Address): boolean =>
  network.bits === bits && value >= network.value && value <= lastOf(network)

export const containsNetwork = (outer: Network, inner: Network): boolean =>
  containsAddress(outer, inner) && lastOf(inner) <= lastOf(outer)

/** The canonical text: dotted for IPv4; IPv6 in lower case, its longest run of zeros as `::`. @see RFC 5952 */
export function addressText({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn))
  let run = { start: 0, length: 1 }
  for (let start = 0; start < 8; start += 1) {
    let end = start
    while (groups[end] === 0) end += 1
    if (end - start > run.length) run = { start, length: end - start }
  }
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':')
  if (run.length < 2) return hex(groups)
  return `${hex(groups.slice(0, run.start))}::${hex(groups.slice(run.start + run.length))}`
}

export const networkText = (network: Network): string => `${addressText(network)}/${network.prefix}`

/** Addresses of both versions in one range: IPv4 is mapped into IPv6. */
export interface Range {
  readonly first: bigint
  readonly last: bigint
  /** the range as written, as long as it is a single network */
  readonly text: string | undefined
}

export function rangeOf(network: Network, text = networkText(network)): Range {
  const base = network.bits === 32 ? MAPPED : 0n
  return { first: base + network.value, last: base + lastOf(network), text }
}

/** Merges ranges that touch or overlap. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = []
  for (const range of ranges.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
    const before = merged.at(-1)
    if (before === undefined || range.first > before.last + 1n) merged.push(range)
    else
      merged[merged.length - 1] = {
        first: before.first,
        last: range.last > before.last ? range.last : before.last,
        text: undefined,
      }
  }
  return merged
}

/** The fewest networks that make up a range. */
export function networksIn({ first, last }: Range): Network[] {
  const mapped = first >> 32n === 0xffffn && last >> 32n === 0xffffn
  const [bits, base]: [32 | 128, bigint] = mapped ? [32, MAPPED] : [128, 0n]
  const networks: Network[] = []
  for (let at = first - base; at <= last - base;) {
    let host = 0
    // The largest network that the start allows and that fits before the end.
    while (host < bits && at % (2n << BigInt(host)) === 0n && at + (2n << BigInt(host)) - 1n <= last - base) host += 1
    networks.push({ bits, value: at, prefix: bits - host })
    at += 1n << BigInt(host)
  }
  return networks
}
