import { createHash, randomBytes } from 'node:crypto'

const COUNTER_LIMIT = 2 ** 24
let lastMs = -1
let counter = 0

/** Counts the ids created within one millisecond, so that they sort in the order of their creation here. */
function next(nowMs: number): number {
  if (nowMs !== lastMs) {
    lastMs = nowMs
    counter = 0
  }
  counter = (counter + 1) % COUNTER_LIMIT
  return counter
}

/**
 * UUID version 7: 48 bits of milliseconds, then a 24-bit counter, then random bits.
 * Lexical order is creation order.
 * @see RFC 9562 §5.7, §6.2 method 1
 */
export function uuid(now: Date): string {
  const nowMs = now.getTime()
  const count = next(nowMs)
  const bytes = randomBytes(16)
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | (count >>> 12), 6)
  bytes.writeUInt16BE(0x8000 | (count & 0xfff), 8)
  return uuidText(bytes)
}

/**
 * UUID version 7 that is always the same for a `seed`, with bits of its hash instead of counter and random bits: for
 * events that are delivered more than once but recorded once.
 * @see RFC 9562 §5.7
 */
export function uuidOf(at: Date, seed: string): string {
  const bytes = createHash('sha256').update(seed).digest().subarray(0, 16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return uuidText(bytes)
}

/**
 * UUID version 7 of the n-th item in a list of something created at `at`: always the same for the same numbers, and in
 * their order.
 * @param seed distinguishes the lists from all others created at that moment
 * @param list below 4,096
 * @param n below 2^30
 * @see RFC 9562 §5.7
 */
export function numberedUuid(at: Date, seed: string, list: number, n: number): string {
  const bytes = createHash('sha256').update(seed).digest().subarray(0, 16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.writeUInt16BE(0x7000 | list, 6)
  bytes.writeUInt32BE(0x8000_0000 + n, 8)
  return uuidText(bytes)
}

/** 16 bytes in the text form of a UUID. */
export function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Id of one version of a local key: 64 hex characters, 48 bits of milliseconds first, then a counter, then random. */
export function localKeyId(now: Date): string {
  const nowMs = now.getTime()
  const count = next(nowMs)
  const bytes = randomBytes(32)
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUIntBE(count, 6, 3)
  return bytes.toString('hex')
}

export const LOCAL_KEY_ID = /^[0-9a-f]{64}$/

/** The first 12 hex digits of every id created at `now`: a bound for ranges of ids by time. */
export const hexMilliseconds = (now: Date): string => Math.max(0, now.getTime()).toString(16).padStart(12, '0')

/** The lowest UUID that can be created at `now` or later. */
export function lowestUuid(now: Date): string {
  const hex = hexMilliseconds(now)
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

export const USER_ID = /^local\|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Ours: the root domain's id is the same in every deployment, so that a log-in finds it without a read. */
export const ROOT_DOMAIN_ID = '00000000-0000-7000-8000-000000000000'
export const ROOT_DOMAIN_NAME = 'root'

/** Colon-delimited names of a record: its own `uri`, and the accounts and application that own it. */
export const resourceUri = (domain: string, service: string, type: string, idOrName: string): string =>
  `keymgr:${domain}:${service}:${type}:${idOrName}`
/** The domain of a record, by its `uri`. */
export const domainOfUri = (uri: string): string => uri.split(':')[1] ?? ''
export const accountOf = (domain: string): string => `keymgr:keymgr:admin:accounts:${domain}`
export const APPLICATION = 'keymgr:platform:admin:apps:keymgr'
export const DEV_ACCOUNT = 'keymgr:platform:admin:accounts:platform'

/** Fields common to resources, for one created now. */
export const commonFields = (domain: string, id: string, uri: string, now: Date) => ({
  id,
  uri,
  account: accountOf(domain),
  application: APPLICATION,
  devAccount: DEV_ACCOUNT,
  createdAt: now.toISOString(),
  updatedAt: now.toISOString(),
})
export type CommonFields = ReturnType<typeof commonFields>
