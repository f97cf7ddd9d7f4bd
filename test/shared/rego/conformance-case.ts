import { EvaluationError, PolicyError } from '../../../shared/rego/errors.ts'
import type { Place } from '../../../shared/rego/errors.ts'
import { toJson } from '../../../shared/rego/json.ts'
import type { Json } from '../../../shared/rego/json.ts'
import { Policy } from '../../../shared/rego/policy.ts'
import { RegoObject, RegoSet } from '../../../shared/rego/value.ts'
import type { Builtin } from '../../../shared/rego/builtins/builtin.ts'

/** One case in the format of the reference implementation's test suite, after its YAML is parsed. */
export interface ConformanceCase {
  readonly modules: readonly string[]
  /** a body: `data.test.p = x` */
  readonly query: string
  readonly data?: Json
  readonly input?: Json
  /** Rego text, which may contain sets; overrides `input` */
  readonly inputTerm?: string
  /** the first failure of a built-in is thrown at the end, instead of the result */
  readonly strictErrors?: boolean
  readonly regoVersion: 0 | 1
}

/** The failure of a case without a result. */
export interface ConformanceFailure {
  readonly code: string
  readonly message: string
  readonly location?: Place
}

/** Wider than in production: cases may be slow on a busy machine, and some read large documents. */
const LIMITS = { wallClockMs: 4_000, steps: 5_000_000 }

/** 2024-01-01 */
const NOW = 1_704_067_200_000_000_000n

/**
 * Policies cannot call these. The suite needs `test.sleep`, and names the others in order to replace them with `with`.
 */
const BUILTINS: readonly Builtin[] = [
  { name: 'test.sleep', arity: 1, evaluate: () => null },
  { name: 'http.send', arity: 1, evaluate: () => undefined },
  { name: 'net.lookup_ip_addr', arity: 1, evaluate: () => undefined },
  { name: 'opa.runtime', arity: 0, evaluate: () => new RegoObject() },
]

/**
 * Runs one case.
 * @returns the variables of every solution
 * @throws ConformanceFailure
 */
export async function evaluate(one: ConformanceCase): Promise<{ bindings: Record<string, Json> }[]> {
  try {
    const policy = await Policy.compile(
      one.modules.map((text, index) => ({ text, file: `test-${index}.rego` })),
      { dialect: one.regoVersion === 0 ? 'v0' : 'v1', limits: LIMITS, builtins: BUILTINS },
    )
    const input = one.inputTerm === undefined ? one.input : await termOf(one.inputTerm)
    const solutions = await policy.query(one.query, {
      ...(input !== undefined && { input }),
      ...(one.data !== undefined && { data: one.data }),
      strict: one.strictErrors ?? false,
      now: NOW,
      seed: 'conformance',
    })
    return solutions.map((solution) => ({
      bindings: Object.fromEntries([...solution].map(([name, value]) => [name, toJson(value)])),
    }))
  } catch (error) {
    throw failureOf(error)
  }
}

/** The value of an object or a set is kept as such; any other value in the cases contains no set. */
async function termOf(text: string): Promise<Json | RegoObject | RegoSet> {
  const nothing = await Policy.compile([{ text: 'package nothing', file: 'nothing.rego' }], { dialect: 'v1' })
  const [solution] = await nothing.query(`x = ${text}`, { now: NOW, seed: 'conformance' })
  const value = solution?.get('x')
  if (value === undefined) throw new TypeError(`no term: ${text}`)
  return value instanceof RegoObject || value instanceof RegoSet ? value : toJson(value)
}

function failureOf(error: unknown): unknown {
  if (error instanceof PolicyError) {
    const [first] = error.faults
    return first === undefined ? error : failure(first.code, first.message, first.place)
  }
  return error instanceof EvaluationError ? failure(error.code, error.message, error.place) : error
}

const failure = (code: string, message: string, location?: Place): ConformanceFailure => ({
  code,
  message,
  ...(location !== undefined && { location }),
})
