import type { Context } from '../../../http/context.ts'
import { honourIfMatch } from '../../../http/if-match.ts'
import type { UpdateAcls } from '../../../cloud/containers/acl-model.ts'
import type { CloudAKms } from './model.ts'
import { cloudAKms, type StoredCloudAKms } from './store.ts'
import type { Stored } from '../../../store/entity.ts'
import { permissionsAfter } from '../../../cloud/containers/change-acls.ts'
import { assertActive, findKms } from '../find-kms.ts'
import { presentStored, told } from './present-kms.ts'
import { inTodaysWords, viewOf } from './views.ts'

/**
 * Gives and takes actions, one entry after the other.
 * @throws Refusal NOT_FOUND, also for a user or group that is not there, VERSION_STALE, STATE_CONFLICT when archived,
 * RULE_BROKEN
 */
export async function updateAcls(context: Context, id: string, body: UpdateAcls): Promise<Stored<CloudAKms>> {
  const { caller, changes, now } = context
  const stored = await findKms(context, id)
  const { item: before, rev } = stored
  honourIfMatch(context, stored)
  assertActive(before)
  const acls = await permissionsAfter(context, before.acls, { acls: body.acls.map(inTodaysWords) }, viewOf)
  const after: StoredCloudAKms = { ...before, acls, updatedAt: now.toISOString() }
  changes.update(cloudAKms, caller.domain.id, stored, after)
  context.about({ uri: after.uri, name: after.name, ...told(before, after) })
  return presentStored({ item: after, rev: rev + 1 })
}
