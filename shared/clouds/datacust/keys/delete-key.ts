import { isFinal } from '../../../base/attempts.ts'
import { Refusal } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import type { Journal } from '../../../base/journal.ts'
import { recordRefused } from '../../../cloud/keys/act-on-key.ts'
import { findKeyFor, keyById } from '../../../cloud/keys/find-key.ts'
import { answeredKeys, type KeySaga } from '../../../cloud/keys/kind.ts'
import { reachKey } from '../../../cloud/keys/place.ts'
import { recordRead, shownKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import type { DatacustPlace } from '../adapter/types.ts'
import { datacust } from '../adapter.ts'
import { keyKind, type DatacustTypes } from './kind.ts'
import type { DatacustKey, DeleteAtCloud } from './model.ts'
import type { StoredDatacustKey } from './store.ts'

interface Deletion {
  readonly key_id: string
  readonly delete_if_backup_fails: boolean
}

/** The backup before a deletion, recorded before the key is deleted; empty if it failed and is not required. */
async function backupOf(place: DatacustPlace, ref: string, isRequired: boolean): Promise<string> {
  try {
    return await datacust.backup(place, ref)
  } catch (error) {
    if (!isFinal(error)) throw error
    if (!isRequired) return ''
    const reason = error instanceof Error ? error.message : ''
    throw new Refusal('STATE_CONFLICT', `The key was not deleted, because its backup failed: ${reason}`, {
      cause: error,
    })
  }
}

const BACKUP = 'backup'

const withBackup = (key: StoredDatacustKey, backup: unknown, at: string): StoredDatacustKey => ({
  ...key,
  ...(typeof backup === 'string' && backup !== '' && { backup_blob: backup, backup_at: at }),
})

/** Deletes a key at the cloud, after a backup. */
export const deletingDatacustKey: KeySaga<DatacustTypes, Deletion, { readonly backup: string }> = {
  name: 'delete-datacust-key',
  entity: answeredKeys(keyKind),
  run: async (context, { key_id, delete_if_backup_fails: isRisked }, journal: Journal) => {
    const { item: key } = await keyById(keyKind, context, key_id)
    const place = await reachKey(keyKind, context, key)
    const ref = keyKind.refOf(key)
    const backup = await journal.step(BACKUP, () => backupOf(place, ref, !isRisked))
    await datacust.remove(place, ref)
    await keyKind.beforehand?.(context, key, null)
    return { backup }
  },
  settle: async (context, { key_id }, { backup }) => {
    const before = await keyById(keyKind, context, key_id)
    const after = await recordRead(keyKind, context, before, null, (key) => ({
      ...withBackup(key, backup, context.now.toISOString()),
      deleted: true,
    }))
    return shownKey(keyKind, context, after)
  },
  // A backup that was made is kept.
  undo: (context, { key_id }, journal) =>
    recordRefused(keyKind, context, key_id, (before, whole) =>
      recordRead(keyKind, context, before, whole, (key) =>
        withBackup(key, journal.noted(BACKUP), context.now.toISOString()),
      ),
    ),
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT when the backup fails, and the cloud's own */
export const deleteKey = (
  context: Context,
  key_id: string,
  { delete_if_backup_fails = false }: Partial<DeleteAtCloud>,
): Promise<Stored<DatacustKey>> =>
  carryOut(context, deletingDatacustKey, async () => {
    const { stored } = await findKeyFor(keyKind, context, key_id, 'keydelete')
    assertIfMatch(context, stored)
    keyKind.assertManaged(stored.item)
    const input = defined({ key_id, delete_if_backup_fails })
    return { subject: key_id, container: keyKind.containerIdOf(stored.item), input }
  })
