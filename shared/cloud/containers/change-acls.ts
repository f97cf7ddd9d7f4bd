import type { Context } from '../../http/context.ts'
import { ruleBroken } from '../../base/errors.ts'
import type { Acl, UpdateAcls } from './acl-model.ts'
import { isSystemGroup } from '../../identity/groups/model.ts'
import { relyOnGroupNames } from '../../identity/groups/name-use.ts'
import { changedAcls, type ViewOf } from './acl.ts'
import { assertThere } from './known-principals.ts'

/** Ours: every request for a key reads all entries. */
const ENTRIES_MOST = 100

/** Whether a group is granted actions, so that it must not be deleted or renamed meanwhile. */
const usesGroupNames = ({ acls }: UpdateAcls): boolean =>
  acls.some(({ permit, group }) => permit && group !== undefined && !isSystemGroup(group))

/**
 * A container's permissions after a change: actions are permitted and revoked, entry by entry. Stages the condition
 * that the groups keep their names.
 * @throws Refusal NOT_FOUND for a user or group that does not exist, RULE_BROKEN for too many entries
 */
export async function permissionsAfter(
  { caller, changes }: Pick<Context, 'caller' | 'changes'>,
  before: readonly Acl[],
  body: UpdateAcls,
  viewOf: ViewOf,
): Promise<Acl[]> {
  if (usesGroupNames(body)) await relyOnGroupNames(changes, caller.domain.id)
  await assertThere(caller.domain.id, before, body)
  const acls = changedAcls(before, body, viewOf)
  if (acls.length <= ENTRIES_MOST) return acls
  throw ruleBroken('acls', `must leave at most ${ENTRIES_MOST} users and groups with permissions`)
}
