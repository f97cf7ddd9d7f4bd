import { EvaluationError } from '../../../../shared/rego/errors.ts'
import type { Json } from '../../../../shared/rego/json.ts'
import type { Limits } from '../../../../shared/rego/limits.ts'
import { Policy } from '../../../../shared/rego/policy.ts'
import { text } from '../../../../shared/rego/text.ts'

/** 2024-02-29T12:34:56.789012345Z */
export const NOW = 1_709_210_096_789_012_345n

interface Options {
  readonly input?: Json
  readonly limits?: Partial<Limits>
}

/** No test may depend on time, which varies on a busy machine; the tests check steps. */
const PATIENT: Partial<Limits> = { wallClockMs: 20_000 }

/**
 * The value of an expression as Rego text: `undefined` without a value, `<code>: <message>` when a built-in failed or a
 * limit was exceeded.
 */
export async function answer(expression: string, { input, limits }: Options = {}): Promise<string> {
  const policy = await Policy.compile([], { dialect: 'v1', limits: { ...PATIENT, ...limits } })
  try {
    const evaluation = { now: NOW, seed: 'fixed', strict: true, ...(input === undefined ? {} : { input }) }
    const [solution] = await policy.query(`x = ${expression}`, evaluation)
    const value = solution?.get('x')
    return value === undefined ? 'undefined' : text(value)
  } catch (error) {
    if (error instanceof EvaluationError) return `${error.code}: ${error.message}`
    throw error
  }
}
