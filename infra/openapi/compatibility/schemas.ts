import { isDeepStrictEqual } from 'node:util'
import { defined } from '../../../shared/base/fields.ts'
import { isObject } from '../../../shared/base/json.ts'
import type { Json } from '../schemas.ts'

/** The direction of values: the caller knows the schema of a request, the service that of an answer. */
export type Direction = 'request' | 'answer'

interface Side {
  readonly document: Json
  readonly schema: Json
}

const pointedAt = (document: Json, pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), document)

/** A schema or parameter with its references resolved, and with the members of all its parts. */
export function resolved(document: Json, given: unknown): Json {
  if (!isObject(given)) return {}
  const { $ref, allOf, ...own } = given
  if (typeof $ref === 'string') return resolved(document, { allOf: [pointedAt(document, $ref), { allOf, ...own }] })
  if (!isList(allOf)) return own
  return [...allOf.map((part) => resolved(document, part)), own].reduce<Json>(
    (whole, part) => ({
      ...whole,
      ...part,
      ...(isObject(whole.properties) &&
        isObject(part.properties) && { properties: merged(whole.properties, part.properties) }),
      ...(isList(whole.required) && isList(part.required) && { required: [...whole.required, ...part.required] }),
    }),
    {},
  )
}

/** A property of both parts has the members of both. */
const merged = (whole: Json, part: Json): Json => ({
  ...whole,
  ...Object.fromEntries(
    Object.entries(part).map(([name, schema]) => [name, name in whole ? { allOf: [whole[name], schema] } : schema]),
  ),
})

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/**
 * The alternatives of a schema, each with the members beside them. A list of types becomes one alternative per type.
 */
function alternativesOf({ document, schema }: Side): Side[] {
  const { anyOf, oneOf, ...beside } = schema
  const alternatives = anyOf ?? oneOf
  if (isList(alternatives))
    return alternatives.flatMap((one) =>
      alternativesOf({ document, schema: resolved(document, { allOf: [beside, one] }) }),
    )
  const { type } = schema
  return isList(type) ? type.map((one) => ({ document, schema: ofType(schema, one) })) : [{ document, schema }]
}

/** `null` has no bounds, and an enumeration of another type does not contain it. */
function ofType(schema: Json, type: unknown): Json {
  const { enum: values, default: usual } = schema
  if (type === 'null') return { type, ...defined({ default: usual }) }
  return { ...schema, type, ...(isList(values) && { enum: values.filter((value) => value !== null) }) }
}

/** The types of a schema. Without any, the types of its enumerated values. */
function typesOf(schema: Json): readonly unknown[] {
  const { type } = schema
  if (type !== undefined) return isList(type) ? type : [type]
  return [...new Set(namedIn(schema)?.map(typeOfValue))]
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** The enumerated values of a schema. */
const namedIn = ({ enum: values, const: one }: Json): readonly unknown[] | undefined =>
  isList(values) ? values : one === undefined ? undefined : [one]

const LOWER = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum']
const UPPER = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum']
const FORMS = ['format', 'contentEncoding']
const EQUAL = [...FORMS, 'pattern', 'not', 'multipleOf', 'uniqueItems']

/**
 * Why a value that matches `from` may not match `into`, one sentence each.
 * @param at where in the request or answer
 */
export function mismatches(from: Side, into: Side, direction: Direction, at = ''): string[] {
  const [given, taken] = [alternativesOf(from), alternativesOf(into)]
  if (given.length === 1 && taken.length === 1 && given[0] && taken[0]) return ofOne(given[0], taken[0], direction, at)
  const known = direction === 'answer' ? given.filter((one) => !hasWordOfItsOwn(one, taken)) : given
  return known.some((one) => taken.every((other) => ofOne(one, other, direction, at).length > 0))
    ? [`${at || 'the whole'} has an alternative that is not among the others`]
    : []
}

/**
 * Whether a property identifies an alternative, by a value that no other alternative has. `Ours:` a client that reads
 * the value does not know it, like any other new value in an answer.
 */
const hasWordOfItsOwn = ({ schema }: Side, others: readonly Side[]): boolean =>
  Object.entries(propertiesOf(schema)).some(([name, property]) => {
    const word = isObject(property) ? property.const : undefined
    if (word === undefined || !requiredIn(schema).includes(name)) return false
    return others.every((other) => {
      const same = propertiesOf(other.schema)[name]
      return isObject(same) && same.const !== undefined && same.const !== word
    })
  })

function ofOne(from: Side, into: Side, direction: Direction, at: string): string[] {
  const [given, taken] = [from.schema, into.schema]
  const types = typesOf(taken)
  const fits = (type: unknown): boolean => types.includes(type) || (type === 'integer' && types.includes('number'))
  if (types.length > 0 && !(typesOf(given).length > 0 && typesOf(given).every(fits)))
    return [`${at || 'the whole'} is ${typesOf(given).join(' or ') || 'anything'}, not ${types.join(' or ')}`]
  return [
    ...(direction === 'request' ? ofValues(given, taken, at) : ofAnswered(given, taken, at)),
    ...ofProperties(from, into, direction, at),
    ...below(from, into, 'items', direction, `${at}/*`),
    ...below(from, into, 'additionalProperties', direction, `${at}/*`),
    ...below(from, into, 'propertyNames', direction, `a name in ${at}`, { type: 'string' }),
  ]
}

const changed = (names: readonly string[], given: Json, taken: Json, at: string): string[] =>
  names
    .filter((name) => taken[name] !== undefined && !isDeepStrictEqual(taken[name], given[name]))
    .map((name) => `${at} has another ${name}`)

/**
 * An answer may gain values (`Ours:` a client must expect unknown ones); its `const` and its formats must not change.
 */
function ofAnswered(given: Json, taken: Json, at: string): string[] {
  const values = namedIn(given)
  const isKept = taken.const === undefined || (values?.includes(taken.const) ?? true)
  return [...(isKept ? [] : [`${at} has another const`]), ...changed(FORMS, given, taken, at)]
}

/** Enumerations, bounds, and the default of an absent field. */
function ofValues(given: Json, taken: Json, at: string): string[] {
  const [values, allowed] = [namedIn(given), namedIn(taken)]
  const missing =
    allowed && (values ?? ['any value']).filter((value) => !allowed.some((one) => isDeepStrictEqual(one, value)))
  const bound = (name: string, breaks: (value: number, limit: number) => boolean): string[] => {
    const [value, limit] = [given[name], taken[name]]
    if (typeof limit !== 'number' || (typeof value === 'number' && !breaks(value, limit))) return []
    return [`${at} has ${name} ${limit}, not ${typeof value === 'number' ? value : 'none'}`]
  }
  return [
    ...(missing && missing.length > 0 ? [`${at} does not take ${missing.map(String).join(', ')}`] : []),
    ...LOWER.flatMap((name) => bound(name, (value, limit) => value < limit)),
    ...UPPER.flatMap((name) => bound(name, (value, limit) => value > limit)),
    ...changed(EQUAL, given, taken, at),
    ...changed(['default'], taken, given, at),
  ]
}

const propertiesOf = ({ properties }: Json): Json => (isObject(properties) ? properties : {})
const requiredIn = ({ required }: Json): readonly unknown[] => (isList(required) ? required : [])

function ofProperties(from: Side, into: Side, direction: Direction, at: string): string[] {
  const [given, taken] = [propertiesOf(from.schema), propertiesOf(into.schema)]
  const { additionalProperties: others } = into.schema
  const closes =
    direction === 'request' &&
    others === false &&
    typesOf(from.schema).includes('object') &&
    from.schema.additionalProperties !== false
  const absent = absentOf(from, into, direction)
  return [
    ...(closes ? [`${at} takes no further fields`] : []),
    ...absent.map((name) => `${at}/${name} may be absent`),
    ...(direction === 'answer' ? Object.keys(taken) : [])
      .filter((name) => !(name in given) && !absent.includes(name))
      .map((name) => `${at}/${name} is gone`),
    ...Object.keys(given).flatMap((name) => {
      const place = `${at}/${name}`
      const schema = taken[name] ?? (isMap(others) ? others : undefined)
      if (schema !== undefined) return mismatches(side(from, given[name]), side(into, schema), direction, place)
      return direction === 'request' ? [`${place} is not taken`] : []
    }),
  ]
}

/** Whether the schema of further fields is not empty. */
const isMap = (others: unknown): boolean => isObject(others) && Object.keys(others).length > 0

/** Fields that became required or optional. A request may omit a field that has a default. */
function absentOf(from: Side, into: Side, direction: Direction): string[] {
  const hasDefault = (name: string): boolean =>
    direction === 'request' && side(into, propertiesOf(into.schema)[name]).schema.default !== undefined
  const optional = requiredIn(into.schema).filter((name) => !requiredIn(from.schema).includes(name))
  return [...new Set(optional)].map(String).filter((name) => !hasDefault(name))
}

const side = ({ document }: Side, schema: unknown): Side => ({ document, schema: resolved(document, schema) })

/** @param unsaid meaning of an absent keyword */
function below(from: Side, into: Side, keyword: string, direction: Direction, at: string, unsaid: Json = {}): string[] {
  const [given = unsaid, taken] = [from.schema[keyword], into.schema[keyword]]
  return isObject(given) && isObject(taken) ? mismatches(side(from, given), side(into, taken), direction, at) : []
}
