import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { listOf, Resource } from '../../shared/http/common-fields.ts'
import type { Schemas } from './components.ts'
import { mapSchemas, schemaOf, type Json } from './schemas.ts'

interface Part {
  readonly name: string
  readonly properties: Json
  readonly required: readonly string[]
}

const partOf = (name: string, schema: z.ZodType, leaves: readonly string[] = []): Part => {
  const { properties = {}, required = [] } = schemaOf(schema, 'output') as Partial<Part>
  return {
    name,
    properties: Object.fromEntries(Object.entries(properties).filter(([each]) => !leaves.includes(each))),
    required: required.filter((each) => !leaves.includes(each)),
  }
}

/** The first fields of many answers. */
const PARTS = [partOf('Resource', Resource), partOf('Page', listOf(z.unknown()), ['resources'])]

const isPartOf = ({ properties = {}, required = [] }: Partial<Part>, part: Part): boolean =>
  Object.entries(part.properties).every(([name, schema]) => isDeepStrictEqual(properties[name], schema)) &&
  Object.keys(part.properties).every((name) => required.includes(name) === part.required.includes(name))

/** An answer whose common fields are a named part, here and in nested schemas. */
export function inParts(schema: Json, schemas: Schemas): Json {
  const within = mapSchemas(schema, (below) => inParts(below, schemas))
  const part = PARTS.find((each) => isPartOf(schema, each))
  if (part === undefined) return within
  const { properties = {}, required = [], ...rest } = within as Json & Partial<Part>
  const left = (names: readonly string[]): string[] => names.filter((name) => !(name in part.properties))
  const ownRequired = left(required)
  const own = {
    ...rest,
    properties: Object.fromEntries(left(Object.keys(properties)).map((name) => [name, properties[name]])),
    ...(ownRequired.length > 0 && { required: ownRequired }),
  }
  const { name, ...common } = part
  return { allOf: [schemas.use({ type: 'object', ...common }, { name, rank: 0 }), own] }
}
