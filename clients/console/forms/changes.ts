import { place, shownOf, type FieldRow } from './fields.ts'

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a pointer without `#/`. */
export const at = (tree: unknown, pointer: string): unknown =>
  pointer.split('/').reduce<unknown>((value, name) => (isTree(value) ? value[name] : undefined), tree)

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function textOf(value: unknown, kind: FieldRow['kind']): string {
  if (value === undefined || value === null || value === false) return ''
  if (kind === 'json') return JSON.stringify(value, undefined, 2)
  if (kind === 'day') return plain(value).slice(0, 10)
  return Array.isArray(value) ? value.map(plain).join('\n') : plain(value)
}

/** Fields filled with the values of a resource. @param valueOf default: the value at the field's name */
export const filledFrom = (
  fields: readonly FieldRow[],
  resource: unknown,
  valueOf: (name: string) => unknown = (name) => at(resource, name),
): readonly FieldRow[] => fields.map((field) => ({ ...field, initial: textOf(valueOf(field.name), field.kind) }))

/**
 * The body of a change: members that differ from the initial values, `false` for a flag that was cleared, and `null`
 * for any other field that was emptied. Hidden fields do not change.
 */
export function changesOf(fields: readonly FieldRow[], body: Tree): Record<string, unknown> {
  const values = Object.fromEntries(fields.map(({ name, kind }) => [name, textOf(at(body, name), kind)]))
  const changed: Record<string, unknown> = {}
  for (const { name, kind, initial = '' } of shownOf(fields, values))
    if (values[name] !== initial) place(changed, name.split('/'), at(body, name) ?? (kind === 'flag' ? false : null))
  return changed
}
