import { PolicyError } from '../../../shared/rego/errors.ts'
import { toJson } from '../../../shared/rego/json.ts'
import type { Json } from '../../../shared/rego/json.ts'
import type { Limits } from '../../../shared/rego/limits.ts'
import type { Dialect } from '../../../shared/rego/parse/module.ts'
import { Policy } from '../../../shared/rego/policy.ts'
import { text } from '../../../shared/rego/text.ts'

export const NOW = 1_700_000_000_000_000_000n

/** No test may depend on time, which varies on a busy machine; the tests check steps. */
const PATIENT: Partial<Limits> = { wallClockMs: 20_000 }

export interface Asked {
  readonly input?: Json
  readonly data?: Json
  readonly dialect?: Dialect
  readonly strict?: boolean
  readonly limits?: Partial<Limits>
}

/** Compiles one module; `package t` is added if the text has none. */
export const compiled = (module: string, { dialect = 'v1', limits = {} }: Asked = {}): Promise<Policy> =>
  Policy.compile([{ text: /^\ufeff?package/.test(module) ? module : `package t\n${module}`, file: 't.rego' }], {
    dialect,
    limits: { ...PATIENT, ...limits },
  })

/** The document of `data.t.p` as JSON, or undefined. */
export async function ask(module: string, asked: Asked = {}): Promise<Json | undefined> {
  const { value } = (await compiled(module, asked)).document(['t', 'p'], { now: NOW, seed: 'seed', ...given(asked) })
  return value === undefined ? undefined : toJson(value)
}

/** The same as Rego text, which distinguishes sets and literals. */
export async function askText(module: string, asked: Asked = {}): Promise<string | undefined> {
  const { value } = (await compiled(module, asked)).document(['t', 'p'], { now: NOW, seed: 'seed', ...given(asked) })
  return value === undefined ? undefined : text(value)
}

const given = ({ input, data, strict, limits }: Asked): Omit<Asked, 'dialect'> => ({
  ...(input !== undefined && { input }),
  ...(data !== undefined && { data }),
  ...(strict !== undefined && { strict }),
  ...(limits !== undefined && { limits }),
})

/** `row: code: message` of every error of a module; the package line counts as a row. */
export async function faults(module: string, asked: Asked = {}): Promise<string[]> {
  try {
    await compiled(module, asked)
    return []
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error
    return error.faults.map(({ code, message, place }) => `${place.row}: ${code}: ${message}`)
  }
}
