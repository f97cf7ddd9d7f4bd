import { text as asText } from '../text.ts'
import { isArray, isNumber, RegoObject } from '../value.ts'
import type { Value } from '../value.ts'

/** A member that annotations cannot have; the message is the end of a sentence. */
export class FieldError extends Error {
  override readonly name = 'FieldError'
}

/** The annotations of one block, as policies see them. `members` contains all but the scope. */
export interface Fields {
  readonly scope: string
  readonly entrypoint: boolean
  readonly members: readonly (readonly [string, Value])[]
}

/**
 * Members that are absent or empty are omitted, unknown members are ignored, as in the reference. @throws FieldError
 */
export function readFields(value: Value): Fields {
  if (value !== null && !(value instanceof RegoObject)) throw new FieldError('annotations must be a YAML mapping')
  const given = value ?? RegoObject.EMPTY
  const entrypoint = given.get('entrypoint') ?? false
  if (typeof entrypoint !== 'boolean') throw new FieldError('entrypoint must be a boolean')
  const members: (readonly [string, Value])[] = [
    ['title', textOf(given, 'title')],
    ['description', textOf(given, 'description')],
    ['organizations', listOf(given, 'organizations').map((each) => scalarText(each, 'organizations'))],
    ['related_resources', listOf(given, 'related_resources').map(resourceOf)],
    ['authors', listOf(given, 'authors').map(authorOf)],
    ['schemas', listOf(given, 'schemas').map(schemaOf)],
    ['custom', customOf(given)],
  ]
  return {
    scope: textOf(given, 'scope'),
    entrypoint,
    members: [
      ...members.filter(([, member]) => !isEmpty(member)),
      ...(entrypoint ? ([['entrypoint', true]] as const) : []),
    ],
  }
}

const isEmpty = (value: Value): boolean =>
  value === '' || (isArray(value) && value.length === 0) || (value instanceof RegoObject && value.size === 0)

/** YAML's plain scalars are texts where a text is wanted. */
function scalarText(value: Value, name: string): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (typeof value === 'boolean' || isNumber(value)) return asText(value)
  throw new FieldError(`${name} must be text`)
}

const textOf = (object: RegoObject, name: string): string => scalarText(object.get(name) ?? null, name)

function listOf(object: RegoObject, name: string): readonly Value[] {
  const value = object.get(name) ?? null
  if (value === null) return []
  if (isArray(value)) return value
  throw new FieldError(`${name} must be a list`)
}

function customOf(given: RegoObject): Value {
  const custom = given.get('custom') ?? null
  if (custom === null) return RegoObject.EMPTY
  if (custom instanceof RegoObject) return custom
  throw new FieldError('custom must be a mapping')
}

const present = (members: readonly (readonly [string, string])[]): RegoObject =>
  RegoObject.from(members.filter(([, value]) => value !== ''))

/** `ref` alone, or a mapping with `ref` and `description`. */
function resourceOf(value: Value): Value {
  const isMapping = value instanceof RegoObject
  if (!isMapping && typeof value !== 'string')
    throw new FieldError('invalid related-resource definition: invalid value type, must be string or map')
  const ref = isMapping ? textOf(value, 'ref') : value
  if (ref.trim() === '') throw new FieldError('invalid related-resource definition: ref URL may not be empty string')
  return present([
    ['ref', ref.trim()],
    ['description', isMapping ? textOf(value, 'description') : ''],
  ])
}

/** `Name <mail>`, or a mapping with `name` and `email`. */
function authorOf(value: Value): Value {
  if (value instanceof RegoObject) {
    const [name, email] = [textOf(value, 'name').trim(), textOf(value, 'email').trim()]
    if (name === '' && email === '')
      throw new FieldError(`invalid author definition: 'name' and/or 'email' values required in object`)
    return present([
      ['name', name],
      ['email', email],
    ])
  }
  if (typeof value !== 'string')
    throw new FieldError('invalid author definition: invalid value type, must be string or map')
  const words = value.split(/\s+/).filter((word) => word !== '')
  const email = /^<(.*)>$/.exec(words.at(-1) ?? '')?.[1]
  const name = (email === undefined ? words : words.slice(0, -1)).join(' ')
  if (words.length === 0) throw new FieldError('invalid author definition: author is an empty string')
  return present([
    ['name', name],
    ['email', email ?? ''],
  ])
}

const REFERENCE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\["[^"\\]*"\])*$/

/** `input.x: schema.x`, or a schema instead of the reference to one. */
function schemaOf(value: Value): Value {
  const [pair] = value instanceof RegoObject ? value.entries() : []
  if (pair === undefined) throw new FieldError('schemas must be a list of mappings')
  const path = pathOf(pair[0])
  if (path === undefined) throw new FieldError('invalid document reference')
  const schema = pair[1]
  if (schema instanceof RegoObject)
    return RegoObject.from([
      ['path', path],
      ['definition', schema],
    ])
  const reference = pathOf(schema)
  if (reference?.[0] !== 'schema') throw new FieldError('invalid schema reference')
  return RegoObject.from([
    ['path', path],
    ['schema', reference],
  ])
}

function pathOf(value: Value): string[] | undefined {
  if (typeof value !== 'string' || !REFERENCE.test(value)) return undefined
  return [...value.matchAll(/([A-Za-z_]\w*)|\["([^"\\]*)"\]/g)].map(([, name, key]) => name ?? key ?? '')
}
