import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { removeKey } from '../../../cloud/keys/record-key.ts'
import { keyKind } from './kind.ts'
import { deletionOf, isUnlinked } from './key-rules.ts'

/**
 * Deletes the record of a key without calling the cloud, which no longer has such a key or never had it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for a key that the cloud still has or is
 * about to have
 */
export async function deleteKey(context: Context, id: string): Promise<void> {
  const found = await findKeyFor(keyKind, context, id, deletionOf)
  const { stored } = found
  assertIfMatch(context, stored)
  if (stored.item.linking !== undefined)
    throw new Refusal('STATE_CONFLICT', 'The key is being linked: try again later.')
  if (!stored.item.gone && !isUnlinked(stored.item))
    throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: schedule its deletion instead.')
  removeKey(keyKind, context, found)
}
