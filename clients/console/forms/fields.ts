import { ShellVariable } from './shell-variable.ts'

/** Fields of a form as data: their labels, their kinds, and the place of their value in the body of a call. */
export interface Choice {
  readonly value: string
  readonly label?: string
}

export const choicesOf = (...values: readonly string[]): readonly Choice[] => values.map((value) => ({ value }))

export interface FieldRow {
  /** a JSON pointer without `#/`, such as `cloud_a_param/Alias`; the service's errors have the same pointers */
  readonly name: string
  readonly label: string
  /**
   * `lines` is a list with one item per line; `secret` is never shown, not even in the call; `file` is a secret of
   * several lines, which can be read from a file; `request` is a request for a certificate of the field `name`
   */
  readonly kind?: 'text' | 'area' | 'number' | 'flag' | 'day' | 'lines' | 'json' | 'secret' | 'file' | 'request'
  readonly isRequired?: boolean
  readonly hint?: string
  readonly pattern?: string
  readonly min?: number
  readonly max?: number
  readonly initial?: string
  /** a flag whose default in the service is true: a cleared box is sent as `false` */
  readonly isOnByDefault?: boolean
  /** choices, which may depend on other fields */
  readonly choices?: readonly Choice[] | ((values: Values) => Promise<readonly Choice[]>)
  /** the fields on which `choices` depend */
  readonly dependsOn?: readonly string[]
  /** whether the field is shown */
  readonly when?: (values: Values) => boolean
}

/** Facts about a field from the API description. */
interface FieldFacts {
  readonly kind?: NonNullable<FieldRow['kind']>
  readonly isRequired?: boolean
  readonly isOnByDefault?: boolean
  /** the allowed values of the field, or of each item of a list */
  readonly words?: readonly string[]
}

const fromFacts = ({ words, ...facts }: FieldFacts): Partial<FieldRow> => ({
  ...facts,
  ...(facts.isOnByDefault === true && { initial: 'true' }),
  ...(words !== undefined && facts.kind !== 'lines' && { choices: choicesOf(...words) }),
})

/** Fields with the facts from the description: their kinds and choices, and whether they are required. */
export const described = (
  facts: Readonly<Record<string, FieldFacts>>,
  rows: readonly FieldRow[],
): readonly FieldRow[] => rows.map((row) => ({ ...fromFacts(facts[row.name] ?? {}), ...row }))

/** Values of the fields, by name. Flags are `true` or empty. */
export type Values = Readonly<Record<string, string>>

export const initialOf = (fields: readonly FieldRow[]): Values =>
  Object.fromEntries(fields.map(({ name, initial = '' }) => [name, initial]))

export const shownOf = (fields: readonly FieldRow[], values: Values): readonly FieldRow[] =>
  fields.filter(({ when }) => when?.(values) ?? true)

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

/** A value that is not JSON is sent as text, and the service refuses it with a reason. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Tree = Record<string, unknown>

const isIndex = (name: string | undefined): boolean => /^\d+$/.test(name ?? '')

/** Sets the value at a pointer; missing objects on the way are created. */
export function place(body: Tree, [head = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) body[head] = value
  else place((body[head] ??= isIndex(rest[0]) ? [] : {}) as Tree, rest, value)
}

/** Whether the value of a field is never shown. */
export const isSecret = ({ kind }: FieldRow): boolean => kind === 'secret' || kind === 'file'

/** The body of a form. Empty fields are omitted, except flags that are on by default. @param reveal whether it contains secrets */
export function bodyOf(fields: readonly FieldRow[], values: Values, { reveal }: { readonly reveal: boolean }): Tree {
  const body: Tree = {}
  for (const field of shownOf(fields, values)) {
    const text = values[field.name] ?? ''
    if (text === '') {
      if (field.isOnByDefault === true) place(body, field.name.split('/'), false)
      continue
    }
    place(
      body,
      field.name.split('/'),
      isSecret(field) && !reveal ? new ShellVariable(field.name) : valueOf(field, text),
    )
  }
  return body
}
