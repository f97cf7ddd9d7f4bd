import { PAGE } from '../page.ts'
import type { Description, Operation } from './description.ts'
import { lastOf, resolved, type Schema } from './schema.ts'

/** Media type and schema of the answer of an operation. */
export function answerOf({ components }: Description, { responses }: Operation): { type: string; schema: Schema } {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const whole = answer?.$ref === undefined ? answer : components.responses[lastOf(answer.$ref)]
  const [type, content] = Object.entries(whole?.content ?? {})[0] ?? ['application/json', {}]
  return { type, schema: resolved(content.schema ?? {}, components.schemas) }
}

/** Rows of the page that an operation returns. A single record may have `resources` as well. */
export const rowsOf = ({ properties }: Schema): Schema | undefined =>
  PAGE.every((name) => properties?.[name] !== undefined) ? properties?.resources?.items : undefined

/** Schema of the rows that a table shows: of a page, or of the only list of an answer. */
export function shownRowsOf(schema: Schema): Schema {
  const [only, second] = Object.values(schema.properties ?? {})
  return rowsOf(schema) ?? (second === undefined ? only?.items : undefined) ?? schema
}
