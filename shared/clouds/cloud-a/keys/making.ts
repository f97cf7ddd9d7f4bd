import type { CloudAKeyRead, CloudAKeySpec, CloudAPlace } from '../adapter/types.ts'
import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { errorFields, log } from '../../../base/log.ts'
import type { GivenLists } from './model.ts'
import { cloudAKeys, placeOfKeys, type CloudAKeyRow, type StoredCloudAKey } from './store.ts'
import { cloudAKms, type StoredCloudAKms } from '../kms/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { isFinal } from '../../../work/engine/passing.ts'
import type { SagaKind } from '../../../work/sagas/saga.ts'
import { containerById } from '../../../cloud/containers/find-container.ts'
import { assertActive, kmsKind } from '../kms/kms-kind.ts'
import { cloudA, placeOf } from '../place.ts'
import { noteVerified } from './policy-inputs.ts'
import { newKeyRecord, presentKey, tellOf, type KeyParticulars } from './records.ts'

/** What every kind of work that makes a cloud key begins with. */
export interface Making {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  readonly kms_id: string
  readonly region: string
  readonly spec: CloudAKeySpec
  readonly lists?: GivenLists | undefined
}

/** Keys as a piece of work that was finished without its caller answers them. */
export const answeredKeys: Pick<typeof cloudAKeys, 'id' | 'get'> = {
  id: cloudAKeys.id,
  get: async (domain, id) => {
    const stored = await cloudAKeys.get(domain, id)
    const kms = stored && (await cloudAKms.get(domain, stored.item.kms_id))
    return stored && presentKey(stored, kms?.item)
  },
}

export type KeySaga<Input extends object, Result> = SagaKind<Input, Result, StoredCloudAKey, CloudAKeyRow>

/** Ours: what was made for nothing waits for its end as short as the cloud allows. */
export const DAYS_TO_ABANDON = 7

const storedKms = ({ caller }: Pick<Context, 'caller'>, id: string): Promise<Stored<StoredCloudAKms>> =>
  containerById(kmsKind, caller.domain.id, id)

/** @throws Refusal NOT_FOUND when the entry is gone by now */
export const kmsById = async (context: Pick<Context, 'caller'>, id: string): Promise<StoredCloudAKms> =>
  (await storedKms(context, id)).item

type Whereabouts = Pick<Making, 'kms_id' | 'region'>
type Reaching = Pick<Context, 'caller' | 'now' | 'once'>

/** Where a key is, and the container around it. */
export interface Reached {
  readonly kms: StoredCloudAKms
  readonly place: CloudAPlace
}

/** @throws Refusal STATE_CONFLICT when the entry has lost the region */
function assertHas({ name, regions }: StoredCloudAKms, { region }: Whereabouts): void {
  if (!regions.includes(region))
    throw new Refusal('STATE_CONFLICT', `${region} is no region of the KMS entry ${name} any more.`)
}

/**
 * Where a key is made or worked on.
 * @throws Refusal NOT_FOUND when the entry is gone by now, STATE_CONFLICT when it is archived or has lost the region, and
 *   as `placeOf`
 */
export async function reach(context: Reaching, where: Whereabouts): Promise<Reached> {
  const kms = await kmsById(context, where.kms_id)
  assertActive(kms)
  assertHas(kms, where)
  return { kms, place: await placeOf(context, kms, where.region) }
}

/** As `reach`, to take back what was done: also in an entry that was archived meanwhile, or lost the region. */
export async function reachAgain(context: Reaching, { kms_id, region }: Whereabouts): Promise<Reached> {
  const kms = await kmsById(context, kms_id)
  return { kms, place: await placeOf(context, kms, region) }
}

/** The refs of a place that no record stands for. */
export async function unrecordedIn(
  { caller }: Pick<Context, 'caller'>,
  { kms_id, region }: Whereabouts,
  refs: readonly string[],
): Promise<readonly string[]> {
  const known = await cloudAKeys.membersBy(caller.domain.id, placeOfKeys(kms_id, region), refs)
  return refs.filter((ref) => !known.has(ref))
}

/**
 * Stages that whatever is on record at the place of a key we have made goes: a copy that was there before and is gone,
 * which has the same id at the cloud, or ours as somebody found it who could not read its mark.
 */
async function clearPlace(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  { kms_id, region }: Whereabouts,
  ref: string,
): Promise<void> {
  const domain = caller.domain.id
  const there = await cloudAKeys.membersBy(domain, placeOfKeys(kms_id, region), [ref])
  for (const former of await cloudAKeys.getMany(domain, [...there.values()])) changes.remove(cloudAKeys, domain, former)
}

/** Stages the record of what was made, and tells the audit record of it. @throws Refusal NOT_FOUND, STATE_CONFLICT */
export async function recordMade(
  context: Context,
  input: Making,
  read: CloudAKeyRead,
  particulars: KeyParticulars,
): Promise<Stored<StoredCloudAKey>> {
  const { caller, changes, now } = context
  const stored = await storedKms(context, input.kms_id)
  const { item: kms } = stored
  assertHas(kms, input)
  changes.rely(cloudAKms, caller.domain.id, stored) // its keys are not being removed with it, or with the region
  const key = newKeyRecord(caller.domain.id, kms, input.region, read, {
    id: input.id,
    now,
    ...input.lists,
    ...particulars,
  })
  await clearPlace(context, input, read.ref)
  changes.create(cloudAKeys, caller.domain.id, key)
  if (key.policy_template_id !== undefined) await noteVerified(context, key.policy_template_id)
  tellOf(context, key)
  return presentKey({ item: key, rev: 1 }, kms)
}

/** What the cloud will not let be taken back stays as it is; nobody may be kept waiting for it. */
export async function unlessRefused(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isFinal(error)) throw error
    log('error', 'what was done cannot be taken back', errorFields(error))
  }
}

/**
 * What was made and cannot be finished waits for its deletion, and is on record, so that nothing is left behind unseen.
 * @param source what is to be said of where its material is from
 */
export async function abandonMade(
  context: Context,
  input: Making,
  journal: Journal,
  source: Partial<StoredCloudAKey> = {},
): Promise<void> {
  const ref = journal.noted(MADE)
  if (typeof ref !== 'string') return
  const { kms, place } = await reachAgain(context, input)
  const cloud = await cloudA()
  await unlessRefused(cloud.scheduleDeletion(place, ref, DAYS_TO_ABANDON))
  const read = await cloud.read(place, ref)
  if (read === undefined || !kms.regions.includes(input.region)) return
  const { caller, changes, now } = context
  await clearPlace(context, input, ref)
  changes.create(
    cloudAKeys,
    caller.domain.id,
    newKeyRecord(caller.domain.id, kms, input.region, read, {
      id: input.id,
      now,
      key_material_origin: read.param.Origin === 'EXTERNAL' ? 'keymgr' : 'native',
      rotation_status: '',
      ...source,
    }),
  )
}
