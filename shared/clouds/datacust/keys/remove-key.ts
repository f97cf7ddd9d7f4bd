import { Refusal } from '../../../base/errors.ts'
import { assertMay } from '../../../cloud/containers/acl.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import { storedVersions } from '../../../cloud/keys/versions/kind.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { writeTogether } from '../../../store/write-together.ts'
import { datacustVersions } from '../versions/store.ts'
import { keyKind } from './kind.ts'

/**
 * Removes the record of a key that the cloud no longer has. Its versions are removed first, because they may exceed one
 * transaction. A backup goes with the record, so it needs the permissions to delete that as well.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for a key that the cloud has
 */
export async function removeKeyRecord(context: Context, id: string): Promise<void> {
  const found = await findKeyFor(keyKind, context, id, 'keydestroy')
  const { stored } = found
  assertIfMatch(context, stored)
  if (stored.item.backup_blob !== undefined) {
    assertMay(context.caller, found.container.item, 'deletebackup')
    context.uses('DeleteDatacustKeyBackup', stored.item)
  }
  if (!stored.item.gone && !stored.item.deleted)
    throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: delete it there first.')
  const domain = context.caller.domain.id
  context.beforeEffects()
  await writeTogether(await storedVersions(keyKind, domain, id, 'salvage'), context.now, (changes, version) =>
    changes.remove(datacustVersions, domain, version),
  )
  removeKey(keyKind, context, found)
}
