import { Refusal } from '../../base/errors.ts'
import { hintAt } from '../../http/answer/nearest.ts'
import { isPattern, patternTest } from '../../http/lists/patterns.ts'
import type { Permission } from '../../http/permission.ts'

/** Every action that policies can name, with the permission that it requires where no policy applies. */
export type ActionTable = Readonly<Record<string, Permission>>

/** Generated with the bundle, from the operations of all functions; the function contains only their names. */
export const actionTable = async (): Promise<ActionTable> => (await import('keymgr:actions')).default as ActionTable // written by infra/openapi.ts

/** @throws Refusal RULE_BROKEN for an unknown action, and for a pattern that matches none */
export async function assertActionsKnown(actions: readonly string[]): Promise<void> {
  const names = Object.keys(await actionTable())
  const errors = actions.flatMap((action, at) => {
    const isKnown = isPattern(action) ? names.some(patternTest([action])) : names.includes(action)
    return isKnown ? [] : [{ pointer: `#/actions/${at}`, detail: `is not an action${hintAt(action, names)}` }]
  })
  if (errors.length > 0)
    throw new Refusal(
      'RULE_BROKEN',
      'No operation has such an action: the API description names that of each (x-keymgr-action).',
      { errors },
    )
}
