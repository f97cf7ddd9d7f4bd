import fc from './fast-check.ts'

/** The part of JSON Schema that the API description uses. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

/** More useful values for a field than random ones: existing names, words that the service knows. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** Any JSON, including texts and members that often break programs. */
export const anyJson = (): fc.Arbitrary<unknown> => fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' })

export const oddText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '',
      ' ',
      '\u0000',
      '\ud800',
      '__proto__',
      'constructor',
      '*',
      '%',
      '../..',
      'a'.repeat(2_000),
      '-1',
      '\u{10e92}',
      '名'.repeat(900),
    ),
  )

function textOf({ format, pattern, minLength = 0, maxLength = 64 }: Schema): fc.Arbitrary<unknown> {
  const between = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 64), unit: 'grapheme' })
  if (format === 'uuid') return fc.uuid()
  if (format === 'email') return fc.emailAddress()
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  if (pattern === undefined) return between
  try {
    return fc.stringMatching(new RegExp(pattern))
  } catch {
    return between // a pattern that can only be checked, not generated from
  }
}

/** Values of the schema. They may violate rules that a schema cannot express, such as a limit in bytes. */
export function valuesOf(schema: Schema, known: Known = {}): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => valuesOf(choice, known)))
  switch (schema.type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.max(schema.minimum ?? -5, -1e9), max: Math.min(schema.maximum ?? 5_000, 1e9) })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const least = schema.minItems ?? 0
      return fc.array(valuesOf(schema.items ?? {}, known), { minLength: least, maxLength: Math.max(3, least) })
    }
    case 'object':
      return objectOf(schema, known)
    default:
      return anyJson()
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema, known: Known): fc.Arbitrary<unknown> {
  if (properties === undefined) {
    const member = typeof additionalProperties === 'object' ? valuesOf(additionalProperties, known) : anyJson()
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), member, { maxKeys: 4 })
  }
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, known[name] ?? valuesOf(schema, known)]),
  )
  const few = fc.subarray(Object.keys(properties), { maxLength: Math.min(3, Object.keys(properties).length) })
  // with many members at once, almost every value breaks some rule between them; with a few, most values keep all rules
  return fc.oneof(
    fc.record(members, { requiredKeys: [...required] }),
    fc
      .tuple(fc.record(members), few)
      .map(([all, kept]) =>
        Object.fromEntries(Object.entries(all).filter(([name]) => required.includes(name) || kept.includes(name))),
      ),
  )
}

/** A body of this schema in which one member is then replaced, removed or added. */
export function nearly(schema: Schema, known: Known = {}): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {})
  const name = fc.oneof(oddText(), ...(names.length > 0 ? [fc.constantFrom(...names)] : []))
  const change = fc.record({ name, to: fc.oneof(anyJson(), oddText(), fc.constant(undefined)) })
  return fc
    .tuple(valuesOf(schema, known), fc.array(change, { maxLength: 2 }))
    .map(([value, changes]) =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries([...Object.entries(value), ...changes.map(({ name: at, to }) => [at, to] as const)])
        : value,
    )
}
