import type { Context } from '../../../context.ts'
import { Refusal } from '../../../errors.ts'
import { honourIfMatch } from '../../../if-match.ts'
import type { UpdateAcls } from '../../../model/acl.ts'
import { isSystemGroup } from '../../../model/group.ts'
import type { CloudAKms } from '../../../model/cloud-a-kms.ts'
import { cloudAKms, type StoredCloudAKms } from '../../../store/cloud-a-kms.ts'
import type { Stored } from '../../../store/entity.ts'
import { useGroupNames } from '../../../store/group-name-use.ts'
import { changedAcls } from '../../containers/acl.ts'
import { assertThere } from '../../containers/known-principals.ts'
import { assertActive, findKms } from '../find-kms.ts'
import { presentStored, told } from './present-kms.ts'
import { inTodaysWords, viewOf } from './views.ts'

/** Ours: entries are looked through for every key that somebody asks for. */
const ENTRIES_MOST = 100

/** Whether a group is given something that could go or be renamed meanwhile. */
const usesGroupNames = ({ acls }: UpdateAcls): boolean =>
  acls.some(({ permit, group }) => permit && group !== undefined && !isSystemGroup(group))

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
  if (usesGroupNames(body)) await useGroupNames(changes, caller.domain.id)
  await assertThere(caller.domain.id, before.acls, body)
  const acls = changedAcls(before.acls, { acls: body.acls.map(inTodaysWords) }, viewOf)
  if (acls.length > ENTRIES_MOST) {
    const detail = `must leave at most ${ENTRIES_MOST} users and groups with permissions`
    throw new Refusal('RULE_BROKEN', `acls ${detail}.`, { errors: [{ pointer: '#/acls', detail }] })
  }
  const after: StoredCloudAKms = { ...before, acls, updatedAt: now.toISOString() }
  changes.update(cloudAKms, caller.domain.id, stored, after)
  context.about({ uri: after.uri, name: after.name, ...told(before, after) })
  return presentStored({ item: after, rev: rev + 1 })
}
