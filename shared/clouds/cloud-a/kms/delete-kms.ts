import type { Context } from '../../../http/context.ts'
import { honourIfMatch } from '../../../http/if-match.ts'
import { cloudAKms } from './store.ts'
import { assertNoStoresOfOurs } from '../key-stores/of-container.ts'
import { findKms } from '../find-kms.ts'
import { assertIdle, assertNoWork } from './assert-idle.ts'
import { told } from './present-kms.ts'
import { planKeyPurge } from './purge-keys.ts'

/**
 * An entry goes, and with it what is known of its keys, its templates and the key stores that others made; the cloud is
 * left alone. Ours: also when it is archived, since nothing is done with it.
 * @throws Refusal NOT_FOUND, VERSION_STALE, IN_USE while it is synchronized or worked in, or has key stores that are served
 *   from here
 */
export async function deleteKms(context: Context, id: string): Promise<void> {
  const stored = await findKms(context, id)
  const { item } = stored
  honourIfMatch(context, stored)
  await assertIdle(context, item)
  await assertNoWork(context, item)
  await assertNoStoresOfOurs(context, item, item.regions)
  context.changes.remove(cloudAKms, context.caller.domain.id, stored)
  planKeyPurge(context, item.id, item.regions)
  context.about({ uri: item.uri, name: item.name, before: told(item, {}).before })
}
