import examples from './examples.json' with { type: 'json' }
import { isObject } from '../../shared/base/json.ts'
import type { Json } from './schemas.ts'

/** Real requests and answers by schema name, without their secrets. */
export type Examples = Readonly<Record<string, unknown>>

export const EXAMPLES: Examples = examples

/** Schemas by name, each with its example. @throws Error for an example of an unknown schema */
export function withExamples(schemas: Json): Json {
  const unknown = Object.keys(EXAMPLES).find((name) => !(name in schemas))
  if (unknown !== undefined) throw new Error(`There is an example of ${unknown}, which is no schema`)
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isObject(schema) && name in EXAMPLES ? { ...schema, examples: [EXAMPLES[name]] } : schema,
    ]),
  )
}
