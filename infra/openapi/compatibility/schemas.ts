import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../shared/base/json.ts'
import type { Json } from '../schemas.ts'

/** Which way values go: a request has what a caller knows, an answer what the service knows. */
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

/** A schema or parameter with what it refers to in its place, and with the members of all its parts. */
export function resolved(document: Json, given: unknown): Json {
  if (!isObject(given)) return {}
  if (typeof given.$ref === 'string') return resolved(document, pointedAt(document, given.$ref))
  if (!Array.isArray(given.allOf)) return given
  const { allOf, ...own } = given
  return [...allOf.map((part: unknown) => resolved(document, part)), own].reduce<Json>(
    (whole, part) => ({
      ...whole,
      ...part,
      ...merged('properties', whole, part),
      ...(isList(whole.required) && isList(part.required) && { required: [...whole.required, ...part.required] }),
    }),
    {},
  )
}

const merged = (member: string, whole: Json, part: Json): Json =>
  isObject(whole[member]) && isObject(part[member]) ? { [member]: { ...whole[member], ...part[member] } } : {}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Alternatives of a schema, each with the members that stand beside them. */
const alternativesOf = ({ document, schema }: Side): Side[] => {
  const { anyOf, oneOf, ...beside } = schema
  const alternatives = anyOf ?? oneOf
  return isList(alternatives)
    ? alternatives.flatMap((one) => alternativesOf({ document, schema: { ...beside, ...resolved(document, one) } }))
    : [{ document, schema }]
}

const typesOf = ({ type }: Json): readonly unknown[] => (type === undefined ? [] : isList(type) ? type : [type])

/** Values a schema names one by one. */
const namedIn = ({ enum: values, const: one }: Json): readonly unknown[] | undefined =>
  isList(values) ? values : one === undefined ? undefined : [one]

const LOWER = ['minLength', 'minItems', 'minimum']
const UPPER = ['maxLength', 'maxItems', 'maximum']
const EQUAL = ['pattern', 'format', 'not']

/**
 * Why a value that `from` describes may not be one that `into` does, a sentence each.
 * @param at where in the request or answer
 */
export function mismatches(from: Side, into: Side, direction: Direction, at = ''): string[] {
  const [given, taken] = [alternativesOf(from), alternativesOf(into)]
  if (given.length === 1 && taken.length === 1 && given[0] && taken[0]) return ofOne(given[0], taken[0], direction, at)
  return given.some((one) => taken.every((other) => ofOne(one, other, direction, at).length > 0))
    ? [`${at || 'the whole'} has an alternative that is not among the others`]
    : []
}

function ofOne(from: Side, into: Side, direction: Direction, at: string): string[] {
  const [given, taken] = [from.schema, into.schema]
  const types = typesOf(taken)
  const fits = (type: unknown): boolean => types.includes(type) || (type === 'integer' && types.includes('number'))
  if (types.length > 0 && !(typesOf(given).length > 0 && typesOf(given).every(fits)))
    return [`${at || 'the whole'} is ${typesOf(given).join(' or ') || 'anything'}, not ${types.join(' or ')}`]
  return [
    ...ofValues(given, taken, direction, at),
    ...ofProperties(from, into, direction, at),
    ...below(from, into, 'items', direction, `${at}/*`),
    ...below(from, into, 'additionalProperties', direction, `${at}/*`),
  ]
}

/** Enumerations and bounds. The values of an answer may become more (`Ours:` a client has to expect words it does not know). */
function ofValues(given: Json, taken: Json, direction: Direction, at: string): string[] {
  if (direction === 'answer') return []
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
    ...EQUAL.filter((name) => taken[name] !== undefined && !isDeepStrictEqual(taken[name], given[name])).map(
      (name) => `${at} has another ${name}`,
    ),
  ]
}

const propertiesOf = ({ properties }: Json): Json => (isObject(properties) ? properties : {})
const requiredIn = ({ required }: Json): readonly unknown[] => (isList(required) ? required : [])

function ofProperties(from: Side, into: Side, direction: Direction, at: string): string[] {
  const [given, taken] = [propertiesOf(from.schema), propertiesOf(into.schema)]
  const isOpen = direction === 'answer' || into.schema.additionalProperties !== false
  const closes = !isOpen && typesOf(from.schema).includes('object') && from.schema.additionalProperties !== false
  const unknown = Object.keys(given).filter((name) => !(name in taken) && !isOpen)
  const absent = requiredIn(into.schema).filter((name) => !requiredIn(from.schema).includes(name))
  return [
    ...(closes ? [`${at} takes no further fields`] : []),
    ...unknown.map((name) => `${at}/${name} is not taken`),
    ...absent.map((name) => `${at}/${String(name)} may be absent`),
    ...Object.keys(given)
      .filter((name) => name in taken)
      .flatMap((name) => mismatches(side(from, given[name]), side(into, taken[name]), direction, `${at}/${name}`)),
  ]
}

const side = ({ document }: Side, schema: unknown): Side => ({ document, schema: resolved(document, schema) })

function below(from: Side, into: Side, keyword: string, direction: Direction, at: string): string[] {
  const [given, taken] = [from.schema[keyword], into.schema[keyword]]
  return isObject(given) && isObject(taken) ? mismatches(side(from, given), side(into, taken), direction, at) : []
}
