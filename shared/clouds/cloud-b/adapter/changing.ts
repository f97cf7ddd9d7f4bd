import { isOfCredentials } from '../../../base/attempts.ts'
import { Refusal, type Reason } from '../../../base/errors.ts'
import { RECORD_TAG } from '../param.ts'
import { codeOf, ifThere, until } from './errors.ts'
import { deletionOf, versionsOf, type ItemCalls, type ItemParam, type Version } from './items.ts'
import { checkedName, knownParts, type RefParts } from './names.ts'
import type { CloudBChange, CloudBDeletion, CloudBPlace, CloudBRead } from './types.ts'

/** Calls that change keys, secrets or certificates. */
export interface ChangingCalls<Param extends ItemParam, Change> extends ItemCalls<Param> {
  change(place: CloudBPlace, parts: RefParts, change: Change): Promise<Version<Param>>
  /** @returns whether the deletion can be undone @throws Refusal CLOUD_NOT_FOUND */
  startDeletion(place: CloudBPlace, name: string): Promise<boolean>
  /** @throws Refusal CLOUD_NOT_FOUND */
  startRecovery(place: CloudBPlace, name: string): Promise<void>
  purge(place: CloudBPlace, name: string): Promise<void>
  backup(place: CloudBPlace, name: string): Promise<Buffer>
  /** @returns the name of the restored item */
  restore(place: CloudBPlace, backup: Buffer): Promise<string>
}

/** The caller's tags, and the mark of the service, which the version keeps. */
async function withOwnTag<Param extends ItemParam>(
  calls: ItemCalls<Param>,
  place: CloudBPlace,
  { name, version }: RefParts,
  tags: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { param } = await calls.get(place, name, version)
  const mark = param.tags[RECORD_TAG]
  return mark === undefined ? tags : { ...tags, [RECORD_TAG]: mark }
}

async function update<Param extends ItemParam, Change extends CloudBChange>(
  calls: ChangingCalls<Param, Change>,
  place: CloudBPlace,
  ref: string,
  change: Change,
): Promise<CloudBRead<Param>> {
  const parts = knownParts(ref)
  const { tags } = change
  const whole = tags === undefined ? change : { ...change, tags: await withOwnTag(calls, place, parts, tags) }
  const changed = await calls.change(place, parts, whole)
  const latest = await calls.get(place, parts.name)
  return { ...changed, is_latest: latest.ref === ref }
}

/**
 * Waits until a change that the cloud has accepted shows. A connection that may not look waits no longer: the change is
 * made.
 */
const shown = <T>({ budget }: CloudBPlace, look: () => Promise<T | undefined>): Promise<T | undefined> =>
  until(budget, look).catch((error: unknown) => {
    if (isOfCredentials(error)) return undefined
    throw error
  })

/** A repeated call finds the deletion in progress, or done. */
async function remove<Param extends ItemParam>(
  calls: ChangingCalls<Param, never>,
  place: CloudBPlace,
  name: string,
): Promise<CloudBDeletion | undefined> {
  const isKept = await ifThere(calls.startDeletion(place, checkedName(name)))
  if (isKept === undefined) return deletionOf(calls, place, name)
  return isKept ? shown(place, () => deletionOf(calls, place, name)) : undefined
}

async function recover<Param extends ItemParam>(
  calls: ChangingCalls<Param, never>,
  place: CloudBPlace,
  name: string,
): Promise<void> {
  const latest = () => ifThere(calls.get(place, checkedName(name)))
  if ((await latest()) !== undefined) return
  await calls.startRecovery(place, name)
  await shown(place, latest)
}

/** Purge protection and a missing permission have the same status; only the message distinguishes them. */
async function purge<Param extends ItemParam>(
  calls: ChangingCalls<Param, never>,
  place: CloudBPlace,
  name: string,
): Promise<void> {
  try {
    await ifThere(calls.purge(place, checkedName(name)))
  } catch (error) {
    const isProtected =
      error instanceof Refusal && codeOf(error) === 'ForbiddenByPolicy' && /purge protection/i.test(error.message)
    throw isProtected ? new Refusal('CLOUD_CONFLICT', error.message, { cause: error.cause }) : error
  }
}

/** Remedies for refused restores; the cloud's messages name none. */
const RESTORING: Readonly<Partial<Record<Reason, string>>> = {
  CLOUD_INVALID:
    'A backup can be restored into vaults that hold its kind of key, of the subscription and geography that it was taken in; one of a managed HSM pool, into that pool.',
  CLOUD_CONFLICT: 'Restore it into another vault, or delete and purge the item with this name first.',
}

/** The refusal of a restore, with its remedy. */
function withRemedy(error: unknown): unknown {
  const remedy = error instanceof Refusal ? RESTORING[error.reason] : undefined
  return error instanceof Refusal && remedy !== undefined
    ? new Refusal(error.reason, `${error.message} ${remedy}`, { cause: error.cause })
    : error
}

/** The changing verbs common to keys, secrets and certificates. */
export const changingVerbs = <Param extends ItemParam, Change extends CloudBChange>(
  calls: ChangingCalls<Param, Change>,
) => ({
  update: (place: CloudBPlace, ref: string, change: Change): Promise<CloudBRead<Param>> =>
    update(calls, place, ref, change),
  remove: (place: CloudBPlace, name: string): Promise<CloudBDeletion | undefined> => remove(calls, place, name),
  purge: (place: CloudBPlace, name: string): Promise<void> => purge(calls, place, name),
  recover: (place: CloudBPlace, name: string): Promise<void> => recover(calls, place, name),
  backup: (place: CloudBPlace, name: string): Promise<Buffer> => calls.backup(place, checkedName(name)),
  restore: async (place: CloudBPlace, backup: Buffer): Promise<readonly string[]> => {
    const name = await calls.restore(place, backup).catch((error: unknown) => {
      throw withRemedy(error)
    })
    return (await until(place.budget, () => ifThere(versionsOf(calls, place, name)))).map(({ ref }) => ref)
  },
})
