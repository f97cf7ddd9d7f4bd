import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import { actionsOn, refreshing, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import { cloudD } from '../adapter.ts'
import { KEY_TAG } from '../param.ts'
import { keyKind, type CloudDTypes } from './kind.ts'
import type { ChangeCompartment, ScheduleDeletion, UpdateCloudDKey } from './model.ts'
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

const switching = (verb: 'enable' | 'disable'): Action => ({
  may: 'keyupdate',
  call: (place, key) => cloudD[verb](place, keyKind.refOf(key)),
})

const scheduleDeletion: Action<ScheduleDeletion> = {
  may: 'keydelete',
  call: (place, key, { days }) => cloudD.scheduleDeletion(place, keyKind.refOf(key), days),
}
const cancelDeletion: Action = {
  may: 'keycanceldelete',
  call: (place, key) => cloudD.cancelDeletion(place, keyKind.refOf(key)),
}

/** Ours: the API has a separate state for a move, which the cloud reports as an update. */
const onTheWay = (key: StoredCloudDKey): StoredCloudDKey =>
  key.cloud_d_params.lifecycle_state === 'UPDATING'
    ? { ...key, cloud_d_params: { ...key.cloud_d_params, lifecycle_state: 'CHANGING_COMPARTMENT' } }
    : key
const move: Action<ChangeCompartment> = {
  may: 'keyupdate',
  call: (place, key, { compartment_id }) => cloudD.move(place, keyKind.refOf(key), compartment_id),
  then: onTheWay,
}

/** @throws Refusal STATE_CONFLICT */
function assertBackedUp({ backup_at }: StoredCloudDKey): void {
  if (backup_at === undefined) throw new Refusal('STATE_CONFLICT', 'The key has no backup in the bucket of its vault.')
}
const restore: Action = {
  may: 'keyrestore',
  onAny: true,
  check: (key) => {
    assertBackedUp(key)
    if (!key.gone && key.cloud_d_params.lifecycle_state !== 'DELETED')
      throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: only a deleted key is restored.')
  },
  call: (place, key) => cloudD.restore(place, keyKind.refOf(key)),
}
const deleteBackup: Action = {
  may: 'deletebackup',
  onAny: true,
  check: assertBackedUp,
  call: (place, key) => cloudD.deleteBackup(place, keyKind.refOf(key)),
  then: (key) => without(key, 'backup_at'), // `backup_at` is optional
}

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
  refresh: refreshing,
  restore,
  'delete-backup': deleteBackup,
})
