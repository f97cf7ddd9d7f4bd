import { isProblem } from '../../sdk/problem.ts'
import type { FieldRow } from './fields.ts'

/** Errors of a form: sentences by field, and one for errors without a field. */
export interface Faults {
  readonly at: Readonly<Record<string, string>>
  readonly all: string
}

export const NO_FAULTS: Faults = { at: {}, all: '' }

/** The field of a pointer: the field itself, or the one that contains it. */
function fieldOf(fields: readonly FieldRow[], pointer: string): FieldRow | undefined {
  const path = pointer.replace(/^#?\//, '')
  return fields.find(({ name }) => path === name || path.startsWith(`${name}/`))
}

/** Assigns each error of a refused call to its field. */
export function faultsOf(fields: readonly FieldRow[], error: unknown): Faults {
  if (!isProblem(error)) return { at: {}, all: error instanceof Error ? error.message : String(error) }
  const at: Record<string, string> = {}
  const others: string[] = []
  for (const { pointer, parameter, detail } of error.errors) {
    const field = pointer === undefined ? undefined : fieldOf(fields, pointer)
    if (field === undefined) others.push(parameter === undefined ? detail : `${parameter}: ${detail}`)
    else at[field.name] = [at[field.name], detail].filter((each) => each !== undefined).join(' ')
  }
  const isTold = error.errors.length > 0 && others.length === 0
  return { at, all: isTold ? '' : [...new Set([error.detail, ...others])].join(' ') }
}
