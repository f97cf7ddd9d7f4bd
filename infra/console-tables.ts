/** Facts of the description for the console: of the operations whose names its modules import from a `described.ts`. */
import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import type { OptionRow } from '../clients/cli/command.ts'
import { parametersOf, type Description, type Operation } from '../clients/cli/described/description.ts'
import { bodyOptions, queryOption } from '../clients/cli/described/options.ts'
import { clientFile } from './api-types.ts'

const CONSOLE = clientFile('console')
const IMPORT = /import \{([^}]*)\} from '(\.[^']*\/described\.ts)'/g

/** Names that modules of the console import from tables, by the files of these. */
function importedNames(): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  for (const entry of readdirSync(CONSOLE, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && /\.tsx?$/.test(entry.name)) {
      const text = readFileSync(path.join(entry.parentPath, entry.name), 'utf8')
      for (const [, list = '', from = ''] of text.matchAll(IMPORT)) {
        const file = path.resolve(entry.parentPath, from)
        if (!file.startsWith(CONSOLE + path.sep)) continue
        const known = names.get(file) ?? new Set()
        names.set(file, known)
        for (const name of list.split(',').map((each) => each.trim().replace(/ as .*/, '')))
          if (name !== '') known.add(name)
      }
    }
  return names
}

/** Values of a filter, as `FilterRow` has them. */
const filterOf = ({ type, enum: choices, time }: OptionRow): unknown =>
  choices ?? (time ? 'time' : type === 'boolean' ? 'flag' : 'text')

const KINDS: Readonly<Partial<Record<OptionRow['type'], string>>> = {
  integer: 'number',
  number: 'number',
  boolean: 'flag',
}

/** A field of a body, as `FieldRow` has it; a list with words for its items has them in `words`. */
function fieldOf({ type, many, enum: choices, time, secret, required }: OptionRow): object {
  const kind = many === 'list' ? 'lines' : secret ? 'secret' : time ? 'day' : KINDS[type]
  return {
    ...(kind !== undefined && { kind }),
    ...(required === 'always' && { isRequired: true }),
    ...(choices &&
      (many === 'list' ? { words: choices } : { choices: choices.map((value) => ({ value: String(value) })) })),
  }
}

const byName = (rows: readonly OptionRow[], factsOf: (row: OptionRow) => unknown): object =>
  Object.fromEntries(rows.map((row) => [row.path.join('/'), factsOf(row)]))

/** Filters of an operation that reads, fields of the body of any other. */
function factsOf(description: Description, method: string, operation: Operation): object {
  const { schemas } = description.components
  const [content] = Object.values(operation.requestBody?.content ?? {})
  if (method !== 'get') return byName(bodyOptions(content?.schema ?? {}, schemas), fieldOf)
  const inQuery = parametersOf(description, operation).filter((each) => each.in === 'query')
  return byName(
    inQuery.map((each) => queryOption(each.name, each.schema, each, schemas)),
    filterOf,
  )
}

function tableOf(description: Description, name: string): object {
  if (name === 'WORK') return description['x-keymgr-work']
  const operations = Object.values(description.paths).flatMap((item) => Object.entries(item))
  const [method = '', operation] = operations.find(([, { operationId }]) => operationId === name) ?? []
  if (operation === undefined)
    throw new Error(`The API description has no operation named ${name}, which the console imports`)
  return factsOf(description, method, operation)
}

/** The tables by the files that have them, as pairs of names and values. */
export const consoleTables = (description: Description): [file: string, table: [name: string, facts: object][]][] =>
  [...importedNames()].map(([file, names]) => [
    file,
    [...names].sort().map((name) => [name, tableOf(description, name)]),
  ])
