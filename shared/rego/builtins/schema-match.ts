import { toInteger } from '../number.ts'
import { RegoObject, RegoSet, equal, isArray, isNumber, typeName } from '../value.ts'
import type { Value } from '../value.ts'
import type { BuiltinContext } from './builtin.ts'
import { writeJson } from './json-write.ts'
import { compileRegex } from './re2.ts'
import { nameText, resolveReference } from './schema-check.ts'
import { countOf, numberFaults, stringFaults } from './schema-scalars.ts'
import type { SchemaFault } from './schema-scalars.ts'

/**
 * The faults of a document according to a schema that `checkSchema` accepted: types, bounds, patterns, members, items
 * and the combinations of schemas of drafts 4 to 7. Ours: `format` has no effect, which all drafts permit.
 */
export function matchSchema(document: Value, schema: Value, context: BuiltinContext): SchemaFault[] {
  return new Matching(schema, context).faults(document, schema, '(root)', 0)
}

const typeOf = (value: Value): string =>
  isNumber(value) ? (toInteger(value) === undefined ? 'number' : 'integer') : typeName(value)

const below = (field: string, step: string | number): string => (field === '(root)' ? String(step) : `${field}.${step}`)

class Matching {
  private readonly root: Value
  private readonly context: BuiltinContext

  constructor(root: Value, context: BuiltinContext) {
    this.root = root
    this.context = context
  }

  faults(value: Value, schema: Value, field: string, depth: number): SchemaFault[] {
    this.context.charge(5)
    if (depth > this.context.limits.callDepth) return this.context.exceed('a schema leads too deep')
    if (schema === false) return [{ field, type: 'false', desc: 'False always fails validation' }]
    if (!(schema instanceof RegoObject)) return []
    const reference = schema.get('$ref')
    if (typeof reference === 'string')
      return this.faults(value, resolveReference(reference, this.root), field, depth + 1)
    const wrongType = typeFault(value, schema.get('type'), field)
    if (wrongType !== undefined) return [wrongType]
    const found = [
      ...this.combined(value, schema, field, depth + 1),
      ...(isArray(value) ? this.array(value, schema, field, depth + 1) : []),
      ...(value instanceof RegoObject ? this.object(value, schema, field, depth + 1) : []),
      ...this.scalar(value, schema, field),
      ...this.chosen(value, schema, field),
    ]
    this.context.allocate(found.length * 4)
    return found
  }

  private fits(value: Value, schema: Value, depth: number): boolean {
    return this.faults(value, schema, '(root)', depth).length === 0
  }

  private combined(value: Value, schema: RegoObject, field: string, depth: number): SchemaFault[] {
    const list = (name: string): readonly Value[] | undefined => {
      const schemas = schema.get(name)
      return schemas !== undefined && isArray(schemas) ? schemas : undefined
    }
    const found: SchemaFault[] = []
    const add = (type: string, desc: string): void => void found.push({ field, type, desc })
    const any = list('anyOf')
    if (any !== undefined && !any.some((one) => this.fits(value, one, depth)))
      add('number_any_of', 'Must validate at least one schema (anyOf)')
    const one = list('oneOf')
    if (one !== undefined && one.filter((each) => this.fits(value, each, depth)).length !== 1)
      add('number_one_of', 'Must validate one and only one schema (oneOf)')
    const all = (list('allOf') ?? []).flatMap((each) => this.faults(value, each, field, depth))
    found.push(...all)
    if (all.length > 0) add('number_all_of', 'Must validate all the schemas (allOf)')
    const not = schema.get('not')
    if (not !== undefined && this.fits(value, not, depth)) add('number_not', 'Must not validate the schema (not)')
    const condition = schema.get('if')
    if (condition !== undefined) {
      const branch = this.fits(value, condition, depth) ? 'then' : 'else'
      const required = schema.get(branch)
      if (required !== undefined && !this.fits(value, required, depth))
        add(`condition_${branch}`, `Must validate "${branch}" as "if" was ${branch === 'then' ? 'valid' : 'not valid'}`)
    }
    return found
  }

  private array(value: readonly Value[], schema: RegoObject, field: string, depth: number): SchemaFault[] {
    const items = schema.get('items')
    const [ahead, rest] = items !== undefined && isArray(items) ? [items, schema.get('additionalItems')] : [[], items]
    const found = value.flatMap((element, index) => {
      const each = ahead[index] ?? rest
      if (ahead.length > 0 && index >= ahead.length && each === false) return []
      return each === undefined ? [] : this.faults(element, each, below(field, index), depth)
    })
    const add = (type: string, desc: string): void => void found.push({ field, type, desc })
    if (ahead.length > 0 && rest === false && value.length > ahead.length)
      add('array_no_additional_items', 'No additional items allowed on array')
    const [least, most] = [countOf(schema, 'minItems'), countOf(schema, 'maxItems')]
    if (least !== undefined && value.length < least) add('array_min_items', `Array must have at least ${least} items`)
    if (most !== undefined && value.length > most) add('array_max_items', `Array must have at most ${most} items`)
    if (schema.get('uniqueItems') === true) {
      this.context.charge(value.length)
      const seen = new RegoSet()
      const twice = value.findIndex((element) => !isNew(seen, element))
      if (twice >= 0) {
        const first = value.findIndex((element) => equal(element, value[twice] ?? null))
        add('unique', `array items[${first},${twice}] must be unique`)
      }
    }
    const contains = schema.get('contains')
    if (contains !== undefined && !value.some((element) => this.fits(element, contains, depth)))
      add('contains', 'At least one of the items must match')
    return found
  }

  private object(value: RegoObject, schema: RegoObject, field: string, depth: number): SchemaFault[] {
    const found: SchemaFault[] = []
    const add = (type: string, desc: string): void => void found.push({ field, type, desc })
    const [least, most] = [countOf(schema, 'minProperties'), countOf(schema, 'maxProperties')]
    if (least !== undefined && value.size < least) add('array_min_properties', `Must have at least ${least} properties`)
    if (most !== undefined && value.size > most) add('array_max_properties', `Must have at most ${most} properties`)
    const required = schema.get('required')
    for (const name of required !== undefined && isArray(required) ? required : [])
      if (!value.has(name)) add('required', `${nameText(name)} is required`)
    const names = schema.get('propertyNames')
    for (const name of names === undefined ? [] : value.keys)
      if (names !== undefined && !this.fits(name, names, depth))
        add('invalid_property_name', `Property name of "${nameText(name)}" does not match`)
    this.dependencies(value, schema.get('dependencies'), add, found, field, depth)
    for (const [key, member] of value.entries()) this.member(nameText(key), member, schema, field, depth, found)
    return found
  }

  private dependencies(
    value: RegoObject,
    dependencies: Value | undefined,
    add: (type: string, desc: string) => void,
    found: SchemaFault[],
    field: string,
    depth: number,
  ): void {
    if (!(dependencies instanceof RegoObject)) return
    for (const [name, needed] of dependencies.entries()) {
      if (!value.has(name)) continue
      if (!isArray(needed)) found.push(...this.faults(value, needed, field, depth))
      else
        for (const other of needed)
          if (!value.has(other)) add('missing_dependency', `Has a dependency on ${nameText(other)}`)
    }
  }

  private member(
    name: string,
    member: Value,
    schema: RegoObject,
    field: string,
    depth: number,
    found: SchemaFault[],
  ): void {
    const [properties, patterns, others] = ['properties', 'patternProperties', 'additionalProperties'].map((keyword) =>
      schema.get(keyword),
    )
    const own = properties instanceof RegoObject ? properties.get(name) : undefined
    const matching =
      patterns instanceof RegoObject
        ? Array.from(patterns.entries()).filter(([pattern]) =>
            compileRegex(nameText(pattern), this.context).test(name, this.context),
          )
        : []
    const schemas = [...(own === undefined ? [] : [own]), ...matching.map(([, each]) => each)]
    for (const each of schemas) found.push(...this.faults(member, each, below(field, name), depth))
    if (schemas.length > 0 || others === undefined) return
    if (others !== false) found.push(...this.faults(member, others, below(field, name), depth))
    else
      found.push({ field, type: 'additional_property_not_allowed', desc: `Additional property ${name} is not allowed` })
  }

  private scalar(value: Value, schema: RegoObject, field: string): SchemaFault[] {
    if (typeof value === 'string') return stringFaults(value, schema, field, this.context)
    return isNumber(value) ? numberFaults(value, schema, field, this.context) : []
  }

  private chosen(value: Value, schema: RegoObject, field: string): SchemaFault[] {
    const found: SchemaFault[] = []
    const constant = schema.get('const')
    if (constant !== undefined && !equal(value, constant))
      found.push({ field, type: 'const', desc: `${field} does not match: ${writeJson(constant, this.context)}` })
    const choices = schema.get('enum')
    if (choices === undefined || !isArray(choices)) return found
    this.context.charge(choices.length)
    if (!choices.some((choice) => equal(value, choice)))
      found.push({
        field,
        type: 'enum',
        desc: `${field} must be one of the following: ${choices.map((choice) => writeJson(choice, this.context)).join(', ')}`,
      })
    return found
  }
}

/** Adds an element. @returns whether it is new */
function isNew(seen: RegoSet, element: Value): boolean {
  const before = seen.size
  seen.add(element)
  return seen.size > before
}

function typeFault(value: Value, type: Value | undefined, field: string): SchemaFault | undefined {
  if (type === undefined) return undefined
  const wanted = isArray(type) ? type : [type]
  const given = typeOf(value)
  if (wanted.includes(given) || (given === 'integer' && wanted.includes('number'))) return undefined
  return {
    field,
    type: 'invalid_type',
    desc: `Invalid type. Expected: ${wanted.map(nameText).join(', ')}, given: ${given}`,
  }
}
