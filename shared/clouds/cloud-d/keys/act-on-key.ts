import { assertNotGiven, Refusal, ruleBroken } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import { actionsOn, refreshing, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import { findKey } from '../../../cloud/keys/find-key.ts'
import { reachKey } from '../../../cloud/keys/place.ts'
import { isUnread } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { cloudD } from '../adapter.ts'
import { updateExternalKey } from '../external/change-key.ts'
import { assertAtCloud, isExternalKey } from '../external/external.ts'
import { ACTS_FROM, KEY_TAG } from '../param.ts'
import { keyKind, type CloudDTypes } from './kind.ts'
import type { ChangeCompartment, CloudDKey, ScheduleDeletion, UpdateCloudDKey } from './model.ts'
import type { StoredCloudDKey } from './store.ts'

type Action<Args extends object = Readonly<Record<string, never>>> = KeyAction<CloudDTypes, Args>

const update: Action<UpdateCloudDKey> = {
  may: 'keyupdate',
  check: ({ cloud_d_params: { freeform_tags } }, { freeform_tags: wanted }) => {
    const mark = wanted?.[KEY_TAG]
    if (mark !== undefined && mark !== freeform_tags[KEY_TAG])
      throw ruleBroken('freeform_tags', `must leave ${KEY_TAG} as it is, which is the service's`)
  },
  call: async (place, key, { defined_tags, freeform_tags, ...change }) => {
    const wanted = {
      ...change,
      ...(defined_tags !== undefined && { defined_tags: defined_tags ?? {} }),
      ...(freeform_tags !== undefined && { freeform_tags: freeform_tags ?? {} }),
    }
    if (Object.values(wanted).some((value) => value !== undefined))
      await cloudD.update(place, keyKind.refOf(key), wanted)
  },
}

/**
 * Refuses an action that the key's state forbids. Ours: if the recorded state forbids it, the cloud is asked, because
 * time, or another user, may have changed the state. A key that the cloud does not show is left to the action.
 * @throws Refusal STATE_CONFLICT, CLOUD_…
 */
const assertFrom =
  (action: keyof typeof ACTS_FROM) =>
  async (key: StoredCloudDKey, _args: object, _vault: object, context: Context): Promise<void> => {
    const from: readonly string[] = ACTS_FROM[action]
    if (from.includes(key.cloud_d_params.lifecycle_state)) return
    const read = await cloudD.read(await reachKey(keyKind, context, key), keyKind.refOf(key), key)
    const state = read?.param.lifecycle_state
    if (state !== undefined && !from.includes(state))
      throw new Refusal('STATE_CONFLICT', `The key is ${state}: ${action} does not apply.`)
  }

const switching = (verb: 'enable' | 'disable'): Action => ({
  may: 'keyupdate',
  check: assertFrom(verb),
  call: (place, key) => cloudD[verb](place, keyKind.refOf(key)),
})

const scheduleDeletion: Action<ScheduleDeletion> = {
  may: 'keydelete',
  check: assertFrom('schedule-deletion'),
  call: (place, key, { days }) => cloudD.scheduleDeletion(place, keyKind.refOf(key), days),
}
const cancelDeletion: Action = {
  may: 'keycanceldelete',
  check: assertFrom('cancel-deletion'),
  call: (place, key) => cloudD.cancelDeletion(place, keyKind.refOf(key)),
}

/** Ours: the API has a separate state for a move, which the cloud reports as an update. */
const onTheWay = (key: StoredCloudDKey): StoredCloudDKey =>
  key.cloud_d_params.lifecycle_state === 'UPDATING'
    ? { ...key, cloud_d_params: { ...key.cloud_d_params, lifecycle_state: 'CHANGING_COMPARTMENT' } }
    : key
const movedTo = (key: StoredCloudDKey, { compartment_id }: ChangeCompartment): StoredCloudDKey => ({
  ...key,
  cloud_d_params: { ...key.cloud_d_params, compartment_id },
})
const move: Action<ChangeCompartment> = {
  may: 'keyupdate',
  call: (place, key, { compartment_id }) => cloudD.move(place, keyKind.refOf(key), compartment_id),
  left: movedTo,
  then: (key, args) => (isUnread(key) ? movedTo(key, args) : onTheWay(key)),
}

/** @throws Refusal STATE_CONFLICT */
function assertBackedUp(key: StoredCloudDKey): void {
  assertAtCloud(key)
  const { backup_at } = key
  if (backup_at === undefined) throw new Refusal('STATE_CONFLICT', 'The key has no backup in the bucket of its vault.')
}
const restoring = (key: StoredCloudDKey): StoredCloudDKey => ({
  ...key,
  gone: false,
  cloud_d_params: { ...key.cloud_d_params, lifecycle_state: 'RESTORING' },
})
const restore: Action = {
  may: 'keyrestore',
  onAny: true,
  check: (key) => {
    assertBackedUp(key)
    if (!key.gone && key.cloud_d_params.lifecycle_state !== 'DELETED')
      throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: only a deleted key is restored.')
  },
  call: (place, key) => cloudD.restore(place, keyKind.refOf(key)),
  left: restoring,
  then: (key) => (isUnread(key) ? restoring(key) : key), // it exists, so that its record must stay
}
const deleteBackup: Action = {
  may: 'deletebackup',
  onAny: true,
  check: assertBackedUp,
  call: (place, key) => cloudD.deleteBackup(place, keyKind.refOf(key)),
  then: (key) => without(key, 'backup_at'), // `backup_at` is optional
}

const refresh: Action = { ...refreshing, check: assertAtCloud }

/** Actions on one key: a few calls that are safe to repeat. */
export const {
  saga: actingOnCloudDKey,
  act,
  doing,
} = actionsOn(keyKind, 'act-on-cloud-d-key', {
  update,
  enable: switching('enable'),
  disable: switching('disable'),
  'schedule-deletion': scheduleDeletion,
  'cancel-deletion': cancelDeletion,
  'change-compartment': move,
  refresh,
  restore,
  'delete-backup': deleteBackup,
})

/** Changes name and tags of a key at the cloud, or name and policy of an external key. @throws Refusal as `act` */
export async function updateKey(context: Context, id: string, body: UpdateCloudDKey): Promise<Stored<CloudDKey>> {
  const { item: key } = (await findKey(keyKind, context, id)).stored
  if (isExternalKey(key)) return updateExternalKey(context, id, body)
  assertNotGiven(body, ['name', 'policy'], {
    message: 'The key is at the cloud, which has no policies of keys and calls the name display_name.',
    detail: 'applies to external keys only',
  })
  return act(context, 'update', id, body)
}
