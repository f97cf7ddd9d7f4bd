import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import { honourIfMatch } from '../../../http/if-match.ts'
import type { CloudAKms, KmsStatus } from './model.ts'
import { cloudAKms, type StoredCloudAKms } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertNothingServed } from '../key-stores/of-container.ts'
import { findKms } from '../find-kms.ts'
import { assertIdle, assertNoWork } from './assert-idle.ts'
import { presentStored, told } from './present-kms.ts'

/**
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when it is so already, IN_USE while it is synchronized, or is to
 * be archived while it is worked in or has key stores that are not blocked
 */
async function move(context: Context, id: string, status: KmsStatus): Promise<Stored<CloudAKms>> {
  const stored = await findKms(context, id)
  const { item: before, rev } = stored
  honourIfMatch(context, stored)
  if (before.status === status)
    throw new Refusal('STATE_CONFLICT', `The KMS entry ${before.name} is ${status} already.`)
  await assertIdle(context, before)
  if (status === 'archived') {
    await assertNoWork(context, before)
    await assertNothingServed(context, before)
  }
  const after: StoredCloudAKms = { ...before, status, updatedAt: context.now.toISOString() }
  context.changes.update(cloudAKms, context.caller.domain.id, stored, after)
  context.about({ uri: after.uri, name: after.name, ...told(before, after) })
  return presentStored({ item: after, rev: rev + 1 })
}

/** An archived entry is readable and does nothing; its key stores and hosted keys can still be blocked. */
export const archiveKms = (context: Context, id: string): Promise<Stored<CloudAKms>> => move(context, id, 'archived')

export const recoverKms = (context: Context, id: string): Promise<Stored<CloudAKms>> => move(context, id, 'active')
