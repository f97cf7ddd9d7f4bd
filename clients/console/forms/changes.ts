import type { FieldRow } from './fields.ts'

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a pointer without `#/` leads to. */
export const at = (tree: unknown, pointer: string): unknown =>
  pointer.split('/').reduce<unknown>((value, name) => (isTree(value) ? value[name] : undefined), tree)

function textOf(value: unknown, kind: FieldRow['kind']): string {
  if (value === undefined || value === null || value === false) return ''
  if (kind === 'json') return JSON.stringify(value, undefined, 2)
  if (kind === 'day') return String(value).slice(0, 10)
  if (Array.isArray(value)) return value.join('\n')
  return String(value as string | number | true) // fields hold nothing else
}

/** Fields that begin with the values of a resource. @param valueOf by default, what the field's name points to */
export const filledFrom = (
  fields: readonly FieldRow[],
  resource: unknown,
  valueOf: (name: string) => unknown = (name) => at(resource, name),
): readonly FieldRow[] => fields.map((field) => ({ ...field, initial: textOf(valueOf(field.name), field.kind) }))

/**
 * The body of a change: members that differ from what the fields began with, `false` for a flag that was taken away, and `null`
 * for any other field that was emptied.
 */
export function changesOf(fields: readonly FieldRow[], body: Tree): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const { name, kind, initial = '' } of fields) {
    const value = at(body, name)
    if (textOf(value, kind) === initial) continue
    const path = name.split('/')
    const last = path.pop() ?? name
    let inner = changed
    for (const each of path) inner = (inner[each] ??= {}) as Record<string, unknown> // made here alone
    inner[last] = value ?? (kind === 'flag' ? false : null)
  }
  return changed
}
