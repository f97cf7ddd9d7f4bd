import { fieldsOf, isGiven, type Fields } from '../base/json.ts'
import type * as z from 'zod'

/**
 * A rule between fields. Rules are separate from the field checks, so that all errors of a body are reported at once,
 * and they are part of the API description.
 */
export interface Rule {
  readonly message: string
  /** the field to which the error points; `a/b` for a nested field */
  readonly field: string
  /** Whether the rule is broken; a string replaces the rule's own message. */
  readonly broken: (body: Fields) => boolean | string
}

export const atMostOne = (...fields: [string, string, ...string[]]): Rule => ({
  message: `${fields.join(' and ')} are mutually exclusive`,
  field: fields[1],
  broken: (body) => fields.filter((field) => isGiven(body[field])).length > 1,
})

export const requires = (field: string, ...others: [string, ...string[]]): Rule => ({
  message: `${field} needs ${others.join(' and ')}`,
  field,
  broken: (body) => isGiven(body[field]) && !others.every((other) => isGiven(body[other])),
})

/** An RFC 3339 time that must not be earlier than another. */
export const notBefore = (earlier: string, latter: string): Rule => ({
  message: `${earlier} must not be later than ${latter}`,
  field: latter,
  broken: (body) => {
    const [first, second] = [body[earlier], body[latter]]
    return typeof first === 'string' && typeof second === 'string' && Date.parse(first) > Date.parse(second)
  },
})

/** Rules between the members of a field that is an object. */
export const rulesWithin = (part: string, rules: readonly Rule[]): Rule[] =>
  rules.map(({ message, field, broken }) => ({
    message,
    field: `${part}/${field}`,
    broken: (body) => broken(fieldsOf(body[part])),
  }))

const rulesBySchema = new WeakMap<z.ZodType, readonly Rule[]>()

/** Adds rules to a schema. Existing rules remain. */
export function withRules<S extends z.ZodType>(schema: S, ...rules: Rule[]): S {
  const all = [...rulesOf(schema), ...rules]
  const ruled = schema.meta({ ...schema.meta(), 'x-rules': all.map(({ message }) => message) })
  rulesBySchema.set(ruled, all)
  return ruled
}

export const rulesOf = (schema: z.ZodType): readonly Rule[] => rulesBySchema.get(schema) ?? []
