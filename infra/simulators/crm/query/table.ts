import type { Permission } from '../login/directory.ts'
import type { Call } from '../wire/call.ts'
import { ApiError } from '../wire/errors.ts'

/** An object of the platform with its records. */
interface TableOf<Item> {
  readonly name: string
  readonly apis: readonly ('data' | 'tooling')[]
  /** Without this permission the object does not exist for a user. */
  readonly needs: Permission
  /** Whether the organization has the object; default: all have it. */
  readonly isOffered?: (call: Call) => boolean
  readonly items: (call: Call) => readonly Item[]
  /** How fields are read, by their names. */
  readonly fields: Readonly<Record<string, (item: Item, call: Call) => unknown>>
  /** First version of the API that has a field; default: all. */
  readonly since?: Readonly<Record<string, number>>
}

export interface Row {
  /** @param field as spelled by `fieldOf` */
  readonly value: (field: string) => unknown
}

export interface Table extends Omit<TableOf<unknown>, 'items' | 'fields'> {
  readonly fieldNames: readonly string[]
  readonly rows: (call: Call) => readonly Row[]
}

export const eraseItem = <Item>({ items, fields, ...rest }: TableOf<Item>): Table => ({
  ...rest,
  fieldNames: Object.keys(fields),
  rows: (call) => items(call).map((item) => ({ value: (field) => fields[field]?.(item, call) })),
})

/** The spelling of a field, whose case does not matter. @throws ApiError INVALID_FIELD */
export function fieldOf({ name, fieldNames, since = {} }: Table, { version }: Call, field: string): string {
  const found = fieldNames.find((each) => each.toLowerCase() === field.toLowerCase())
  if (found !== undefined && (since[found] ?? 0) <= version) return found
  throw new ApiError('INVALID_FIELD', `No such column '${field}' on entity '${name}'.`)
}

/** A time in the form of the wire. */
export const timeText = (at: number): string => new Date(at).toISOString().replace('Z', '+0000')

/** A record with its type and address. */
export const recordOf = (table: Table, call: Call, row: Row, fields: readonly string[]): object => ({
  attributes: {
    type: table.name,
    url: `/services/data/v${call.version}.0/sobjects/${table.name}/${String(row.value('Id'))}`,
  },
  ...Object.fromEntries(fields.map((field) => [field, row.value(field)])),
})
