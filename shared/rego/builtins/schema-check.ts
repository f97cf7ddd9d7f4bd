import { text as regoText } from '../text.ts'
import { RegoObject, isArray, isNumber } from '../value.ts'
import type { Value } from '../value.ts'
import { BuiltinError } from './builtin.ts'
import type { BuiltinContext } from './builtin.ts'
import { compileRegex } from './re2.ts'

/** Types that a schema can require, in the order in which messages list them. */
export const SCHEMA_TYPES = ['array', 'boolean', 'integer', 'number', 'null', 'object', 'string']

/** A name as shown in messages; in JSON names are strings. */
export const nameText = (name: Value): string => (typeof name === 'string' ? name : regoText(name))

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = ['additionalProperties', 'additionalItems', 'contains', 'propertyNames', 'not', 'if', 'then', 'else']
const LISTS = ['allOf', 'anyOf', 'oneOf']
const NAMED = ['properties', 'patternProperties', 'definitions', '$defs']
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']
const NUMBERS = ['minimum', 'maximum', 'multipleOf']

/**
 * Refuses anything but a JSON schema that `json.match_schema` supports, so that matching never meets one.
 * @param root the whole document, to which `$ref` is relative
 * @throws BuiltinError with the first fault
 */
export function checkSchema(schema: Value, root: Value, context: BuiltinContext, depth = 0): void {
  context.charge(10)
  if (depth > context.limits.documentDepth) context.exceed('a schema is nested too deeply')
  if (typeof schema === 'boolean') return
  if (!(schema instanceof RegoObject)) throw new BuiltinError('Invalid type. Expected: valid schema, given: a value')
  const inner = (value: Value): void => checkSchema(value, root, context, depth + 1)
  checkTypes(schema.get('type'))
  checkScalars(schema, root, context)
  for (const name of ONE) {
    const value = schema.get(name)
    if (value !== undefined) inner(value)
  }
  for (const name of LISTS) {
    const value = schema.get(name)
    if (value === undefined) continue
    if (!isArray(value) || value.length === 0) throw new BuiltinError(`${name} must be of type array`)
    value.forEach(inner)
  }
  for (const name of NAMED) {
    const value = schema.get(name)
    if (value === undefined) continue
    if (!(value instanceof RegoObject)) throw new BuiltinError(`${name} must be of type object`)
    for (const [key, one] of value.entries()) {
      if (name === 'patternProperties' && typeof key === 'string') compileRegex(key, context)
      inner(one)
    }
  }
  const items = schema.get('items')
  if (items !== undefined) (isArray(items) ? items : [items]).forEach(inner)
  checkDependencies(schema.get('dependencies'), inner)
}

function checkTypes(type: Value | undefined): void {
  if (type === undefined) return
  const names = isArray(type) ? type : [type]
  for (const name of names) {
    if (typeof name !== 'string') throw new BuiltinError('type must be of type string or array of strings')
    if (!SCHEMA_TYPES.includes(name))
      throw new BuiltinError(
        `has a primitive type that is NOT VALID -- given: /${name}/ Expected valid values are:[${SCHEMA_TYPES.join(' ')}]`,
      )
  }
  const [twice] = names.filter((name, index) => names.indexOf(name) !== index)
  if (typeof twice === 'string') throw new BuiltinError(`type items must be unique: ${twice}`)
}

function checkScalars(schema: RegoObject, root: Value, context: BuiltinContext): void {
  const must = (name: string, type: string, holds: (value: Value) => boolean): void => {
    const value = schema.get(name)
    if (value !== undefined && !holds(value)) throw new BuiltinError(`${name} must be of type ${type}`)
  }
  for (const name of ['title', 'description', 'format', 'pattern', '$ref'])
    must(name, 'string', (value) => typeof value === 'string')
  for (const name of COUNTS) must(name, 'integer', (value) => typeof value === 'number' && value >= 0)
  for (const name of NUMBERS) must(name, 'number', isNumber)
  for (const name of ['exclusiveMinimum', 'exclusiveMaximum'])
    must(name, 'number or boolean', (value) => isNumber(value) || typeof value === 'boolean')
  must('enum', 'array', isArray)
  must('uniqueItems', 'boolean', (value) => typeof value === 'boolean')
  must('required', 'array of strings', (value) => isArray(value) && value.every((one) => typeof one === 'string'))
  const pattern = schema.get('pattern')
  if (typeof pattern === 'string') compileRegex(pattern, context)
  const reference = schema.get('$ref')
  if (typeof reference === 'string') resolveReference(reference, root)
}

function checkDependencies(dependencies: Value | undefined, inner: (schema: Value) => void): void {
  if (dependencies === undefined) return
  if (!(dependencies instanceof RegoObject)) throw new BuiltinError('dependencies must be of type object')
  for (const [, needed] of dependencies.entries()) if (!isArray(needed)) inner(needed)
}

/**
 * The target of a reference within its own document. Ours: others are refused, because a policy has access to no
 * network and no file.
 */
export function resolveReference(reference: string, root: Value): Value {
  if (!reference.startsWith('#')) throw new BuiltinError('references to other documents are not allowed')
  let at: Value | undefined = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(step.replaceAll(/%(?![0-9a-fA-F]{2})/g, '%25'))
      .replaceAll('~1', '/')
      .replaceAll('~0', '~')
    at = at instanceof RegoObject ? at.get(key) : at !== undefined && isArray(at) ? at[Number(key)] : undefined
  }
  if (at === undefined) throw new BuiltinError(`Object has no key '${reference}'`)
  return at
}
