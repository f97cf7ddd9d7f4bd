/**
 * Facts of the description for the console: about the operations whose names its modules import from a `described.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { defined } from '../shared/base/fields.ts'
import type { OptionRow } from '../clients/cli/command.ts'
import { parametersOf, type Description, type Operation } from '../clients/cli/described/description.ts'
import { bodyOptions, queryOption } from '../clients/cli/described/options.ts'
import { flat, type Schema, type Schemas } from '../clients/cli/described/schema.ts'
import { clientFile } from './api-types.ts'

const CONSOLE = clientFile('console')
const IMPORT = /import \{([^}]*)\} from '(\.[^']*\/described\.ts)'/g

/** Every module of the console, with its folder. */
const modules = (): { folder: string; text: string }[] =>
  readdirSync(CONSOLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath: folder, name }) => ({ folder, text: readFileSync(path.join(folder, name), 'utf8') }))

/** Names that the console's modules import from its tables, by the tables' files. */
function importedNames(): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  for (const { folder, text } of modules())
    for (const [, list = '', from = ''] of text.matchAll(IMPORT)) {
      const file = path.resolve(folder, from)
      if (!file.startsWith(CONSOLE + path.sep)) continue // a file of a library
      const imported = list.split(',').map((name) => name.trim())
      names.set(file, new Set([...(names.get(file) ?? []), ...imported.filter((name) => name !== '')]))
    }
  return names
}

/** Values of a filter, in the form of `FilterRow`. */
const filterOf = ({ type, enum: choices, time }: OptionRow): object | string =>
  choices ?? (time ? 'time' : type === 'boolean' ? 'flag' : 'text')

const KINDS: Readonly<Partial<Record<OptionRow['type'], string>>> = {
  integer: 'number',
  number: 'number',
  boolean: 'flag',
}

/** A field of a body, in the form that `described` of the forms accepts. */
function fieldOf({ type, many, enum: words, time, secret, required, usual }: OptionRow): object {
  const kind = many === 'list' ? 'lines' : secret ? 'secret' : time ? 'day' : KINDS[type]
  return {
    ...defined({ kind }),
    ...(required === 'always' && { isRequired: true }),
    ...(type === 'boolean' && usual === 'true' && { isOnByDefault: true }),
    ...(words && { words: words.map(String) }),
  }
}

const byName = (rows: readonly OptionRow[], factsOf: (row: OptionRow) => object | string): object =>
  Object.fromEntries(
    rows.map((row) => [row.path.join('/'), factsOf(row)] as const).filter(([, facts]) => Object.keys(facts).length > 0),
  )

const PAGING = ['skip', 'limit', 'sort']

/** The actions that the permissions in a body choose from. */
function choicesInAcls(body: Schema = {}, schemas: Schemas): object {
  const { acls } = flat(body, schemas).properties ?? {}
  const words = acls?.items?.properties?.actions?.items?.enum
  return words === undefined ? {} : { 'acls/0/actions': { words } }
}

/** Filters of an operation that reads, or fields of the body of any other. */
function factsOf(description: Description, method: string, operation: Operation): object {
  const { schemas } = description.components
  const [content] = Object.values(operation.requestBody?.content ?? {})
  if (method !== 'get')
    return {
      ...byName(bodyOptions(content?.schema ?? {}, schemas), fieldOf),
      ...choicesInAcls(content?.schema, schemas),
    }
  const inQuery = parametersOf(description, operation).filter(
    (each) => each.in === 'query' && !PAGING.includes(each.name),
  )
  return byName(
    inQuery.map((each) => queryOption(each.name, each.schema, each, schemas)),
    filterOf,
  )
}

const STOPS = 2

/** The last word of a path, or `{}` for a parameter. */
const tailOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/^\{.*\}$/, '{}')

/**
 * The calls that stop or end something: by method and last word where all such calls do, otherwise by method and path.
 * A list of all their paths would be too long for a browser.
 */
function dangersOf({ paths }: Description): { readonly tails: string[]; readonly paths: string[] } {
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      call: `${method} ${path}`,
      tail: `${method} ${tailOf(path)}`,
      stops: (operation['x-keymgr-danger'] ?? 0) >= STOPS,
    })),
  )
  const mixed = new Set(calls.filter(({ stops }) => !stops).map(({ tail }) => tail))
  const stopping = calls.filter(({ stops }) => stops)
  return {
    tails: [...new Set(stopping.filter(({ tail }) => !mixed.has(tail)).map(({ tail }) => tail))].sort(),
    paths: stopping.filter(({ tail }) => mixed.has(tail)).map(({ call }) => call),
  }
}

function tableOf(description: Description, name: string): object {
  if (name === 'WORK') return description['x-keymgr-work']
  if (name === 'DANGERS') return dangersOf(description)
  const operations = Object.values(description.paths).flatMap((item) => Object.entries(item))
  const [method = '', operation] = operations.find(([, { operationId }]) => operationId === name) ?? []
  if (operation === undefined)
    throw new Error(`The API description has no operation named ${name}, which the console imports`)
  return factsOf(description, method, operation)
}

/** The tables by file, as pairs of names and values. */
export const consoleTables = (description: Description): [file: string, table: [name: string, facts: object][]][] =>
  [...importedNames()].map(([file, names]) => [
    file,
    [...names].sort().map((name) => [name, tableOf(description, name)]),
  ])
