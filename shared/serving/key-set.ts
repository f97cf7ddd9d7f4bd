import { entriesOf, fieldsOf } from '../base/json.ts'
import { verifyingKey, type VerifyingKey } from '../crypto/jose/jws.ts'
import { Refusal } from '../base/errors.ts'
import { ageMs, beforeDeadline, type Moment } from '../base/moment.ts'
import { errorFields, log } from '../base/log.ts'
import { sendOnce, serverAt, type Reply } from '../base/network/connection.ts'

/** Ours: an issuer that takes longer counts as down. The request that waits for it has less time. */
const FETCH_WITHIN_MS = 1_500
/** Ours: published sets have a few kilobytes. */
const SET_BYTES = 262_144
const KEYS_MOST = 100
/** Ours: lifetime of a set whose reply states none, and the bounds for a stated lifetime. */
const LIFETIME_MS = { unsaid: 3_600_000, least: 60_000, most: 6 * 3_600_000 }
/** Ours: no set is used past this age, even while its issuer is down. */
const USED_AT_MOST_MS = 24 * 3_600_000
/** A call with an unknown key makes an instance read the set again, at most once in this time whatever callers send. */
const LOOK_AGAIN_MS = 60_000
/** Ours: the pause after a failed fetch. */
const RETRY_MS = 1_000

/** Host of an address as `URL` normalizes it: IPv4 numbers have one spelling there. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

interface NamedKey extends VerifyingKey {
  readonly kid: string | undefined
}

interface KeySet {
  readonly keys: readonly NamedKey[]
  readonly readAt: Moment
  readonly lifetimeMs: number
}

/** The members of a key set that sign tokens. Skips members for other uses, and those whose `kid` is not text. */
export function keysAmong(members: readonly unknown[]): NamedKey[] {
  const found: NamedKey[] = []
  for (const jwk of members.map(fieldsOf)) {
    const key = verifyingKey(jwk)
    const { kid } = jwk
    if (key !== undefined && (kid === undefined || typeof kid === 'string')) found.push({ ...key, kid })
  }
  return found
}

/**
 * The key with a name and an algorithm: the algorithm implies the key's type, and keys of different algorithms may
 * share a name. A token without a name must match exactly one key; among several, none is guessed.
 * @param alg absent for any algorithm
 * @see RFC 7517 §4.5; OpenID Connect Core 1.0 §10.1
 */
export function keyFor(keys: readonly NamedKey[], kid: string | undefined, alg?: unknown): NamedKey | undefined {
  const fits = ({ algorithms }: NamedKey): boolean => alg === undefined || algorithms.has(alg)
  if (kid !== undefined) return keys.findLast((key) => key.kid === kid && fits(key))
  const fitting = keys.filter(fits)
  return fitting.length === 1 ? fitting[0] : undefined
}

/** Members beyond the first hundred are skipped. @throws Error for a body that is not a key set */
function keysIn(body: string): NamedKey[] {
  const { keys } = fieldsOf(JSON.parse(body))
  if (!Array.isArray(keys)) throw new Error('The answer is no key set')
  const found = keysAmong(entriesOf(keys).slice(0, KEYS_MOST))
  if (found.length === 0) throw new Error('The key set has no key for signatures')
  return found
}

function lifetimeOf(cacheControl: string | undefined): number {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/.exec(cacheControl ?? '')?.[1]
  if (seconds === undefined) return LIFETIME_MS.unsaid
  return Math.min(LIFETIME_MS.most, Math.max(LIFETIME_MS.least, Number(seconds) * 1_000))
}

/** Reads the address of a key set once. @throws Error without a complete answer within the bounds */
export type ReadKeySet = (
  address: URL,
  bounds: { readonly withinMs: number; readonly mostBytes: number },
  now: Moment,
) => Promise<Reply>

const readDirectly: ReadKeySet = (address, bounds) => {
  const { host, pathname, search } = address
  const request = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\naccept: application/json\r\nconnection: close\r\n\r\n`
  const timedOut = new Error(`no key set within ${bounds.withinMs} ms`)
  return sendOnce(serverAt(address), request, { ...bounds, timedOut })
}

/**
 * The keys that an issuer publishes at one address. The deployment or an administrator configures the address, a token
 * never does. A set is cached as long as its reply states, then read again in the background. While that fails, the
 * cached set stays in use within a bound.
 */
export class KeySetOf {
  readonly #address: URL
  readonly #send: ReadKeySet
  #set: KeySet | undefined
  #reading: Promise<KeySet> | undefined
  #failedAt: Moment | undefined
  #lookedAgainAt: Moment | undefined

  /**
   * @param address `https://…`; `http` is for an issuer on the same machine
   * @param send reads it; guarded if the address is not configured by the deployment
   * @throws Error, a fault, for a text that is not an address
   */
  constructor(address: string, send: ReadKeySet = readDirectly) {
    const url = new URL(address)
    const { protocol, hostname } = url
    const isAtHome = protocol === 'http:' && LOOPBACK.test(hostname)
    if (protocol !== 'https:' && !isAtHome)
      throw new Error('The address of a key set begins with https://, or is http on loopback')
    this.#address = url
    this.#send = send
  }

  async #fetch(now: Moment): Promise<KeySet> {
    const bounds = { withinMs: FETCH_WITHIN_MS, mostBytes: SET_BYTES }
    const { status, headers, body } = await this.#send(this.#address, bounds, now)
    if (status !== 200) throw new Error(`The key set was answered with ${status}`) // a redirect is not a key set either
    return { keys: keysIn(body), readAt: now, lifetimeMs: lifetimeOf(headers.get('cache-control')) }
  }

  /** Concurrent callers share one read. @throws Error when it fails, immediately while the last failure is recent */
  #read(now: Moment): Promise<KeySet> {
    if (this.#reading) return this.#reading
    if (this.#failedAt && ageMs(this.#failedAt, now) < RETRY_MS) return Promise.reject(new Error('It failed just now'))
    this.#reading = this.#fetch(now)
      .then(
        (set) => {
          this.#set = set
          this.#failedAt = undefined
          return set
        },
        (error: unknown) => {
          this.#failedAt = now
          log('warn', 'the key set of the issuer could not be read', {
            address: this.#address.host,
            ...errorFields(error),
          })
          throw error
        },
      )
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }

  /** @throws Refusal UNAVAILABLE */
  async #keyRead(kid: string | undefined, now: Moment, alg: unknown): Promise<VerifyingKey | undefined> {
    try {
      return keyFor((await beforeDeadline(this.#read(now), now)).keys, kid, alg)
    } catch (cause) {
      throw new Refusal('UNAVAILABLE', 'The keys of the issuer could not be read.', { cause })
    }
  }

  /**
   * Reads the set for a key that may be newer than the cached set: at most once in a while, shared by all concurrent
   * callers. A failed read reveals nothing about the key and does not count.
   * @throws Refusal UNAVAILABLE
   */
  #lookAgain(kid: string | undefined, now: Moment, alg: unknown): undefined | Promise<VerifyingKey | undefined> {
    const isTooSoon = this.#lookedAgainAt !== undefined && ageMs(this.#lookedAgainAt, now) < LOOK_AGAIN_MS
    if (isTooSoon) return this.#reading && this.#keyRead(kid, now, alg)
    return this.#keyRead(kid, now, alg).then((key) => {
      this.#lookedAgainAt = now
      return key
    })
  }

  /**
   * The key with this name, for this algorithm; without a name, the only matching key. `undefined` when the issuer's
   * set does not contain it.
   * @param alg absent for any algorithm
   * @throws Refusal UNAVAILABLE when no cached set contains it and no set can be read
   */
  key(
    kid: string | undefined,
    now: Moment,
    alg?: unknown,
  ): VerifyingKey | undefined | Promise<VerifyingKey | undefined> {
    const set = this.#set
    if (set === undefined) return this.#keyRead(kid, now, alg)
    const age = ageMs(set.readAt, now)
    if (age > USED_AT_MOST_MS) return this.#keyRead(kid, now, alg)
    if (age > set.lifetimeMs) this.#read(now).catch(() => undefined)
    return keyFor(set.keys, kid, alg) ?? this.#lookAgain(kid, now, alg)
  }
}
