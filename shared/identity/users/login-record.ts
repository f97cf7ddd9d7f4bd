import { createHash } from 'node:crypto'
import { MINUTE_MS } from '../../base/time.ts'
import { Stale, type Changes } from '../../store/changes.ts'
import { getItems, whole, type Attributes } from '../../store/table.ts'
import type { Key } from '../../store/layout.ts'

/**
 * Counts and times of a user's log-ins and failures, in a separate item that is only incremented, so that concurrent
 * log-ins do not conflict.
 */
export interface LoginRecord {
  readonly logins: number
  readonly failures: number
  readonly lastLogin: string | undefined
  readonly lastFailure: string | undefined
}

export const NEVER: LoginRecord = { logins: 0, failures: 0, lastLogin: undefined, lastFailure: undefined }

const keyOf = (domain: string, userId: string): Key => ({ pk: `${domain}#login#${userId.slice(-1)}`, sk: userId })
/** Replaces the id of an unknown user, so that a failure costs the same write as for a known one. */
const unknownUserKey = (name: string): string => `nobody-${createHash('sha256').update(name).digest('hex').slice(0, 2)}`

const ADDRESS_BUCKETS = 4_096
/** Number of parts of an IPv6 address that belong to one holder. @see RFC 6177 §2 */
const NETWORK_PARTS = 4

/**
 * An id for a user at one source address. Ours: the addresses of a user share a fixed number of records, so that
 * guessing from many addresses cannot fill the table.
 */
export function fromAddress(userId: string, address: string): string {
  const network = address.includes(':') ? address.split(':').slice(0, NETWORK_PARTS).join(':') : address
  const bucket = createHash('sha256').update(`${userId} ${network}`).digest().readUInt32BE(0) % ADDRESS_BUCKETS
  return `from-${bucket}-${userId}`
}

/** The records of some users, in the order of `userIds`. One read per 100. */
export async function readLogins(domain: string, userIds: readonly string[]): Promise<LoginRecord[]> {
  const items = await getItems(userIds.map((id) => keyOf(domain, id)))
  const byId = new Map(items.map((item) => [item.sk?.S, item]))
  return userIds.map((id) => recordOf(byId.get(id)))
}

const recordOf = (item: Attributes | undefined): LoginRecord =>
  item === undefined
    ? NEVER
    : {
        logins: whole(item, 'logins'),
        failures: whole(item, 'failures'),
        lastLogin: item.last_login?.S,
        lastFailure: item.last_failure?.S,
      }

const unexpectedRefusal = (): Error => new Error('A write without condition was refused')

/**
 * End of the lock after failed log-ins: the policy has minutes for the n-th failure; the last value applies to all
 * further failures.
 */
export function lockedUntilMs({ failures, lastFailure }: LoginRecord, thresholds: readonly number[]): number {
  if (failures === 0 || lastFailure === undefined) return 0
  const minutes = thresholds[Math.min(failures, thresholds.length) - 1] ?? 0
  return minutes === 0 ? 0 : Date.parse(lastFailure) + minutes * MINUTE_MS
}

const failedMeanwhile = (): Error => new Stale('Log-ins of the user failed meanwhile')
const unchangedFailures = ({ failures }: LoginRecord): string =>
  failures === 0 ? '(attribute_not_exists(failures) OR failures = :seen)' : 'failures = :seen'
const seenValue = ({ failures }: LoginRecord): Attributes => ({ ':seen': { N: String(failures) } })

/**
 * Counts a log-in and resets the failures. The commit fails with `Stale` if failures were counted since `seen` was
 * read, since they may have locked the user. So concurrent guesses are limited like consecutive ones.
 */
export function countLogin(changes: Changes, domain: string, userId: string, seen: LoginRecord, now: Date): void {
  changes.plan(
    {
      update: keyOf(domain, userId),
      expression: 'SET last_login = :now, failures = :none ADD logins :one',
      condition: unchangedFailures(seen),
      values: {
        ':now': { S: now.toISOString() },
        ':none': { N: '0' },
        ':one': { N: '1' },
        ...seenValue(seen),
      },
    },
    failedMeanwhile,
  )
}

/** Counts a failed log-in, of a user or of an unknown name. */
export function countFailure(
  changes: Changes,
  domain: string,
  subject: { readonly userId: string } | { readonly name: string },
  now: Date,
): void {
  changes.plan(
    {
      update: keyOf(domain, 'userId' in subject ? subject.userId : unknownUserKey(subject.name)),
      expression: 'SET last_failure = :now ADD failures :one',
      values: { ':now': { S: now.toISOString() }, ':one': { N: '1' } },
    },
    unexpectedRefusal,
  )
}

/** Stores only the time of a log-in; it does not conflict with other changes. */
export function noteLogin(changes: Changes, domain: string, id: string, now: Date): void {
  changes.plan(
    { update: keyOf(domain, id), expression: 'SET last_login = :now', values: { ':now': { S: now.toISOString() } } },
    unexpectedRefusal,
  )
}

/** Resets the failures, which unlocks the user. */
export function forgetFailures(changes: Changes, domain: string, userId: string): void {
  changes.plan(
    { update: keyOf(domain, userId), expression: 'SET failures = :none', values: { ':none': { N: '0' } } },
    unexpectedRefusal,
  )
}

export function removeLogins(changes: Changes, domain: string, userId: string): void {
  changes.plan({ remove: keyOf(domain, userId) }, unexpectedRefusal)
}

/** Requires that no failure was counted since `seen` was read. The commit fails with `Stale`. */
export function relyOnFailures(changes: Changes, domain: string, userId: string, seen: LoginRecord): void {
  changes.plan(
    { check: keyOf(domain, userId), condition: unchangedFailures(seen), values: seenValue(seen) },
    failedMeanwhile,
  )
}
