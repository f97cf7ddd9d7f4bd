import type { ClearableRow, OptionRow, ValueType } from '../command.ts'
import { isSecretField } from '../secret-fields.ts'
import { flat, type Flat, type Schema, type Schemas } from './schema.ts'
import { kebab } from './words.ts'

const SCALARS: readonly string[] = ['string', 'integer', 'number', 'boolean']

/** The kind of a schema's values. Values of several kinds are given as JSON; a text that is not JSON is a string. */
function typeOf({ types }: Flat): ValueType {
  const [type, second] = types
  if (type === undefined || !SCALARS.includes(type)) return 'json'
  if (second === undefined) return type as ValueType
  return types.every((each) => each === 'integer' || each === 'number') ? 'number' : 'json'
}

const optionOf = (path: readonly string[]): string => path.map(kebab).join('.')

const enumOf = ({ enum: choices }: Schema) => choices?.filter((choice) => choice !== null)

const membersOf = (properties: Schemas, schemas: Schemas): Record<string, ValueType> =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, typeOf(flat(field, schemas))]))

/** Whether it is an object with members of any name. */
const isMap = ({ types, additionalProperties, properties }: Flat): boolean =>
  types.join() === 'object' && typeof additionalProperties === 'object' && properties === undefined

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** The limits of a number, unless they are those of every integer, and the default of a single value. */
function limitsOf({ minimum, maximum, default: usual }: Flat): Pick<OptionRow, 'least' | 'most' | 'usual'> {
  const isOwn = (limit: number | undefined): limit is number =>
    limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER
  return {
    ...(isOwn(minimum) && { least: minimum }),
    ...(isOwn(maximum) && { most: maximum }),
    ...(isScalar(usual) && { usual: String(usual) }),
  }
}

/** Form of an option's value: one value, a list of them, or members of a map. */
function valueOf(
  schema: Flat,
  schemas: Schemas,
): Pick<OptionRow, 'type' | 'many' | 'enum' | 'time' | 'members' | 'least' | 'most' | 'usual'> {
  const { additionalProperties: members, items } = schema
  if (schema.types.includes('array') && items !== undefined) {
    const item = flat(items, schemas)
    const choices = enumOf(item)
    const members = item.properties && membersOf(item.properties, schemas)
    return { type: typeOf(item), many: 'list', ...(choices && { enum: choices }), ...(members && { members }) }
  }
  if (isMap(schema) && typeof members === 'object') return { type: typeOf(flat(members, schemas)), many: 'map' }
  const choices = enumOf(schema)
  const isTime = schema.format === 'date-time'
  return {
    type: typeOf(schema),
    ...limitsOf(schema),
    ...(choices && { enum: choices }),
    ...(isTime && { time: true as const }),
  }
}

/** An option, marked where its values are ids of records. */
export type FieldRow = OptionRow & { readonly isId?: true }

const isId = (schema: Flat, schemas: Schemas): boolean =>
  schema.format === 'uuid' || (schema.items !== undefined && flat(schema.items, schemas).format === 'uuid')

interface Place {
  readonly path: readonly string[]
  readonly required: OptionRow['required']
}

const isSecret = (name: string, schema: Flat): boolean =>
  schema.types.join() !== 'boolean' && isSecretField(name, schema)

function leaf(schema: Flat, { path, required }: Place, schemas: Schemas): FieldRow {
  const name = path.at(-1) ?? ''
  const { description: about } = schema
  return {
    option: optionOf(path),
    in: 'body',
    path,
    ...valueOf(schema, schemas),
    ...(required && schema.default === undefined && { required }),
    ...(isSecret(name, schema) && { secret: true as const }),
    ...(schema.format === 'base64' && { bytes: true as const }),
    ...(isId(schema, schemas) && { isId: true as const }),
    ...(about !== undefined && { about }),
  }
}

/** Whether a field is always required, or only with its object. */
const requiredIn = (parent: Schema, name: string, above: Place): OptionRow['required'] => {
  if (parent.required?.includes(name) !== true) return undefined
  return above.path.length === 0 || above.required === 'always' ? 'always' : 'with-object'
}

const MAX_DEPTH = 5

/** Options of the fields of a body, with dots in the names of nested fields. */
export function bodyOptions(
  schema: Schema,
  schemas: Schemas,
  place: Place = { path: [], required: 'always' },
): FieldRow[] {
  const whole = flat(schema, schemas)
  const { properties } = whole
  if (properties === undefined || place.path.length >= MAX_DEPTH)
    return place.path.length === 0 ? [] : [leaf(whole, place, schemas)]
  return Object.entries(properties).flatMap(([name, field]) =>
    bodyOptions(field, schemas, { path: [...place.path, name], required: requiredIn(whole, name, place) }),
  )
}

/** Fields of a body that accept null: objects and their fields, and members of maps. */
export function clearableFields(schema: Schema, schemas: Schemas, path: readonly string[] = []): ClearableRow[] {
  const whole = flat(schema, schemas)
  const { nullable, properties = {}, additionalProperties: members } = whole
  const rowOf = (names: readonly string[]): ClearableRow => ({ option: optionOf(names), path: names })
  const inner = path.length < MAX_DEPTH ? Object.entries(properties) : []
  return [
    ...(nullable && path.length > 0 ? [rowOf(path)] : []),
    ...(isMap(whole) && typeof members === 'object' && flat(members, schemas).nullable ? [rowOf([...path, '*'])] : []),
    ...inner.flatMap(([name, field]) => clearableFields(field, schemas, [...path, name])),
  ]
}

/** The option of a parameter of the query. */
export function queryOption(
  name: string,
  schema: Schema,
  more: { readonly required?: boolean | undefined; readonly description?: string | undefined },
  schemas: Schemas,
): FieldRow {
  const whole = flat(schema, schemas)
  const about = more.description ?? whole.description
  return {
    option: kebab(name),
    in: 'query',
    path: [name],
    ...valueOf(whole, schemas),
    ...(more.required && { required: 'always' as const }),
    ...(isId(whole, schemas) && { isId: true as const }),
    ...(about !== undefined && { about }),
  }
}
