import { isProblem } from '../../sdk/problem.ts'
import type { FieldRow } from './fields.ts'

/** Faults of a form: sentences at fields, and one for those that belong to no field. */
export interface Faults {
  readonly at: Readonly<Record<string, string>>
  readonly all: string
}

export const NO_FAULTS: Faults = { at: {}, all: '' }

/** Where a pointer leads: to the field itself, or to the one that holds it. */
function fieldOf(fields: readonly FieldRow[], pointer: string): FieldRow | undefined {
  const path = pointer.replace(/^#?\//, '')
  return fields.find(({ name }) => path === name || path.startsWith(`${name}/`))
}

/** Puts each fault of a refused call at its field. */
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
