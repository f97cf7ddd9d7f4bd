import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudCKey, EnableCloudCAutoRotation } from './model.ts'
import { cloudCKeys, type StoredCloudCKey } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { without } from '../../../base/fields.ts'
import { joinConfig } from '../../../work/schedule/attachments.ts'
import { assertVersionable } from '../versions/new-version.ts'
import { findKeyFor, type Found } from './find-key.ts'
import { presentKey, tellOf } from './records.ts'

function record(context: Context, { stored, ring }: Found, change: Partial<StoredCloudCKey> | 'no labels') {
  const { item } = stored
  const kept = change === 'no labels' ? without(item, 'labels') : { ...item, ...change }
  const after: StoredCloudCKey = { ...kept, updatedAt: context.now.toISOString() }
  context.changes.update(cloudCKeys, context.caller.domain.id, stored, after)
  tellOf(context, after, item)
  return presentKey({ item: after, rev: stored.rev + 1 }, ring.item)
}

/**
 * Lets a job configuration rotate a key, in place of the one that did so far: each time by a version of the cloud's own,
 * or by one from a new local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN for a configuration of another kind or an algorithm that is not of
 *   the purpose, STATE_CONFLICT for a key that cannot be rotated so
 */
export async function enableAutoRotation(
  context: Context,
  id: string,
  { job_config_id, auto_rotate_key_source: source, auto_rotate_algorithm: algorithm }: EnableCloudCAutoRotation,
): Promise<Stored<CloudCKey>> {
  const found = await findKeyFor(context, id, 'keyupdate')
  const wanted = { isNative: source === 'native', algorithm, pointer: '#/auto_rotate_algorithm' }
  assertVersionable(found.stored.item, wanted)
  await joinConfig(context, job_config_id, { operation: 'keymgr_key_rotation', cloud: 'cloud-c' })
  const labels = {
    job_config_id,
    auto_rotate_key_source: source,
    ...(algorithm !== undefined && { auto_rotate_algorithm: algorithm }),
  }
  return record(context, found, { labels })
}

/** Nobody rotates the key by schedule any more. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when none did */
export async function disableAutoRotation(context: Context, id: string): Promise<Stored<CloudCKey>> {
  const found = await findKeyFor(context, id, 'keyupdate')
  if (found.stored.item.labels === undefined) throw new Refusal('STATE_CONFLICT', 'No job rotates this key.')
  return record(context, found, 'no labels')
}
