/** Fields of a form as data: what they are called, what they take, and where their value stands in the body of a call. */
export interface Choice {
  readonly value: string
  readonly label?: string
}

export const choicesOf = (...values: readonly string[]): readonly Choice[] => values.map((value) => ({ value }))

export interface FieldRow {
  /** a JSON pointer without `#/`, such as `cloud_a_param/Alias`: faults of the service point there */
  readonly name: string
  readonly label: string
  /** `lines` is a list with an item on each line; `secret` is never shown, not even in the call */
  readonly kind?: 'text' | 'area' | 'number' | 'flag' | 'day' | 'lines' | 'json' | 'secret'
  readonly isRequired?: boolean
  readonly hint?: string
  readonly pattern?: string
  readonly min?: number
  readonly max?: number
  readonly initial?: string
  /** choices, which may depend on other fields */
  readonly choices?: readonly Choice[] | ((values: Values) => Promise<readonly Choice[]>)
  /** the fields that `choices` looks at */
  readonly dependsOn?: readonly string[]
  /** whether it is asked for at all */
  readonly when?: (values: Values) => boolean
}

/** What the API description says of a field. */
interface FieldFacts {
  readonly kind?: NonNullable<FieldRow['kind']>
  readonly isRequired?: boolean
  /** the values that it takes, or that each item of a list has */
  readonly words?: readonly string[]
}

const fromFacts = ({ words, ...facts }: FieldFacts): Partial<FieldRow> => ({
  ...facts,
  ...(words !== undefined && facts.kind !== 'lines' && { choices: choicesOf(...words) }),
})

/** Fields with what the description says of them: their kinds and choices, and whether they are required. */
export const described = (
  facts: Readonly<Record<string, FieldFacts>>,
  rows: readonly FieldRow[],
): readonly FieldRow[] => rows.map((row) => ({ ...fromFacts(facts[row.name] ?? {}), ...row }))

/** Values of the fields, by name. Flags hold `true` or nothing. */
export type Values = Readonly<Record<string, string>>

export const initialOf = (fields: readonly FieldRow[]): Values =>
  Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial]))

export const shownOf = (fields: readonly FieldRow[], values: Values): readonly FieldRow[] =>
  fields.filter(({ when }) => when?.(values) ?? true)

/** In calls that are shown, a secret is the name of a variable of the shell. */
export const secretName = ({ name }: FieldRow): string => `$${name.replace(/\W+/g, '_').toUpperCase()}`

function valueOf(field: FieldRow, text: string): unknown {
  switch (field.kind) {
    case 'number':
      return Number(text)
    case 'flag':
      return true
    case 'day':
      return new Date(`${text}T00:00:00Z`).toISOString()
    case 'lines':
      return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
    case 'json':
      return jsonOr(text)
    default:
      return text
  }
}

/** A value that is no JSON is sent as text, and the service refuses it with its reason. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Tree = Record<string, unknown>

const isIndex = (name: string | undefined): boolean => /^\d+$/.test(name ?? '')

/** Sets what a pointer leads to; what is on the way there is made. */
export function place(body: Tree, [head = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) body[head] = value
  else place((body[head] ??= isIndex(rest[0]) ? [] : {}) as Tree, rest, value)
}

/** The body that a form stands for. Empty fields are left out. @param reveal whether secrets are in it */
export function bodyOf(fields: readonly FieldRow[], values: Values, { reveal }: { readonly reveal: boolean }): Tree {
  const body: Tree = {}
  for (const field of shownOf(fields, values)) {
    const text = values[field.name] ?? ''
    if (text === '') continue
    const isHidden = field.kind === 'secret' && !reveal
    place(body, field.name.split('/'), isHidden ? secretName(field) : valueOf(field, text))
  }
  return body
}
