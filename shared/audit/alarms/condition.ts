import { BoundedCache } from '../../base/bounded-cache.ts'
import { Refusal } from '../../base/errors.ts'
import type { AuditRecord } from '../../http/audit/model.ts'
import { CompileWork, EvaluationError, LIMITS, Policy, PolicyError, type Json } from '../../rego/index.ts'

const RULE = 'alarm'
const FILE = 'condition.rego'

/**
 * Ours: a hundredth of a policy's limit per call, since a condition is evaluated for every record of its domain. The
 * time limit is only a last resort: a busy machine must not disable a rule.
 */
const PER_RECORD = { steps: 5_000, wallClockMs: 1_000 }

/** Whether a record meets the condition, or the code of the failure. */
export type Condition = (record: AuditRecord, now: Date) => { readonly holds: boolean; readonly error?: string }

/** Code of a failure because of cost. */
export const TOO_COSTLY = 'eval_cancel_error'

async function compile(text: string, work?: CompileWork): Promise<Condition> {
  const policy = await Policy.compile([{ text, file: FILE }], { dialect: 'v1', ...(work && { work }) })
  const path = [...policy.package, RULE]
  if (policy.group(path)?.kind !== 'complete') {
    const message = `package must define ${RULE} as a complete rule`
    throw new PolicyError([{ code: 'rego_compile_error', message, place: { file: FILE, row: 1, column: 1 } }])
  }
  return (record, now) => {
    try {
      const { value } = policy.document(path, {
        input: record as unknown as Json, // it was parsed from JSON
        now: BigInt(now.getTime()) * 1_000_000n,
        seed: record.id,
        limits: PER_RECORD,
      })
      return { holds: value === true }
    } catch (error) {
      if (error instanceof EvaluationError) return { holds: false, error: error.code }
      throw error
    }
  }
}

/** Compiled conditions of a warm process. */
const compiled = new BoundedCache<Promise<Condition>>(200)

/** A stored condition. One that no longer compiles fails for every record. */
export const conditionOf = (text: string): Promise<Condition> =>
  compiled.use(text, () =>
    compile(text).catch((error: unknown): Condition => {
      if (!(error instanceof PolicyError)) throw error
      return () => ({ holds: false, error: TOO_COSTLY })
    }),
  )

/** @throws Refusal RULE_BROKEN with line, column and reason of each error */
export async function assertCompiles(text: string): Promise<void> {
  try {
    await compile(text, new CompileWork(LIMITS.compileSteps, LIMITS.compileCpuMs))
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    const errors = error.faults.map(({ code, message, place: { row, column } }) => ({
      pointer: '#/condition',
      detail: `line ${row}, column ${column}: ${code}: ${message}`,
    }))
    const all = errors.map(({ detail }) => detail).join('; ')
    throw new Refusal('RULE_BROKEN', `The condition does not compile: ${all}.`, { errors })
  }
}
