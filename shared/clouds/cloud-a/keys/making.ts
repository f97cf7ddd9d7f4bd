import { Refusal } from '../../../base/errors.ts'
import type { Journal } from '../../../base/journal.ts'
import { containerById } from '../../../cloud/containers/find-container.ts'
import { MADE } from '../../../cloud/contract.ts'
import { WHOLE_KEY } from '../../../cloud/keys/model.ts'
import { tellOfKey } from '../../../cloud/keys/find-key.ts'
import { unlessRefused, unrecordedIn as unrecorded, type Makes } from '../../../cloud/keys/make-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudAKeyRead, CloudAKeySpec } from '../adapter/types.ts'
import { kmsKind } from '../kms/kind.ts'
import { cloudAKms } from '../kms/store.ts'
import { cloudA } from '../place.ts'
import { assertHas, keyKind, kmsById, reach, reachAgain, type CloudATypes, type Whereabouts } from './kind.ts'
import type { GivenLists } from './bodies.ts'
import type { CloudAKey } from './model.ts'
import { noteVerified } from './policy-inputs.ts'
import { newKeyRecord, namedKey, presentKey, type KeyParticulars } from './records.ts'
import { sourceOf } from './source-key.ts'
import { cloudAKeys, placeOfKeys, type StoredCloudAKey } from './store.ts'

/** A key that is being made. */
interface Made extends Whereabouts {
  /** of the record to be, and the mark on the cloud's key */
  readonly id: string
  readonly lists?: GivenLists | undefined
  /** kind of key, or all that the key shall be */
  readonly spec: string | Pick<CloudAKeySpec, 'spec'>
}

/** Input of work that makes a cloud key. */
export interface Making extends Made {
  readonly spec: CloudAKeySpec
}

/** Ours: what was made for nothing waits for its end as short as the cloud allows. */
export const DAYS_TO_ABANDON = 7

/** The refs of a place that no record stands for. */
export const unrecordedIn = (
  context: Pick<Context, 'caller'>,
  { kms_id, region }: Whereabouts,
  refs: readonly string[],
): Promise<readonly string[]> => unrecorded(keyKind, context, placeOfKeys(kms_id, region), refs)

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

const isImported = ({ param: { Origin } }: CloudAKeyRead): boolean => Origin === 'EXTERNAL'

/** Stages the record of what was made, and tells the audit record of it. @throws Refusal NOT_FOUND, STATE_CONFLICT */
export async function recordMade(
  context: Context,
  input: Made,
  read: CloudAKeyRead,
  particulars: KeyParticulars,
): Promise<Stored<CloudAKey>> {
  const { caller, changes, now } = context
  const stored = await containerById(kmsKind, caller.domain.id, input.kms_id)
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
  tellOfKey(keyKind, context, key)
  return presentKey({ item: key, rev: 1 }, kms)
}

/**
 * A key that was made and cannot be finished waits for its deletion, and is on record, so that nothing is left unseen.
 * @param source what is to be said of where its material is from
 */
export async function abandonMade(
  context: Context,
  input: Made,
  journal: Journal,
  source: Partial<StoredCloudAKey> = {},
): Promise<void> {
  const ref = journal.noted(MADE)
  if (typeof ref !== 'string') return
  const { place } = await reachAgain(context, input)
  await unlessRefused((await cloudA()).scheduleDeletion(place, ref, DAYS_TO_ABANDON))
  await recordLeft(context, input, ref, source)
}

/** Stages the record of a key that work left at the cloud, as it is there now. @param particulars what else is true of it */
export async function recordLeft(
  context: Context,
  input: Made,
  ref: string,
  particulars: Partial<StoredCloudAKey>,
): Promise<void> {
  const { kms, place } = await reachAgain(context, input)
  const read = await (await cloudA()).read(place, ref)
  if (read === undefined || !kms.regions.includes(input.region)) return
  const { caller, changes, now } = context
  await clearPlace(context, input, ref)
  changes.create(
    cloudAKeys,
    caller.domain.id,
    newKeyRecord(caller.domain.id, kms, input.region, read, {
      id: input.id,
      now,
      key_material_origin: isImported(read) ? 'keymgr' : 'native',
      rotation_status: '',
      ...particulars,
    }),
  )
}

/**
 * Stages the record of a key that was made and that could not be taken back: as it is there, or, where it cannot be read,
 * with no more than its names.
 */
async function recordGivenUp(
  context: Context,
  input: Made,
  ref: string,
  particulars: Partial<StoredCloudAKey>,
): Promise<void> {
  try {
    return await recordLeft(context, input, ref, particulars)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  const { caller, changes, now } = context
  const kms = await kmsById(context, input.kms_id)
  if (!kms.regions.includes(input.region)) return
  const key = { id: ref, region: input.region, spec: typeof input.spec === 'string' ? input.spec : input.spec.spec }
  await clearPlace(context, input, ref)
  changes.create(
    cloudAKeys,
    caller.domain.id,
    newKeyRecord(caller.domain.id, kms, input.region, namedKey(kms, key), {
      id: input.id,
      now,
      key_material_origin: 'unknown',
      rotation_status: '',
      unread: [WHOLE_KEY],
      ...particulars,
    }),
  )
}

/** How keys of a region are made. */
export const making: Makes<CloudATypes, Made> = {
  kind: keyKind,
  familyOf: ({ kms_id, region }) => placeOfKeys(kms_id, region),
  reach: async (context, input) => (await reach(context, input)).place,
  wholeOf: (_place, read) => read,
  record: async (context, input, read, localKeyId, then) =>
    recordMade(context, input, read, {
      key_material_origin: localKeyId !== undefined ? 'keymgr' : isImported(read) ? 'unknown' : 'native',
      rotation_status: '',
      ...(await sourceOf(context, localKeyId)),
      ...then,
    }),
  abandon: async (context, input, journal, localKeyId) =>
    abandonMade(context, input, journal, await sourceOf(context, localKeyId)),
  giveUp: async (context, input, journal, localKeyId, then) => {
    const ref = journal.noted(MADE)
    if (typeof ref === 'string')
      await recordGivenUp(context, input, ref, { ...(await sourceOf(context, localKeyId)), ...then })
  },
}
