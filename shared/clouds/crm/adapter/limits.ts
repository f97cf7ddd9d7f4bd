import { Refusal } from '../../../base/errors.ts'
import { leastMs, periodOf } from '../intervals.ts'
import { CRM_KEY_TYPES, type CrmKeyType } from '../param.ts'
import { statesCause } from './errors.ts'
import { everySecret } from './secrets.ts'
import type { CrmPlace, CrmSecretRead } from './types.ts'

/** Active and archived secrets of one type that an organization can have. */
const SECRETS_MOST = 50

const isNewer = (a: CrmSecretRead, b: CrmSecretRead): number => a.param.version - b.param.version

/** A secret that the cloud's limits concern. */
interface Limited {
  readonly place: CrmPlace
  readonly type: string
  /** whether it is a new secret: the cloud demands a minimum interval between two */
  readonly isNew: boolean
}

const isType = (type: string): type is CrmKeyType => CRM_KEY_TYPES.some((one) => one === type)

/**
 * The refusal of a secret, by its cause, for which the cloud has no public code: too many secrets of the type, or
 * one that is too young. Any other refusal is returned unchanged.
 */
async function caused({ place, type, isNew }: Limited, refusal: Refusal): Promise<Refusal> {
  const ofType = (await everySecret(place)).filter(({ param }) => param.type === type)
  const kept = ofType.filter(({ param }) => param.status !== 'DESTROYED')
  if (kept.length >= SECRETS_MOST) {
    const hint = `The organization has ${kept.length} active and archived secrets of ${type}: destroy an archived one.`
    return new Refusal('CLOUD_CONFLICT', `${refusal.message} ${hint}`, { cause: refusal.cause })
  }
  if (!isNew || !isType(type)) return refusal
  const least = leastMs(type, place.organization)
  const newest = ofType.sort(isNewer).at(-1)?.param.created_date
  if (newest === undefined || place.now.getTime() - Date.parse(newest) >= least) return refusal
  const hint = `The newest secret of ${type} is from ${newest}; the cloud takes another after ${periodOf(least)}.`
  return new Refusal('CLOUD_TOO_SOON', `${refusal.message} ${hint}`, { cause: refusal.cause })
}

/** @throws Refusal CLOUD_TOO_SOON, CLOUD_CONFLICT for the cloud's limits, and its others */
async function limited<T>(of: Limited, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isOpen = error instanceof Refusal && error.reason === 'CLOUD_INVALID' && !statesCause(error.cause)
    throw isOpen ? await caused(of, error) : error
  }
}

/** Makes a secret of a type. @throws Refusal CLOUD_TOO_SOON, CLOUD_CONFLICT, and the cloud's other refusals */
export const withinLimits = <T>(place: CrmPlace, type: CrmKeyType, work: () => Promise<T>): Promise<T> =>
  limited({ place, type, isNew: true }, work)

/** Brings a destroyed secret back, which counts again. @throws Refusal CLOUD_CONFLICT, and the cloud's other refusals */
export const withinRoom = <T>(place: CrmPlace, type: string, work: () => Promise<T>): Promise<T> =>
  limited({ place, type, isNew: false }, work)
