import { Refusal } from '../../../base/errors.ts'
import { DAY_MS, HOUR_MS } from '../../../base/time.ts'
import type { CrmKeyType } from '../param.ts'
import { statesCause } from './errors.ts'
import { everySecret } from './secrets.ts'
import type { CrmPlace, CrmSecretRead } from './types.ts'

interface Interval {
  readonly production: number
  readonly sandbox: number
}
const DAILY: Interval = { production: DAY_MS, sandbox: 4 * HOUR_MS }
const WEEKLY: Interval = { production: 7 * DAY_MS, sandbox: 7 * DAY_MS }

/** Least time between two secrets of a type, from the cloud's documents. */
const INTERVALS: Readonly<Record<CrmKeyType, Interval>> = {
  Data: DAILY,
  Analytics: DAILY,
  DeterministicData: { production: 7 * DAY_MS, sandbox: 4 * HOUR_MS },
  EventBus: WEEKLY,
  SearchIndex: WEEKLY,
}

/** Active and archived secrets of one type that an organization can have. */
const SECRETS_MOST = 50

const isNewer = (a: CrmSecretRead, b: CrmSecretRead): number => a.param.version - b.param.version

const periodOf = (ms: number): string => (ms % DAY_MS === 0 ? `${ms / DAY_MS} days` : `${ms / HOUR_MS} hours`)

/**
 * The refusal of a new secret, by its cause, for which the cloud has no public code: too many secrets of the type, or
 * one that is too young. Any other refusal is returned unchanged.
 */
async function caused(place: CrmPlace, type: CrmKeyType, refusal: Refusal): Promise<Refusal> {
  const ofType = (await everySecret(place)).filter(({ param }) => param.type === type)
  const kept = ofType.filter(({ param }) => param.status !== 'DESTROYED')
  if (kept.length >= SECRETS_MOST) {
    const hint = `The organization has ${kept.length} active and archived secrets of ${type}: destroy an archived one.`
    return new Refusal('CLOUD_CONFLICT', `${refusal.message} ${hint}`, { cause: refusal.cause })
  }
  const least = INTERVALS[type][place.organization.is_sandbox ? 'sandbox' : 'production']
  const newest = ofType.sort(isNewer).at(-1)?.param.created_date
  if (newest === undefined || place.now.getTime() - Date.parse(newest) >= least) return refusal
  const hint = `The newest secret of ${type} is from ${newest}; the cloud takes another after ${periodOf(least)}.`
  return new Refusal('CLOUD_TOO_SOON', `${refusal.message} ${hint}`, { cause: refusal.cause })
}

/** Makes a secret of a type. @throws Refusal CLOUD_TOO_SOON, CLOUD_CONFLICT for the cloud's limits, and its others */
export async function withinLimits<T>(place: CrmPlace, type: CrmKeyType, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isOpen = error instanceof Refusal && error.reason === 'CLOUD_INVALID' && !statesCause(error.cause)
    throw isOpen ? await caused(place, type, error) : error
  }
}
