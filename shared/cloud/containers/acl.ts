import type { Caller } from '../../http/context.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { Refusal } from '../../base/errors.ts'
import type { Acl, UpdateAcls } from './acl-model.ts'

interface Guarded {
  readonly acls: readonly Acl[]
}

const isAbout = (caller: Caller, { user_id, group }: Acl): boolean =>
  user_id === caller.sub || (group !== undefined && caller.groups.includes(group))

/** Whether the caller may perform one of the actions in a container. */
export const may = (caller: Caller, { acls }: Guarded, ...actions: readonly string[]): boolean =>
  isKeymgrAdmin(caller) || acls.some((acl) => isAbout(caller, acl) && acl.actions.some((one) => actions.includes(one)))

/** @throws Refusal ACTION_DENIED, naming the action */
export function assertMay(caller: Caller, container: Guarded, action: string): void {
  if (!may(caller, container, action))
    throw new Refusal('ACTION_DENIED', `This takes the action ${action} on the container.`)
}

/** The view actions that an action implies; actions on key stores and hosted keys have their own. */
export type ViewOf = (action: string) => readonly string[]

const keyOf = ({ user_id, group }: Pick<Acl, 'user_id' | 'group'>): string =>
  user_id === undefined ? `group ${group ?? ''}` : `user ${user_id}`

/**
 * The list after a change: permitted actions are added together with their view, the others removed; empty entries are
 * dropped.
 */
export function changedAcls(acls: readonly Acl[], { acls: changes }: UpdateAcls, viewOf: ViewOf): Acl[] {
  const entries = new Map(acls.map((acl) => [keyOf(acl), acl]))
  for (const { permit, actions, user_id, group } of changes) {
    const who = user_id === undefined ? { group: group ?? '' } : { user_id }
    const before = entries.get(keyOf(who))?.actions ?? []
    const after = permit
      ? [...new Set([...before, ...actions.flatMap((action) => [...viewOf(action), action])])].sort()
      : before.filter((action) => !actions.includes(action))
    if (after.length > 0) entries.set(keyOf(who), { ...who, actions: after })
    else entries.delete(keyOf(who))
  }
  return [...entries.values()]
}
