import { actionOf } from '../../http/action.ts'
import { OPEN } from '../../http/gate.ts'
import { assertPermitted, isPermitted } from '../../http/permission.ts'
import type { Admit } from '../../http/serve.ts'
import { isForEverything, rulesFor } from './evaluate.ts'
import { denied, PolicyGate } from './gate.ts'
import { statementsFor } from './statements.ts'

/**
 * Decides in this order: an explicit denial, an explicit allowance, the groups of the operation, denial. The gate
 * evaluates policies that name records or conditions.
 * @throws Refusal ACTION_DENIED
 */
export const admit: Admit = async (call, route) => {
  const { caller, now } = call
  const { declaration } = route.operation
  const statements = (await statementsFor(caller.domain.id, now)).filter(({ isFor }) => isFor(caller))
  if (statements.length === 0) {
    assertPermitted(declaration.may, caller)
    return OPEN
  }
  const rules = rulesFor(statements, caller, actionOf(declaration))
  if (rules.denies.some(isForEverything)) throw denied()
  const isAllowed = rules.allows.some(isForEverything) || isPermitted(declaration.may, caller)
  if (!isAllowed && rules.allows.length === 0) assertPermitted(declaration.may, caller)
  return new PolicyGate(statements, rules, !isAllowed, call, route)
}
