import { Refusal } from '../../../base/errors.ts'
import { containerById } from '../../../cloud/containers/find-container.ts'
import * as cloud from '../../../cloud/keys/kind.ts'
import * as recording from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudA, CloudAKeyRead, CloudAKeySpec, CloudAPlace } from '../adapter/types.ts'
import { assertActive, kmsKind } from '../kms/kind.ts'
import type { CloudAKmsRow, StoredCloudAKms } from '../kms/store.ts'
import { cloudA, placeOf } from '../place.ts'
import { assertManaged, viewOfKey } from './key-rules.ts'
import type { CloudAKey } from './model.ts'
import { auditView, keyName, presentKey, refreshed } from './records.ts'
import { withHistory } from './same-key.ts'
import { cloudAKeys, type CloudAKeyRow, type StoredCloudAKey } from './store.ts'
import { NAME } from '../name.ts'

/** The types of cloud-a's keys. */
export interface CloudATypes extends cloud.KeyTypes {
  readonly key: StoredCloudAKey
  readonly row: CloudAKeyRow
  readonly shown: CloudAKey
  readonly container: StoredCloudAKms
  readonly containerRow: CloudAKmsRow
  readonly place: CloudAPlace
  readonly spec: CloudAKeySpec
  readonly read: CloudAKeyRead
  readonly whole: CloudAKeyRead
  readonly own: Omit<CloudA, 'test' | 'create' | 'upload' | 'read' | 'refs' | 'survey'>
}
export type KeySaga<Input extends object, Result> = cloud.KeySaga<CloudATypes, Input, Result>

/** @throws Refusal NOT_FOUND when the entry is gone by now */
export const kmsById = async ({ caller }: Pick<Context, 'caller'>, id: string): Promise<StoredCloudAKms> =>
  (await containerById(kmsKind, caller.domain.id, id)).item

/** A region of an entry. */
export type Whereabouts = Pick<StoredCloudAKey, 'kms_id' | 'region'>
type Reaching = Pick<Context, 'caller' | 'now' | 'once'>

/** Where a key is, and the container around it. */
export interface Reached {
  readonly kms: StoredCloudAKms
  readonly place: CloudAPlace
}

/** @throws Refusal STATE_CONFLICT when the entry has lost the region */
export function assertHas({ name, regions }: StoredCloudAKms, { region }: Whereabouts): void {
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

export const keyKind: cloud.KeyKind<CloudATypes> = {
  service: NAME,
  entity: cloudAKeys,
  containers: kmsKind,
  containerIdOf: ({ kms_id }) => kms_id,
  setOf: (kmsId) => `kms:${kmsId}`,
  viewOf: viewOfKey,
  nameOf: keyName,
  auditView,
  present: presentKey,
  assertManaged,
  cloud: cloudA,
  refOf: ({ cloud_a_param: { KeyID } }) => KeyID,
  reach: async (context, key) => (await reach(context, key)).place,
  readAfter: async (_context, place, { cloud_a_param: { KeyID } }) =>
    (await (await cloudA()).read(place, KeyID)) ?? null,
  readRefused: async (context, key) => {
    const { place } = await reachAgain(context, key)
    return (await cloudA()).read(place, key.cloud_a_param.KeyID)
  },
  refreshed: ({ caller, now }, key, read) => withHistory(caller.domain.id, refreshed(key, read ?? undefined, now)),
}

/** Keys as work that was finished without its caller answers them. */
export const answeredKeys = cloud.answeredKeys(keyKind)

/** Stages the record as the cloud describes the key now, `null` when it has none. @param then what else is true of it */
export const recordRead = async (
  context: Context,
  before: Stored<StoredCloudAKey>,
  read: CloudAKeyRead | null,
  then?: (key: StoredCloudAKey) => StoredCloudAKey,
): Promise<Stored<CloudAKey>> =>
  recording.shownKey(keyKind, context, await recording.recordRead(keyKind, context, before, read, then))
