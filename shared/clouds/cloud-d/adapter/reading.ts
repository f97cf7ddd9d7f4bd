import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { Refusal } from '../../../base/errors.ts'
import { fieldsOf } from '../../../base/json.ts'
import { ifThere } from '../../../cloud/adapter/failures.ts'
import type { RefPage, Survey } from '../../../cloud/contract.ts'
import { isMoving, KEY_TAG } from '../param.ts'
import { askVault, everyPage } from './client.ts'
import { until } from './errors.ts'
import { allCompartments } from './look-ups.ts'
import type { CloudD, CloudDKeyRead, CloudDPlace, CloudDVersionRead } from './types.ts'
import { Key, KeySummary, keyRead, Version, versionRead } from './wire.ts'

/** The cloud's limit of items per page. */
const A_PAGE = 1_000
/** Ours: versions read per key; above the cloud's limit. */
const VERSIONS_MOST = 10_000
/** Ours: ids that a survey holds in memory, about a hundred bytes each. */
const LISTED_MOST = 200_000

export const keyPath = (ref: string): string => `/20180608/keys/${encodeURIComponent(ref)}`
export const versionsPath = (ref: string): string => `${keyPath(ref)}/keyVersions`
export const versionPath = (ref: string, version: string): string =>
  `${versionsPath(ref)}/${encodeURIComponent(version)}`

/** A key in the cloud's form. @throws Refusal CLOUD_NOT_FOUND */
export const getKey = async (place: CloudDPlace, ref: string): Promise<Key> =>
  (await askVault(place, { method: 'GET', path: keyPath(ref), reply: Key })).data

/** @throws Refusal CLOUD_NOT_FOUND */
export const getVersion = async (place: CloudDPlace, ref: string, version: string): Promise<Version> =>
  (await askVault(place, { method: 'GET', path: versionPath(ref, version), reply: Version })).data

/** A key, once the cloud has completed the change in progress. */
export const settledKey = (place: CloudDPlace, ref: string): Promise<Key> =>
  until(place.budget, async () => {
    const key = await getKey(place, ref)
    return isMoving(key.lifecycleState) ? undefined : key
  })

const described = async (place: CloudDPlace, ref: string): Promise<CloudDKeyRead | undefined> => {
  const key = await ifThere(getKey(place, ref))
  return key && keyRead(key, place.vault.display_name)
}

const denied = (): Refusal => new Refusal('CLOUD_DENIED', 'Cloud-d does not let the connection read the key.')

/**
 * The result of a read of a resource that was just created. If the cloud finds none, it hides the resource from the
 * connection.
 */
export async function surely<R>(work: Promise<R>): Promise<R> {
  const found = await ifThere(work)
  if (found === undefined) throw denied()
  return found
}

/**
 * The cloud answers a key that the connection may not read like a missing one, and another user may have moved it. Ours:
 * a key is missing only if the connection can list the keys of every compartment and it is in none of them, or if it was
 * deleted according to all that is known of it.
 * @param known the key on record or as specified, and as an action may have left it
 */
export async function read(place: CloudDPlace, ref: string, ...known: unknown[]): Promise<CloudDKeyRead | undefined> {
  const key = await described(place, ref)
  if (key !== undefined || (known.length > 0 && known.every((one) => wasDeleted(one, place)))) return key
  const { ids, areAll } = await compartmentsOf(place)
  if (!areAll) throw denied()
  const likely = new Set(known.map(compartmentOf))
  for (const compartment of [...ids].sort((a, b) => Number(likely.has(b)) - Number(likely.has(a)))) {
    const keys = await surely(everyPage((page) => listed(place, compartment, page), LISTED_MOST))
    if (keys.some(({ id }) => id === ref)) throw denied()
  }
  return undefined
}

const listed = (place: CloudDPlace, compartmentId: string, page: string | undefined) =>
  askVault(place, {
    method: 'GET',
    path: '/20180608/keys',
    query: { compartmentId, limit: A_PAGE, sortBy: 'TIMECREATED', sortOrder: 'ASC', page },
    reply: z.array(KeySummary),
  })

/** The compartments that may contain keys of the vault, which need not be in the vault's compartment. */
async function compartmentsOf(place: CloudDPlace): Promise<{ ids: readonly string[]; areAll: boolean }> {
  const { ids, areAll } = await allCompartments(place)
  return { ids: [...new Set([...ids, place.vault.compartment_id])].sort(), areAll }
}

/** One page of a compartment's keys; `undefined` if the connection may not list them. */
const keysOf = (place: CloudDPlace, compartmentId: string, page: string | undefined) =>
  ifThere(listed(place, compartmentId, page))

const MARK = '\n'

/** The keys of one compartment after the other. A cursor contains the compartment and its page. */
export async function refs(place: CloudDPlace, cursor = ''): Promise<RefPage> {
  const [at = '', page = ''] = cursor.split(MARK)
  const { ids: compartments } = await compartmentsOf(place)
  const here = compartments.find((id) => id >= at)
  if (here === undefined) return { refs: [] }
  const found = await keysOf(place, here, here === at && page !== '' ? page : undefined)
  const after = found?.next === undefined ? compartments.find((id) => id > here) : `${here}${MARK}${found.next}`
  return { refs: (found?.data ?? []).map(({ id }) => id), ...defined({ next: after }) }
}

/** Ids of the keys of all compartments. */
interface Listed {
  readonly ids: ReadonlySet<string>
  /** Whether the connection may list the keys of some compartment, and of each one. */
  readonly isAny: boolean
  readonly isWhole: boolean
}
async function everyKey(place: CloudDPlace): Promise<Listed> {
  const compartments = await compartmentsOf(place)
  const ids = new Set<string>()
  let seen = 0
  for (const compartment of compartments.ids) {
    const found = await ifThere(everyPage((next) => listed(place, compartment, next), LISTED_MOST - ids.size))
    if (found !== undefined) seen++
    for (const { id } of found ?? []) ids.add(id)
  }
  return { ids, isAny: seen > 0, isWhole: compartments.areAll && seen === compartments.ids.length }
}

/** The compartment of a record or a specification that is this cloud's. */
const compartmentOf = (known: unknown): unknown => fieldsOf(fieldsOf(known).cloud_d_params ?? known).compartment_id

/** Whether a record states that the cloud no longer has the key, or that the time of its deletion is past. */
function wasDeleted(known: unknown, { now }: CloudDPlace): boolean {
  const { gone, cloud_d_params } = fieldsOf(known)
  const { lifecycle_state: state, time_of_deletion: at } = fieldsOf(cloud_d_params)
  if (gone === true || state === 'DELETED' || state === 'DELETING') return true
  const isScheduled = state === 'PENDING_DELETION' || state === 'SCHEDULING_DELETION'
  return isScheduled && typeof at === 'string' && Date.parse(at) <= now.getTime()
}

/**
 * Keys are read one by one: lists lack their shape and current version. The cloud answers a key that the connection may
 * not read like a missing one, which are distinguished as by `read`.
 * @throws Refusal CLOUD_NOT_FOUND when the connection can list the keys of no compartment
 */
export async function survey(place: CloudDPlace): Promise<Survey<CloudDKeyRead>> {
  const { ids, isAny, isWhole } = await everyKey(place)
  if (!isAny) throw new Refusal('CLOUD_NOT_FOUND', 'Cloud-d shows the keys of no compartment to the connection.')
  return {
    read: async (ref, known) => {
      const key = await described(place, ref)
      const isHidden = ids.has(ref) || !(isWhole || wasDeleted(known, place))
      if (key === undefined && isHidden) throw denied()
      return key
    },
  }
}

/** Id of the key in a compartment that has the tag of a piece of our work. */
export async function markedKey(place: CloudDPlace, compartmentId: string, mark: string): Promise<string | undefined> {
  const all = await everyPage((next) => listed(place, compartmentId, next), LISTED_MOST)
  return all.find(({ freeformTags }) => freeformTags[KEY_TAG] === mark)?.id
}

/** Every version in the cloud's form, oldest first. @throws Refusal CLOUD_NOT_FOUND */
export const allVersions = (place: CloudDPlace, ref: string): Promise<Version[]> =>
  everyPage(
    (page) =>
      askVault(place, {
        method: 'GET',
        path: versionsPath(ref),
        query: { limit: A_PAGE, sortBy: 'TIMECREATED', sortOrder: 'ASC', page },
        reply: z.array(Version),
      }),
    VERSIONS_MOST,
  )

/** The cloud answers hidden versions like a missing key, which is looked for then. */
export const versions: CloudD['versions'] = async (place, ref, key) => {
  const found = await ifThere(allVersions(place, ref))
  if (found !== undefined) return found.map(versionRead)
  if ((await read(place, ref, key?.param)) !== undefined) throw denied()
  throw new Refusal('CLOUD_NOT_FOUND', 'Cloud-d has no such key.')
}

export async function version(place: CloudDPlace, ref: string, id: string): Promise<CloudDVersionRead | undefined> {
  const found = await ifThere(getVersion(place, ref, id))
  return found && versionRead(found)
}

export const publicKey: CloudD['publicKey'] = async (place, ref, id) => (await getVersion(place, ref, id)).publicKey
