import { Refusal } from '../../base/errors.ts'
import { actionOf } from '../../http/action.ts'
import type { Caller } from '../../http/context.ts'
import { refusing, type Decide, type Single } from '../../http/decisions.ts'
import { OPEN } from '../../http/request/gate.ts'
import { assertPermitted, isPermitted } from '../../http/permission.ts'
import type { Admit } from '../../http/serve.ts'
import { isForEverything, rulesFor } from './evaluate.ts'
import { denied, PolicyGate, type Judgement } from './gate.ts'
import { statementsFor } from './statements.ts'

/**
 * Decides in this order: an explicit denial, an explicit allowance, the groups of the operation, denial.
 * @returns the policies that name records or conditions, for the gate; `undefined` if none applies to the caller
 * @throws Refusal ACTION_DENIED
 */
async function judge(caller: Caller, { action, may }: Single, now: Date): Promise<Judgement | undefined> {
  const statements = (await statementsFor(caller.domain.id, now)).filter(({ isFor }) => isFor(caller))
  if (statements.length === 0) {
    assertPermitted(may, caller)
    return undefined
  }
  const rules = rulesFor(statements, caller, action)
  if (rules.denies.some(isForEverything)) throw denied()
  const isAllowed = rules.allows.some(isForEverything) || isPermitted(may, caller)
  if (!isAllowed && rules.allows.length === 0) assertPermitted(may, caller)
  return { statements, rules, isOpened: !isAllowed }
}

/** The door of requests: a policy that names records or conditions is left to the gate. @throws Refusal ACTION_DENIED */
export const admit: Admit = async (call, { path, operation: { declaration } }) => {
  const { caller, now } = call
  const judgement = await judge(caller, { action: actionOf(declaration), may: declaration.may }, now)
  return judgement === undefined ? OPEN : new PolicyGate(judgement, { caller, body: () => call.body, path })
}

/** The same decision for work on several records. */
export const decideSingle: Decide = async (caller, single, now) => {
  try {
    const judgement = await judge(caller, single, now)
    if (judgement === undefined) return { isSame: true, refusalOf: () => undefined, gate: OPEN }
    const { rules, isOpened } = judgement
    return {
      isSame: rules.denies.length === 0 && !isOpened,
      refusalOf: (record) => refusalOn(judgement, caller, record),
      gate: new PolicyGate(judgement, { caller }),
    }
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'ACTION_DENIED') return refusing(error)
    throw error
  }
}

function refusalOn(judgement: Judgement, caller: Caller, record: Readonly<{ uri: string }>): Refusal | undefined {
  try {
    new PolicyGate(judgement, { caller }).about({ uri: record.uri, name: '', record })
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}
