import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { hintAt } from '../../http/answer/nearest.ts'
import { isPermitted } from '../../http/permission.ts'
import { actionTable } from './actions.ts'
import { concerns, rulesFor } from './evaluate.ts'
import type { OwnPermissions } from './model.ts'
import { statementsFor } from './statements.ts'

/**
 * Whether policies and groups permit these actions to the caller. Ours: records are not read, so a condition of a
 * policy counts as a denial, and does not allow.
 * @returns the entries in the same order
 * @throws Refusal RULE_BROKEN that names every entry with an unknown action
 */
export async function ownPermissions(
  { caller, now }: Context,
  { permissions }: OwnPermissions,
): Promise<{ permissions: { action: string; resource: string; allowed: boolean }[] }> {
  const [table, statements] = await Promise.all([actionTable(), statementsFor(caller.domain.id, now)])
  const names = Object.keys(table)
  const errors = permissions.flatMap(({ action }, at) =>
    Object.hasOwn(table, action)
      ? []
      : [{ pointer: `#/permissions/${at}/action`, detail: `is not an action${hintAt(action, names)}` }],
  )
  if (errors.length > 0) throw new Refusal('RULE_BROKEN', 'No operation has such an action.', { errors })
  const isAllowed = (action: string, resource: string): boolean => {
    const { denies, allows } = rulesFor(statements, caller, action)
    if (denies.some((one) => concerns(one, resource, undefined) !== false)) return false
    const permission = table[action]
    return (
      allows.some((one) => concerns(one, resource, undefined) === true) ||
      (permission !== undefined && isPermitted(permission, caller))
    )
  }
  return {
    permissions: permissions.map(({ action, resource }) => ({
      action,
      resource,
      allowed: isAllowed(action, resource),
    })),
  }
}
