import { Refusal } from '../../../base/errors.ts'
import { defined, without } from '../../../base/fields.ts'
import { actionsOn, refreshing, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import { datacust } from '../adapter.ts'
import { assertPossible } from '../adapter/specs.ts'
import { DATACUST_TYPES } from '../param.ts'
import { keyKind, type DatacustTypes } from './kind.ts'
import { noticeOtherOperations } from './notice-operations.ts'
import type { UpdateDatacustKey } from './model.ts'
import type { StoredDatacustKey } from './store.ts'

type Action<Args extends object = Readonly<Record<string, never>>> = KeyAction<DatacustTypes, Args>

const update: Action<UpdateDatacustKey> = {
  may: 'keyupdate',
  check: ({ datacust_param: { type: text, size } }, { operations }, { keystore_provider }) => {
    const type = DATACUST_TYPES.find((one) => one === text)
    if (operations !== undefined && type !== undefined)
      assertPossible(keystore_provider, { type, operations, ...defined({ size }) })
  },
  call: async (place, key, { description, ...change }) => {
    const asked = defined({ ...change, description: description === null ? '' : description })
    if (Object.keys(asked).length > 0) await datacust.update(place, keyKind.refOf(key), asked)
  },
  then: (key, { operations }, { caller, changes, now }) => {
    if (operations !== undefined) noticeOtherOperations(changes, caller.domain.id, key, operations, now)
    return key
  },
}

/** @throws Refusal STATE_CONFLICT */
function assertBackedUp({ backup_blob }: StoredDatacustKey): void {
  if (backup_blob === undefined) throw new Refusal('STATE_CONFLICT', 'The key has no backup.')
}
/** @throws Refusal STATE_CONFLICT for a key without a backup, and for one that the cloud still has */
export function assertRestorable(key: StoredDatacustKey): void {
  assertBackedUp(key)
  if (!key.gone) throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: only a deleted key is restored.')
}
const restore: Action = {
  may: 'keyimport',
  onAny: true,
  check: assertRestorable,
  call: (place, key) => datacust.restore(place, keyKind.refOf(key), key.backup_blob ?? ''),
  // the cloud has a restored key, though it may not let us read it
  then: (key) => (key.unread === undefined ? key : { ...key, gone: false, deleted: false }),
}
const deleteBackup: Action = {
  may: 'deletebackup',
  onAny: true,
  check: assertBackedUp,
  call: () => Promise.resolve(), // the backup is only here
  then: (key) => without(key, 'backup_blob', 'backup_at'), // both are optional
}

/** Actions on one key: a few calls that are safe to repeat. */
export const {
  saga: actingOnDatacustKey,
  act,
  doing,
} = actionsOn(keyKind, 'act-on-datacust-key', {
  update,
  refresh: refreshing,
  restore,
  'delete-backup': deleteBackup,
})
