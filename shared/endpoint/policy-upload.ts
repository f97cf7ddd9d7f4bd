import { Refusal } from '../base/errors.ts'
import { readPolicy, type Dialect } from '../serving/policy-decision.ts'

/**
 * Compiles a policy once to check it. @param pointer to its text in the body
 * @returns its dialect, which is stored with it
 * @throws Refusal RULE_BROKEN, with line, column and reason of each fault
 */
export async function dialectOf(text: string, pointer: string): Promise<Dialect> {
  const read = await readPolicy(text)
  if ('dialect' in read) return read.dialect
  const errors = read.faults.map(({ line, column, reason }) => ({
    pointer,
    detail: `line ${line}, column ${column}: ${reason}`,
  }))
  throw new Refusal('RULE_BROKEN', `The policy does not compile: ${errors.map(({ detail }) => detail).join('; ')}.`, {
    errors,
  })
}
