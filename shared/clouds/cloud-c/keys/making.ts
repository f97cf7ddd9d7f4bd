import type { CloudCKeySpec, CloudCPlace } from '../adapter/types.ts'
import { MADE, type Journal } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { cloudCKeys, keysOfRing, type CloudCKeyRow, type StoredCloudCKey } from './store.ts'
import { cloudCRings, type StoredCloudCRing } from '../rings/store.ts'
import { cloudCVersions, storedVersions } from '../versions/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { sagas } from '../../../work/sagas/store.ts'
import type { SagaKind } from '../../../work/sagas/saga.ts'
import { containerById } from '../../../cloud/containers/find-container.ts'
import { placeOf } from '../place.ts'
import { ringKind } from '../rings/ring-kind.ts'
import { compared, type VersionSource } from '../versions/records.ts'
import { readWhole, stageVersions } from './bring-up.ts'
import { noLongerThere } from './find-key.ts'
import { newKeyRecord, tellOf, type KeyParticulars, type WholeKey } from './records.ts'

/** What every kind of work that makes a cloud key begins with. */
export interface Making {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  readonly ring_id: string
  readonly spec: CloudCKeySpec
}

export type KeySaga<Input extends object, Result> = SagaKind<Input, Result, StoredCloudCKey, CloudCKeyRow>

/** @throws Refusal NOT_FOUND when the ring is gone by now */
export const storedRing = ({ caller }: Pick<Context, 'caller'>, id: string): Promise<Stored<StoredCloudCRing>> =>
  containerById(ringKind, caller.domain.id, id)

type Reaching = Pick<Context, 'caller' | 'now' | 'once'>

/** Where keys of a ring are made or worked on. @throws Refusal NOT_FOUND when the ring is gone by now, and as `placeOf` */
export const reach = async (context: Reaching, ringId: string): Promise<CloudCPlace> =>
  placeOf(context, (await storedRing(context, ringId)).item)

/** The refs of a ring that no record stands for. */
export async function unrecordedIn(
  { caller }: Pick<Context, 'caller'>,
  { ring_id }: Pick<Making, 'ring_id'>,
  refs: readonly string[],
): Promise<readonly string[]> {
  const known = await cloudCKeys.membersBy(caller.domain.id, keysOfRing(ring_id), refs)
  return refs.filter((ref) => !known.has(ref))
}

/** The key as the cloud has it now that it was made. @throws Refusal CLOUD_NOT_FOUND */
export async function readMade(place: CloudCPlace, ref: string): Promise<WholeKey> {
  const whole = await readWhole(place, ref)
  if (whole === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'Cloud-c does not know the key it has made.')
  return whole
}

/**
 * Stages the record of a key that was made, and those of its versions, and tells the audit record of it. A record of the
 * same name that is there already (somebody found the key, and could not know whose it is) goes.
 * @throws Refusal NOT_FOUND when the ring is gone by now
 */
export async function recordMade(
  context: Context,
  { id, ring_id, spec }: Making,
  whole: WholeKey,
  particulars: KeyParticulars,
  source?: VersionSource,
): Promise<Stored<StoredCloudCKey>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const ring = await storedRing(context, ring_id)
  changes.rely(cloudCRings, domain, ring) // its keys are not being removed with it
  const sources = new Map(source === undefined ? [] : whole.versions.map(({ ref }) => [ref, source] as const))
  const versions = compared(domain, id, [], whole.versions, now, sources)
  const key = newKeyRecord(domain, ring.item, whole, versions.all, { id, now, ...particulars })
  const there = await cloudCKeys.membersBy(domain, keysOfRing(ring_id), [spec.key_name])
  for (const former of await cloudCKeys.getMany(domain, [...there.values()])) {
    changes.remove(cloudCKeys, domain, former)
    for (const version of await storedVersions(domain, former.item.id)) changes.remove(cloudCVersions, domain, version)
  }
  changes.create(cloudCKeys, domain, key)
  stageVersions(changes, domain, versions.changes)
  tellOf(context, key)
  return { item: key, rev: 1 }
}

/** Why a piece of work is being taken back. */
async function refusalOf({ caller }: Pick<Context, 'caller'>, { id }: Journal): Promise<string> {
  const saga = await sagas.get(caller.domain.id, id)
  return saga?.item.refusal?.message ?? 'It was refused.'
}

/**
 * What was made and cannot be finished is on record as `failed`: the cloud lets no key be deleted, and nothing is left
 * behind unseen.
 * @param source where the material is from, which the cloud may have by now
 */
export async function recordFailed(
  context: Context,
  input: Making,
  journal: Journal,
  source?: VersionSource,
): Promise<void> {
  if (journal.noted(MADE) === undefined) return
  const whole = await readWhole(await reach(context, input.ring_id), input.spec.key_name)
  if (whole === undefined) throw noLongerThere()
  const error = await refusalOf(context, journal)
  await recordMade(context, input, whole, { create_status: 'failed', error }, source)
}
