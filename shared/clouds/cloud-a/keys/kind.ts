import { containerById } from '../../../cloud/containers/find-container.ts'
import * as cloud from '../../../cloud/keys/kind.ts'
import * as recording from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudAKeyRead, CloudAKeySpec, CloudAPlace } from '../adapter/types.ts'
import { kmsKind } from '../kms/kind.ts'
import type { CloudAKmsRow, StoredCloudAKms } from '../kms/store.ts'
import { cloudA } from '../adapter.ts'
import { openPlace } from '../place.ts'
import { NAME } from '../name.ts'
import { assertManaged, viewOfKey } from './key-rules.ts'
import type { CloudAKey } from './model.ts'
import { noteVerified } from './policy-inputs.ts'
import { auditView, keyName, madeKey, namedKey, presentKey, refreshed } from './records.ts'
import { withHistory } from './same-key.ts'
import { cloudAKeys, placeOfKeys, type CloudAKeyRow, type StoredCloudAKey } from './store.ts'

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
}
export type KeySaga<Input extends object, Result> = cloud.KeySaga<CloudATypes, Input, Result>

/** Ours: days until an abandoned key is deleted, the fewest that the cloud allows. */
export const DAYS_TO_ABANDON = 7

/** @throws Refusal NOT_FOUND when the entry was deleted meanwhile */
export const kmsById = async ({ caller }: Pick<Context, 'caller'>, id: string): Promise<StoredCloudAKms> =>
  (await containerById(kmsKind, caller.domain.id, id)).item

export const keyKind: cloud.KeyKind<CloudATypes> = {
  service: NAME,
  entity: cloudAKeys,
  containers: kmsKind,
  containerIdOf: ({ kms_id }) => kms_id,
  regionOf: ({ region }) => region,
  setOf: (kmsId) => `kms:${kmsId}`,
  familyOf: placeOfKeys,
  viewOf: viewOfKey,
  nameOf: keyName,
  auditView,
  present: presentKey,
  assertManaged,
  cloud: cloudA,
  refOf: ({ cloud_a_param: { KeyID } }) => KeyID,
  open: openPlace,
  read: async (place, ref) => cloudA.read(place, ref),
  wholeOf: (_place, read) => read,
  made: async (context, kms, read, facts) => {
    const key = madeKey(context, kms, read, facts)
    if (key.policy_template_id !== undefined && facts.outcome === 'made')
      await noteVerified(context, key.policy_template_id)
    return key
  },
  refreshed: ({ caller, now }, key, read) => withHistory(caller.domain.id, refreshed(key, read ?? undefined, now)),
  withdraw: async (place, ref) => cloudA.scheduleDeletion(place, ref, DAYS_TO_ABANDON),
  unreadable: (kms, { region }, ref, { spec }) => ({ ref, ...namedKey(kms, { id: ref, region, spec }) }),
}

/** Reads the keys that are the results of sagas finished without their caller. */
export const answeredKeys = cloud.answeredKeys(keyKind)

/**
 * Stages the record updated with the cloud's present description of the key; `null` when the cloud does not have it.
 * @param then applies further facts
 */
export const recordRead = async (
  context: Context,
  before: Stored<StoredCloudAKey>,
  read: CloudAKeyRead | null,
  then?: (key: StoredCloudAKey) => StoredCloudAKey,
): Promise<Stored<CloudAKey>> =>
  recording.shownKey(keyKind, context, await recording.recordRead(keyKind, context, before, read, then))
