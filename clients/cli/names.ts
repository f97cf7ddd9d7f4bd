import { isNoSegment } from '../sdk/address.ts'
import type { Keymgr } from '../sdk/client.ts'
import { at, put } from './arguments/body.ts'
import type { CommandRow, LookUp, OptionRow, PositionRow } from './command.ts'
import { Failure, misused } from './failures.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Ids of users begin with the source of the user: `local|…`. */
const USER_ID = /^[^|]+\|/

const isId = (name: string, value: string): boolean => UUID.test(value) || (name === 'user_id' && USER_ID.test(value))

/** The name of a record, for a user who has to choose. */
function calledBy(record: unknown, { filter, container }: LookUp): string {
  const more = ['version', 'region', ...(container === undefined ? [] : [container]), 'state', 'status', 'createdAt']
  const shown = more.flatMap((name) => {
    const value = at(record, [name])
    return typeof value === 'string' || typeof value === 'number' ? [`${name} ${value}`] : []
  })
  const id = idOf(record)
  const name = at(record, [filter])
  return [id, ...(typeof name === 'string' ? [name] : []), ...shown].join(', ')
}

const idOf = (record: unknown): string => {
  const id = at(record, ['id']) ?? at(record, ['user_id'])
  return typeof id === 'string' ? id : ''
}

/** Maximum number of candidates in a message. */
const CANDIDATES = 10

/**
 * Resolves a name to an id, by the list of its kind.
 * @param above values of the path before it, for the path of the list
 * @throws Failure unless exactly one record has the name
 */
async function idOfName(
  keymgr: Keymgr,
  { name, lookup }: PositionRow,
  value: string,
  above: Readonly<Record<string, string>> = {},
): Promise<string> {
  if (lookup === undefined || isId(name, value)) return value
  // The filter accepts patterns, and several names separated by commas, so it would find other records.
  if (/[*?,]/.test(value)) throw misused(`${JSON.stringify(value)} has *, ? or a comma. Give the id.`)
  const query = { [lookup.filter]: value, limit: CANDIDATES }
  const { body } = await keymgr.request('get', lookup.path, { path: above, query })
  const found = (at(body, ['resources']) ?? []) as readonly unknown[]
  const [first] = found
  if (first === undefined) throw new Failure('not-found', `Nothing has the ${lookup.filter} ${JSON.stringify(value)}.`)
  if (found.length === 1) return idOf(first)
  const total = at(body, ['total'])
  throw new Failure(
    'not-found',
    `${JSON.stringify(value)} is the ${lookup.filter} of ${typeof total === 'number' ? total : found.length}. Give the id of one:`,
    found.map((record) => `  ${calledBy(record, lookup)}`),
  )
}

/** The path's values, as many as it has parameters. Names are resolved to ids where the operation accepts only ids. */
export async function pathOf(
  keymgr: Keymgr,
  { positions }: CommandRow,
  values: readonly string[],
): Promise<Record<string, string>> {
  const path: Record<string, string> = {}
  for (const [index, position] of positions.entries())
    path[position.name] = await idOfName(keymgr, position, values[index] ?? '', path)
  return path
}

/** The same value or list of values, with ids for names. */
function withIds(keymgr: Keymgr, { path, lookup }: OptionRow, value: unknown): unknown {
  if (lookup === undefined) return value
  const position = { name: path.at(-1) ?? '', lookup }
  const idOf = (each: unknown): unknown =>
    typeof each === 'string' && each !== '' ? idOfName(keymgr, position, each) : each
  return Array.isArray(value) ? Promise.all(value.map(idOf)) : idOf(value)
}

/** Parameters of the query or a body, with ids for names in the fields that accept ids only. */
export async function withIdsIn<Fields>(
  keymgr: Keymgr,
  { options }: CommandRow,
  place: OptionRow['in'],
  fields: Fields,
): Promise<Fields> {
  let made = fields
  for (const row of options.filter((each) => each.in === place && each.lookup !== undefined)) {
    const value = at(made, row.path)
    // the fields are an object, as one of them has a value
    if (value !== undefined)
      made = put(made as object as Record<string, unknown>, row.path, await withIds(keymgr, row, value)) as Fields
  }
  return made
}

/** The name of a position in a usage line. */
export const shownName = ({ name, lookup }: PositionRow): string => {
  const word = name === 'svc' ? 'service' : name.replaceAll('_', '-').replace(/ID$/, '-id').toLowerCase()
  return lookup === undefined || word.includes('name') ? word : `${word}-or-${lookup.filter.replaceAll('_', '-')}`
}

/**
 * Checks that there is one value for each parameter of the path, and that none leads to another path. Messages do not
 * repeat the values: one of them may be a secret by mistake.
 */
export function checkValues(usage: string, { positions, options }: CommandRow, values: readonly string[]): void {
  const names = positions.map(shownName)
  const wanted = names.length === 0 ? 'no further word' : `${names.join(', ')} after it`
  if (values.length !== names.length) {
    const isNameAnOption = values.length === names.length + 1 && options.some(({ option }) => option === 'name')
    const hint = isNameAnOption ? ' A name is given by --name.' : ''
    throw misused(`keymgr ${usage} takes ${wanted}; ${values.length} given.${hint}`)
  }
  const wrong = names.find((_, index) => isNoSegment(values[index]))
  if (wrong === undefined) return
  if (values[names.indexOf(wrong)]?.includes('?') === true) throw misused(`${wrong} has a "?": give the id.`)
  throw misused(`${wrong} is empty, "." or "..": give an id or a name.`)
}
