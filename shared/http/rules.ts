import type * as z from 'zod'

/**
 * A rule between fields, in the interface's words: checked on its own beside the field checks, so that every fault of
 * a body is named at once, and written into the API description.
 */
export interface Rule {
  readonly message: string
  /** the field the fault is pointed at; `a/b` for one within another */
  readonly field: string
  /** Whether it is; a sentence where there is more to say than the rule itself. */
  readonly broken: (body: Readonly<Record<string, unknown>>) => boolean | string
}

const given = (body: Readonly<Record<string, unknown>>, field: string): boolean =>
  body[field] !== undefined && body[field] !== null

export const atMostOne = (...fields: [string, string, ...string[]]): Rule => ({
  message: `${fields.join(' and ')} are mutually exclusive`,
  field: fields[1],
  broken: (body) => fields.filter((field) => given(body, field)).length > 1,
})

export const requires = (field: string, ...others: [string, ...string[]]): Rule => ({
  message: `${field} needs ${others.join(' and ')}`,
  field,
  broken: (body) => given(body, field) && !others.every((other) => given(body, other)),
})

/** An RFC 3339 time that must not come before another. */
export const notBefore = (earlier: string, latter: string): Rule => ({
  message: `${earlier} must not be later than ${latter}`,
  field: latter,
  broken: (body) => {
    const [first, second] = [body[earlier], body[latter]]
    return typeof first === 'string' && typeof second === 'string' && Date.parse(first) > Date.parse(second)
  },
})

const rulesBySchema = new WeakMap<z.ZodType, readonly Rule[]>()

/** The schema, with rules between its fields; those it has already stay. */
export function withRules<S extends z.ZodType>(schema: S, ...rules: Rule[]): S {
  const all = [...rulesOf(schema), ...rules]
  const ruled = schema.meta({ ...schema.meta(), 'x-rules': all.map(({ message }) => message) })
  rulesBySchema.set(ruled, all)
  return ruled
}

export const rulesOf = (schema: z.ZodType): readonly Rule[] => rulesBySchema.get(schema) ?? []
