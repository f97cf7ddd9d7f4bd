import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { assertIfMatch } from '../../../http/if-match.ts'
import { cloudAKeys } from './store.ts'
import { deletionOf, findKeyFor, isUnlinked } from './find-key.ts'
import { auditView, keyName, keyUri } from './records.ts'

/**
 * The record of a key goes; the cloud is not asked, because it has no such key any more, or was never told of it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for a key the cloud still has or is about to have
 */
export async function deleteKey(context: Context, id: string): Promise<void> {
  const { caller, changes, about } = context
  const { stored } = await findKeyFor(context, id, deletionOf)
  assertIfMatch(context, stored)
  if (stored.item.linking !== undefined)
    throw new Refusal('STATE_CONFLICT', 'The key is being linked: try again later.')
  if (!stored.item.gone && !isUnlinked(stored.item))
    throw new Refusal('STATE_CONFLICT', 'The cloud still has this key: schedule its deletion instead.')
  changes.remove(cloudAKeys, caller.domain.id, stored)
  about({ uri: keyUri(caller.domain.id, id), name: keyName(stored.item), before: auditView(stored.item) })
}
