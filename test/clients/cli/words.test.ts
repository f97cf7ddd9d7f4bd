import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SHARED_OPTIONS, sharedOptionsOf } from '../../../clients/cli/arguments/shared-options.ts'
import type { Description } from '../../../clients/cli/described/description.ts'
import { groupsOf } from '../../../clients/cli/described/groups.ts'
import { PROTOCOLS } from '../../../shared/endpoints/all.ts'
import { exampleOf } from '../../../clients/cli/help/example.ts'

/**
 * The commands that the build generates from the API description. `commands.txt` and `secret-fields.txt` are committed,
 * so that neither the words in users' scripts nor the list of secret fields changes unnoticed. `npx vitest run
 * --update=all test/clients/cli/words.test.ts` writes both again.
 */
const description = JSON.parse(
  readFileSync(new URL('../../../clients/openapi.json', import.meta.url), 'utf8'),
) as Description
const { groups, heads } = groupsOf(description)
const rows = groups.flatMap(({ word, commands }) => commands.map((row) => ({ word, row, words: [word, ...row.words] })))
const DATA_PLANES = PROTOCOLS.map(({ dataPlane }) => dataPlane)

test('every operation of the management interface has one command', () => {
  const operations = Object.values(description.paths).flatMap((item) =>
    Object.values(item).filter(({ tags }) =>
      (tags as string[] | undefined)?.every((tag) => !DATA_PLANES.includes(tag)),
    ),
  )
  expect(rows.map(({ row }) => row.operationId).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
})

test('words are unique, and no command begins with all words of another', () => {
  const all = rows.map(({ words }) => `${words.join(' ')} `)
  expect(new Set(all).size).toBe(all.length)
  expect(all.filter((one) => all.some((other) => other !== one && other.startsWith(one)))).toEqual([])
})

test('words read well, and stay as they are', async () => {
  const lines = rows.map(({ words, row }) => `${words.join(' ')}: ${row.method} ${row.path}`).sort()
  for (const { words } of rows) expect(words.join(' ')).toMatch(/^[a-z-]+( (?:[a-z-]+|<service>))*$/)
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('commands.txt')
})

test('options of a command are distinct, also from those that all commands have', () => {
  const shared = SHARED_OPTIONS.map(({ option }) => option as string)
  for (const { words, row } of rows) {
    const names = [...row.options.map(({ option }) => option), ...shared]
    expect(
      names.filter((name, at) => names.indexOf(name) !== at),
      words.join(' '),
    ).toEqual([])
  }
})

test('a command for a page of a list shows its rows in columns', () => {
  const lists = rows.filter(({ row }) => row.method === 'GET' && row.options.some(({ option }) => option === 'skip'))
  expect(lists.length).toBeGreaterThan(50)
  for (const { words, row } of lists)
    expect({ isPage: row.isPage, isNamed: row.columns.length > 0 }, words.join(' ')).toEqual({
      isPage: true,
      isNamed: true,
    })
})

test('every page has a GET, and only lists have pages', () => {
  const offered = rows.filter(({ row }) => sharedOptionsOf(row).some(({ option }) => option === 'all'))
  expect(offered.map(({ words }) => words.join(' '))).toEqual(
    rows.filter(({ row }) => row.method === 'GET' && row.isPage).map(({ words }) => words.join(' ')),
  )
  const takesPage = ({ row }: (typeof rows)[number]) => row.options.some(({ option }) => option === 'skip')
  expect(rows.filter(({ row }) => row.isPage).filter((each) => !takesPage(each))).toEqual([])
})

test('options show whole fields: only lists and free values are JSON', () => {
  const whole = rows.flatMap(({ words, row }) =>
    row.options
      .filter(({ type, many }) => type === 'json' && many === undefined)
      .map(({ option }) => `${words.join(' ')} --${option}`),
  )
  expect(whole.length).toBeLessThan(rows.length / 5)
})

test('the set of secret fields does not change unnoticed', async () => {
  const secrets = new Set(
    rows.flatMap(({ row }) => row.options.filter(({ secret }) => secret).map(({ path }) => path.join('.'))),
  )
  const others = new Set(
    rows.flatMap(({ row }) =>
      row.options.filter((each) => each.in === 'body' && !each.secret).map(({ path }) => path.at(-1) ?? ''),
    ),
  )
  const sounding = [...others].filter((name) =>
    /pass|secret|token|material|private|pin\b|credential|key_?file|pfx|code|jwt|seed/i.test(name),
  )
  const text = ['Secret:', ...[...secrets].sort(), '', 'Sounds like it, and is none:', ...sounding.sort(), '']
  await expect(text.join('\n')).toMatchFileSnapshot('secret-fields.txt')
})

test('declared but unavailable fields are no options, nor are unimplemented clouds', () => {
  const options = rows.flatMap(({ row }) => row.options)
  expect(options.filter(({ about }) => /not offered/.test(about ?? ''))).toEqual([])
  const clouds = rows.find(({ words }) => words.join(' ') === 'scheduler job-configs list')?.row.options
  const built = clouds?.find(({ option }) => option === 'cloud-name')?.enum
  expect(built).toEqual(Object.keys(description['x-keymgr-work']))
})

test('every number of a body has its unit or its limits', () => {
  const bare = rows.flatMap(({ words, row }) =>
    row.options
      .filter((each) => each.in === 'body' && (each.type === 'integer' || each.type === 'number'))
      .filter(
        ({ about, least, most, enum: choices }) =>
          about === undefined && least === undefined && most === undefined && !choices,
      )
      .map(({ option }) => `${words.join(' ')} --${option}`),
  )
  expect(bare).toEqual(['properties update --value']) // of any property
})

test('an id is the last column', () => {
  for (const { words, row } of rows) {
    const at = row.columns.findIndex((column) => column === 'id')
    if (at !== -1)
      expect(
        row.columns.slice(at + 1).filter((column) => column !== 'user_id'),
        words.join(' '),
      ).toEqual([])
  }
})

test('fields that accept only an id, and a name here, do not change unnoticed', async () => {
  const named = rows.flatMap(({ words, row }) =>
    row.options.flatMap(({ option, lookup }) =>
      lookup === undefined ? [] : [`${words.join(' ')} --${option}: ${lookup.filter} of ${lookup.path}`],
    ),
  )
  await expect(`${named.sort().join('\n')}\n`).toMatchFileSnapshot('named-fields.txt')
})

test('fields that the description marks as secret are secret, and accept one text', () => {
  for (const { words, row } of rows)
    for (const { option, secret, type, many } of row.options)
      if (secret) expect({ type, many }, `${words.join(' ')} --${option}`).toEqual({ type: 'string' })
})

test('members of lists and maps, which are given as arguments, have no secrets', () => {
  const inLists = JSON.stringify(
    description.components.schemas,
    (name, value: { items?: unknown; writeOnly?: boolean }) =>
      name === 'items' && JSON.stringify(value).includes('"writeOnly":true') ? 'SECRET IN A LIST' : value,
  )
  expect(inLists).not.toContain('SECRET IN A LIST')
})

test('every first word is described, and every command has an example with its words', () => {
  for (const { about, word } of heads) expect(about, word).toMatch(/^[A-Z].*\.$/)
  for (const { word, row } of rows)
    expect(exampleOf(word, row)).toMatch(
      new RegExp(`^keymgr ${[word, ...row.words].join(' ').replace('<service>', 'cloud-a')}`),
    )
})
