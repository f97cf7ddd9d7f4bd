/** The parts of a description's schema that a command line needs. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
  readonly enum?: readonly (string | number | null)[]
  readonly const?: string | number | boolean
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
  readonly writeOnly?: boolean
  readonly description?: string
  /** heading under which tables show this property */
  readonly 'x-keymgr-column'?: string
}

export type Schemas = Readonly<Record<string, Schema>>

/** The name at the end of a reference. */
export const lastOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** One schema for several that all apply. */
function joined(parts: readonly Schema[]): Schema {
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Schemas
  const required = [...new Set(parts.flatMap((part) => part.required ?? []))]
  return {
    ...(Object.assign({}, ...parts) as Schema),
    ...(Object.keys(properties).length > 0 && { properties, required }),
  }
}

/** A schema with its references and parts (`allOf`) resolved; members beside them take precedence. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, allOf, ...beside } = schema
  if ($ref === undefined && allOf === undefined) return schema
  const target = $ref === undefined ? {} : schemas[lastOf($ref)]
  if (target === undefined) throw new Error(`The description has no ${$ref ?? ''}`)
  const parts = [target, ...(allOf ?? [])].map((part) => resolved(part, schemas))
  return joined([...parts, beside])
}

const typesOf = ({ type }: Schema): readonly string[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type

/** The alternatives of a value, without `null`. */
function formsOf(schema: Schema, schemas: Schemas): { forms: Schema[]; nullable: boolean } {
  const whole = resolved(schema, schemas)
  const { anyOf, oneOf, ...rest } = whole
  const inner = [...(anyOf ?? []), ...(oneOf ?? [])].map((each) => formsOf(each, schemas))
  const types = typesOf(whole)
  if (inner.length === 0) {
    const shown = types.filter((type) => type !== 'null')
    const isNull = types.length > 0 && shown.length === 0
    const form = types.length === 0 ? whole : { ...whole, type: shown }
    return { forms: isNull ? [] : [form], nullable: types.includes('null') }
  }
  const forms = inner.flatMap((each) => each.forms).map((form) => ({ ...rest, ...form }))
  return { forms, nullable: inner.some(({ nullable }) => nullable) }
}

const everyRequires = (forms: readonly Schema[]): string[] =>
  (forms[0]?.required ?? []).filter((name) => forms.every(({ required }) => required?.includes(name)))

const choicesOf = ({ enum: several, const: one }: Schema) =>
  several ?? (one === undefined || typeof one === 'boolean' ? undefined : [one])

/** One schema for alternatives of one kind: objects have the properties of all, and require what all require. */
function joinedForms(forms: readonly Schema[], about: Schema): Schema {
  const [first] = forms
  if (first === undefined || forms.length === 1) return { ...first, ...about }
  const choices = forms.map(choicesOf)
  const properties = Object.assign({}, ...forms.map((form) => form.properties ?? {})) as Schemas
  return {
    ...about,
    type: [...new Set(forms.flatMap(typesOf))],
    ...(Object.keys(properties).length > 0 && { properties, required: everyRequires(forms) }),
    ...(choices.every((each) => each !== undefined) && { enum: choices.flat() }),
    ...(forms.find(({ items }) => items !== undefined) && { items: forms.find(({ items }) => items)?.items ?? {} }),
  }
}

export interface Flat extends Schema {
  readonly types: readonly string[]
  readonly nullable: boolean
}

/** A schema without references, alternatives and `null`, reduced to what one option can express. */
export function flat(schema: Schema, schemas: Schemas): Flat {
  const whole = resolved(schema, schemas)
  const { forms, nullable } = formsOf(whole, schemas)
  const one = joinedForms(forms, whole.description === undefined ? {} : { description: whole.description })
  const choices = choicesOf(one)
  return { ...one, ...(choices && { enum: choices }), types: typesOf(one), nullable }
}
