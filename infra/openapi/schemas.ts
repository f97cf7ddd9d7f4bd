import * as z from 'zod'

export type Json = Record<string, unknown>

/** Formats whose names make the pattern redundant. */
const FORMATS: readonly unknown[] = ['date-time', 'uuid', 'uri', 'email', 'ipv4', 'ipv6']

/** Keywords that matter in requests, not in answers. */
const BOUNDS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'pattern', 'propertyNames']

const isBound = (value: unknown): boolean => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

/** Rules between fields, as sentences of the description. */
function ruled({ 'x-rules': rules, description, ...schema }: Json): Json {
  const sentences = [description, Array.isArray(rules) ? `Rules: ${rules.join('; ')}.` : undefined] // set by rules.ts
  const given = sentences.filter((one) => typeof one === 'string')
  return { ...schema, ...(given.length > 0 && { description: given.join('. ') }) }
}

/**
 * Omits redundant keywords: patterns of formats, the bounds of safe integers, and the statement that property names are
 * texts. For answers it also omits bounds, and the ban on further fields, since later versions may add some.
 */
function saysNothing(schema: Json, keyword: string, value: unknown, io: 'input' | 'output'): boolean {
  if (io === 'output' && (BOUNDS.includes(keyword) || (keyword === 'additionalProperties' && value === false)))
    return true
  if (keyword === 'pattern' || keyword === 'maxLength') return FORMATS.includes(schema.format)
  if (keyword === 'minimum' || keyword === 'maximum') return isBound(value)
  return keyword === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}'
}

const tidy = (schema: Json, io: 'input' | 'output'): Json =>
  mapSchemas(
    ruled(Object.fromEntries(Object.entries(schema).filter(([name, value]) => !saysNothing(schema, name, value, io)))),
    (below) => tidy(below, io),
  )

/** A declared schema as JSON Schema. Where JSON Schema cannot express it (a transform), it describes the input. */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    reused: 'inline',
  })
  return tidy(rest, io)
}

/** Keywords whose values are schemas, by kind: one schema, a list, or a map of schemas. */
const ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']
const SEVERAL = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const NAMED = ['properties', 'patternProperties']

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The schema with every nested schema replaced. @param change receives the property, or else the keyword, that contains
 * the schema
 */
export function mapSchemas(schema: Json, change: (below: Json, holder: string) => Json): Json {
  const changed = (value: unknown, holder: string): unknown => (isObject(value) ? change(value, holder) : value)
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (ONE.includes(keyword)) return [keyword, changed(value, keyword)]
      if (SEVERAL.includes(keyword) && Array.isArray(value)) return [keyword, value.map((one) => changed(one, keyword))]
      if (NAMED.includes(keyword) && isObject(value))
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one, name)]))]
      return [keyword, value]
    }),
  )
}
