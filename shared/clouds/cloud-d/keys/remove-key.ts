import { Refusal } from '../../../base/errors.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import { storedVersions } from '../../../cloud/keys/versions/kind.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { writeTogether } from '../../../store/write-together.ts'
import { cloudDVersions } from '../versions/store.ts'
import { keyKind } from './kind.ts'

/**
 * Removes the record of a key that the cloud has deleted, or no longer has. Its versions are removed first, because
 * they may exceed one transaction.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for a key that the cloud has
 */
export async function removeKeyRecord(context: Context, id: string): Promise<void> {
  const found = await findKeyFor(keyKind, context, id, 'keyremove')
  const { stored } = found
  assertIfMatch(context, stored)
  const { gone, cloud_d_params } = stored.item
  if (!gone && cloud_d_params.lifecycle_state !== 'DELETED')
    throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: schedule its deletion instead.')
  const domain = context.caller.domain.id
  context.beforeEffects()
  await writeTogether(await storedVersions(keyKind, domain, id), context.now, (changes, version) =>
    changes.remove(cloudDVersions, domain, version),
  )
  removeKey(keyKind, context, found)
}
