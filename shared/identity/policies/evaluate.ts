import { isObject } from '../../base/json.ts'
import type { Caller } from '../../http/context.ts'
import { patternTest } from '../../http/lists/patterns.ts'
import type { Condition, Policy } from './model.ts'

/** A policy for the callers of one attachment. */
export interface Statement {
  readonly effect: Policy['effect']
  readonly isFor: (caller: Caller) => boolean
  readonly covers: (action: string) => boolean
  readonly names: (uri: string) => boolean
  readonly resources: readonly string[]
  readonly conditions: readonly Condition[]
}

/** The policies that apply to one action of one caller. */
export interface Rules {
  readonly denies: readonly Statement[]
  readonly allows: readonly Statement[]
}

export const statementOf = (
  { effect, actions, resources, conditions }: Pick<Policy, 'effect' | 'actions' | 'resources' | 'conditions'>,
  isFor: Statement['isFor'],
): Statement => ({
  effect,
  isFor,
  covers: patternTest(actions),
  names: patternTest(resources),
  resources,
  conditions,
})

/**
 * Members of `admin` keep these actions whatever a policy denies: otherwise they could lock themselves out permanently.
 */
export const KEPT_BY_ADMINS: readonly string[] = [
  'CreatePolicy',
  'ReadPolicy',
  'DeletePolicy',
  'CreatePolicyAttachment',
  'ReadPolicyAttachment',
  'DeletePolicyAttachment',
]

export function rulesFor(statements: readonly Statement[], caller: Caller, action: string): Rules {
  const covering = statements.filter((one) => one.covers(action) && one.isFor(caller))
  const isKept = KEPT_BY_ADMINS.includes(action) && caller.groups.includes('admin')
  return {
    denies: isKept ? [] : covering.filter(({ effect }) => effect === 'deny'),
    allows: covering.filter(({ effect }) => effect === 'allow'),
  }
}

/** Whether a policy decides without the record. */
export const isForEverything = ({ resources, conditions }: Statement): boolean =>
  conditions.length === 0 && resources.includes('*')

/** The value at a dotted path. The rest of the path may also be a single name with dots. */
function valueAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, path)) return Reflect.get(value, path)
  const [name = '', ...rest] = path.split('.')
  return rest.length > 0 && Object.hasOwn(value, name) ? valueAt(Reflect.get(value, name), rest.join('.')) : undefined
}

const COMPARED: Readonly<Record<Exclude<Condition['op'], 'exists'>, (text: string, value: string) => boolean>> = {
  equals: (text, value) => text === value,
  contains: (text, value) => text.includes(value),
  startsWith: (text, value) => text.startsWith(value),
  endsWith: (text, value) => text.endsWith(value),
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(textsIn)
    : typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [String(value)]
      : []

/** Numbers and booleans are compared in their JSON form; for a list, any member may match. */
function holds({ path, op, values, negate }: Condition, record: object): boolean {
  const value = valueAt(record, path)
  const fits =
    op === 'exists'
      ? value !== undefined && value !== null
      : textsIn(value).some((text) => values.some((one) => COMPARED[op](text, one)))
  return fits !== negate
}

/**
 * Whether a policy applies to a record.
 * @param record its known fields
 * @returns `undefined` when that depends on unknown fields
 */
export function concerns(
  { names, conditions }: Statement,
  uri: string,
  record: object | undefined,
): boolean | undefined {
  if (!names(uri)) return false
  if (conditions.length === 0) return true
  return record === undefined ? undefined : conditions.every((condition) => holds(condition, record))
}

/**
 * Whether a policy may apply to a record of a service whose URI is unknown.
 * @param service third part of the URIs
 */
export function mayConcern({ resources }: Statement, domain: string, service: string): boolean {
  const parts = ['keymgr', domain, service]
  return resources.some((pattern) => {
    const given = pattern.split(':')
    for (const [at, part] of parts.entries()) {
      const wanted = given[at]
      if (wanted?.includes('*') === true) return true
      if (wanted === undefined || !patternTest([wanted])(part)) return false
    }
    return true
  })
}

/** The URI of the record in an answer, if any. */
export const uriOf = (body: unknown): string | undefined =>
  isObject(body) && typeof body.uri === 'string' ? body.uri : undefined
