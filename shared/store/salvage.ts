import type { ZodType } from 'zod'
import { errorFields, log } from '../base/log.ts'
import { isObject, jsonOf } from '../base/json.ts'

/** How a stored item breaks its schema. */
export interface Damage<T> {
  /** names of the invalid fields, which `item` lacks */
  readonly fields: readonly string[]
  /** the item as stored, from which its list rows derive */
  readonly was: T
  readonly id: string
}

const withoutPath = (value: unknown, [first, ...rest]: readonly PropertyKey[]): unknown => {
  if (!isObject(value) || first === undefined) return undefined
  const inner = value[String(first)]
  const { [String(first)]: _, ...others } = value
  return rest.length > 0 && isObject(inner) ? { ...others, [first]: withoutPath(inner, rest) } : others
}

/**
 * The valid fields of a stored item that breaks its schema. Required fields may be missing, so no decision may rely on
 * the item.
 * @param data the stored JSON text, or whatever is stored instead
 */
export function salvaged<T>(schema: ZodType<T>, data: string | undefined, id: string): { item: T; damage: Damage<T> } {
  const json = jsonOf(data ?? '')
  const was = isObject(json) ? json : { id }
  const issues = schema.safeParse(was).error?.issues ?? []
  const right = issues.reduce<unknown>((value, { path }) => withoutPath(value, path), was)
  const parsed = schema.safeParse(right)
  const fields = [...new Set(issues.map(({ path }) => path.join('.')))]
  log('error', 'a stored record breaks its schema', { id, fields: fields.join(' ') })
  return { item: parsed.success ? parsed.data : (right as T), damage: { fields, was: was as T, id } }
}

/** Names only the outermost fields: inner names may be stored data. */
export function damagedIn({ id, fields }: Pick<Damage<unknown>, 'id' | 'fields'>): string {
  const outermost = new Set(fields.map((field) => field.split('.', 1)[0]))
  const named = [...outermost].filter((field) => field !== '').join(', ')
  return `${id} is damaged${named === '' ? '' : ` in ${named}`}`
}

/** Runs work on a damaged item, which may lack required fields. @returns `otherwise` when the work fails */
export function ifIntact<V>(damage: Damage<unknown> | undefined, work: () => V, otherwise: V): V {
  if (damage === undefined) return work()
  try {
    return work()
  } catch (error) {
    log('warn', 'a damaged record lacks what is needed of it', { id: damage.id, ...errorFields(error) })
    return otherwise
  }
}
