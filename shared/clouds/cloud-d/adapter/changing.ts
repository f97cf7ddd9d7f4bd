import { later, DAY_MS, MINUTE_MS } from '../../../base/time.ts'
import { isMoving, KEY_TAG } from '../param.ts'
import { askVault, Nothing } from './client.ts'
import { codeOf, until } from './errors.ts'
import { getVersion, keyPath, settledKey, versionPath } from './reading.ts'
import type { CloudD, CloudDPlace } from './types.ts'
import { Key } from './wire.ts'

/** States in which a deletion is scheduled. */
const SCHEDULED: ReadonlySet<string> = new Set(['PENDING_DELETION', 'SCHEDULING_DELETION', 'DELETING', 'DELETED'])

/** The longest wait that the cloud allows. */
const DAYS_MOST = 30
/**
 * Ours: the cloud measures the wait when the request arrives, so any wait below the longest is requested a little
 * longer.
 */
const SPARE_MS = 5 * MINUTE_MS

const timeOfDeletion = ({ now }: CloudDPlace, days: number): string =>
  later(now, days * DAY_MS + (days < DAYS_MOST ? SPARE_MS : 0)).toISOString()

/** One change of a key or a version. */
interface Change {
  /** The state, once no other change is in progress. */
  readonly state: () => Promise<string>
  /** whether the state is already the wanted one, for example because an answer was lost; then no call is made */
  readonly isSo: (state: string) => boolean
  readonly path: string
  readonly body?: object
}

async function changed(place: CloudDPlace, { state, isSo, path, body }: Change): Promise<void> {
  if (isSo(await state())) return
  try {
    await askVault(place, { method: 'POST', path, ...(body !== undefined && { body }), reply: Nothing })
  } catch (error) {
    if (codeOf(error) !== 'IncorrectState' || !isSo(await state())) throw error
  }
}

const stateOf = (place: CloudDPlace, ref: string) => async (): Promise<string> =>
  (await settledKey(place, ref)).lifecycleState

const isEnabled = (state: string): boolean => state === 'ENABLED'
const isDisabled = (state: string): boolean => state === 'DISABLED'
const isScheduled = (state: string): boolean => SCHEDULED.has(state)
const isFree = (state: string): boolean => !SCHEDULED.has(state)

const onKey = (place: CloudDPlace, ref: string, action: string, isSo: Change['isSo'], body?: object) =>
  changed(place, {
    state: stateOf(place, ref),
    isSo,
    path: `${keyPath(ref)}/actions/${action}`,
    ...(body !== undefined && { body }),
  })

export const enable: CloudD['enable'] = (place, ref) => onKey(place, ref, 'enable', isEnabled)
export const disable: CloudD['disable'] = (place, ref) => onKey(place, ref, 'disable', isDisabled)
export const scheduleDeletion: CloudD['scheduleDeletion'] = (place, ref, days) =>
  onKey(place, ref, 'scheduleDeletion', isScheduled, { timeOfDeletion: timeOfDeletion(place, days) })
export const cancelDeletion: CloudD['cancelDeletion'] = (place, ref) => onKey(place, ref, 'cancelDeletion', isFree)

export const move: CloudD['move'] = async (place, ref, compartmentId) => {
  const key = await settledKey(place, ref)
  if (key.compartmentId === compartmentId) return
  const path = `${keyPath(ref)}/actions/changeCompartment`
  await askVault(place, { method: 'POST', path, body: { compartmentId }, reply: Nothing })
}

export const update: CloudD['update'] = async (place, ref, change) => {
  const { freeformTags } = await settledKey(place, ref)
  const { display_name: displayName, defined_tags: definedTags, freeform_tags: wanted } = change
  const mark = freeformTags[KEY_TAG]
  const body = {
    ...(displayName !== undefined && { displayName }),
    ...(definedTags !== undefined && { definedTags }),
    ...(wanted !== undefined && { freeformTags: { ...wanted, ...(mark !== undefined && { [KEY_TAG]: mark }) } }),
  }
  await askVault(place, { method: 'PUT', path: keyPath(ref), body, reply: Key })
}

const versionState = (place: CloudDPlace, ref: string, version: string) => (): Promise<string> =>
  until(place.budget, async () => {
    await settledKey(place, ref)
    const { lifecycleState = 'ENABLED' } = await getVersion(place, ref, version)
    return isMoving(lifecycleState) ? undefined : lifecycleState
  })

export const scheduleVersionDeletion: CloudD['scheduleVersionDeletion'] = (place, ref, version, days) =>
  changed(place, {
    state: versionState(place, ref, version),
    isSo: isScheduled,
    path: `${versionPath(ref, version)}/actions/scheduleDeletion`,
    body: { timeOfDeletion: timeOfDeletion(place, days) },
  })

export const cancelVersionDeletion: CloudD['cancelVersionDeletion'] = (place, ref, version) =>
  changed(place, {
    state: versionState(place, ref, version),
    isSo: isFree,
    path: `${versionPath(ref, version)}/actions/cancelDeletion`,
  })
