import { Refusal } from '../../../base/errors.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import { storedVersions } from '../../../cloud/keys/versions/kind.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { writeTogether } from '../../../store/write-together.ts'
import { cloudDVersions } from '../versions/store.ts'
import { assertUnlinked } from '../external/change-key.ts'
import { isExternalKey } from '../external/external.ts'
import { keyKind } from './kind.ts'
import type { StoredCloudDKey } from './store.ts'

/** @throws Refusal STATE_CONFLICT */
function assertRemovable(key: StoredCloudDKey): void {
  if (isExternalKey(key)) {
    assertUnlinked(key)
    return
  }
  if (!key.gone && key.cloud_d_params.lifecycle_state !== 'DELETED')
    throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: schedule its deletion instead.')
}

/**
 * Removes the record of a key that the cloud has deleted, or no longer has, or an unlinked external key. Its versions are removed first, because
 * they may exceed one transaction.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for a key that the cloud has or
 *   refers to
 */
export async function removeKeyRecord(context: Context, id: string): Promise<void> {
  const may = (key: StoredCloudDKey): string => (isExternalKey(key) ? 'hyokkeydelete' : 'keyremove')
  const found = await findKeyFor(keyKind, context, id, may)
  const { stored } = found
  assertIfMatch(context, stored)
  assertRemovable(stored.item)
  const domain = context.caller.domain.id
  context.beforeEffects()
  await writeTogether(await storedVersions(keyKind, domain, id, 'salvage'), context.now, (changes, version) =>
    changes.remove(cloudDVersions, domain, version),
  )
  removeKey(keyKind, context, found)
}
