import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { USAGE } from '../../infra/local/command/options.ts'
import { blocksOf, PAGES, ROOT, spansOf, textOf, usesSession } from './pages.ts'

/** Everything named on pages exists: scripts, files, addresses, commands, variables and fields. */
const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), 'utf8')

const DESCRIPTION = read('clients/openapi.json')
const { paths } = JSON.parse(DESCRIPTION) as { paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
const COMMANDS = read('test/clients/cli/commands.txt')

const isSource = (file: string): boolean =>
  /\.(?:ts|tsx|json|sh|css|html)$/.test(file) && !file.includes('node_modules')
const FOLDERS = ['functions', 'shared', 'infra', 'clients', 'bench', 'test', 'docs'] as const
const SOURCES: string = FOLDERS.flatMap((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => isSource(file) && !file.startsWith('vectors'))
    .map((file) => `${file}\n${read(path.join(folder, file))}`),
)
  .concat(['package.json', 'tsconfig.json', 'cdk.json'].map(read))
  .join('\n')

/** Texts of a page that may contain names: spans of code, and the commands of shell blocks. */
const namedOn = (page: string): string[] => [
  ...spansOf(page),
  ...blocksOf(page).flatMap(({ language, text }) =>
    language === 'sh' ? text.replaceAll(/ # .*$/gm, '').split('\n') : [],
  ),
]

/** `page: name` for every name of this kind that does not exist. */
const missing = (pattern: RegExp, exists: (named: string) => boolean, pages = PAGES): string[] =>
  pages.flatMap((page) =>
    namedOn(page)
      .flatMap((text) => [...text.matchAll(pattern)].map(([whole, named = whole]) => named))
      .filter((named) => !exists(named))
      .map((named) => `${page}: ${named}`),
  )

test('scripts that pages name are scripts of the package', () => {
  expect(missing(/npm run (?:-s )?([\w:]+)/g, (name) => name in scripts)).toEqual([])
})

test('options of the start that pages name are in its help', () => {
  expect(missing(/npm start -- (--[\w-]+)/g, (option) => new RegExp(`${option}\\b`).test(USAGE))).toEqual([])
})

test('files that pages name exist', () => {
  const PLACE = /(?:^|\s)((?:functions|shared|infra|clients|test|bench|docs|\.ci)\/[\w./-]+)(?=$|[\s,;:)])/g
  expect(missing(PLACE, (file) => fs.existsSync(path.join(ROOT, file)))).toEqual([])
})

test('variables of the environment that pages name are read somewhere', () => {
  expect(missing(/\b(KEYMGR_[A-Z_]+[A-Z])\b/g, (name) => SOURCES.includes(name))).toEqual([])
})

test('commands that pages name are commands of the command line', () => {
  const LOCAL = /^(?:login|logout|whoami|profiles|completion|mcp|help|--help|--version|-)/
  const exists = (words: string) => LOCAL.test(words) || new RegExp(`^${words}(?: |:)`, 'm').test(COMMANDS)
  expect(missing(/(?:^|\s|&& )keymgr ((?:[a-z][\w-]*)(?: [a-z][a-z-]*)?)/g, exists)).toEqual([])
})

/** Forms in which a field or an option of the command line is written in the source. */
function writings(option: string): string[] {
  const field = option.replace(/-(?:file|env)$/, '')
  const camel = field.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return [option, field, field.replaceAll('-', '_'), camel].flatMap((name) => [
    `'${name}'`,
    `"${name}"`,
    `--${name}`,
    `${name}:`,
  ])
}

test('options of the command line that pages name are its own or fields of the description', () => {
  const inCommands = namedOn('docs/guide/command-line.md').filter((text) => /^(?:keymgr |--)/.test(text))
  const options = inCommands.flatMap((text) =>
    [...text.matchAll(/(?:^|\s)--([a-z][\w-]+)/g)].map(([, name = '']) => name),
  )
  expect(options.length).toBeGreaterThan(15)
  const known = (name: string) => writings(name).some((form) => SOURCES.includes(form) || DESCRIPTION.includes(form))
  expect(options.filter((name) => !known(name))).toEqual([])
})

const PARAMETER = /\{[^}]+\}|<[^>]+>|\$\{?\w+\}?/g
const segmentsOf = (address: string): string[] => address.split('/').filter((part) => part !== '')
const isOpen = (part: string): boolean => PARAMETER.test(part) || part === '…'

/** Whether the segments match the end of an address, or its beginning if `whole` is false. */
function fits(address: readonly string[], named: readonly string[]): boolean {
  if (address.length !== named.length) return false
  return named.every((part, at) => {
    PARAMETER.lastIndex = 0
    const there = address[at] ?? ''
    return there === part || there.startsWith('{') || isOpen(part)
  })
}

const ADDRESSES = Object.keys(paths).map(segmentsOf)

/** `/v1/x` is a whole address or its beginning; `…/x` is the end of an address. */
function isAddress(named: string): boolean {
  const [plain = ''] = named.split(/[?#]/, 1)
  const parts = segmentsOf(plain)
  if (parts[0] === '…') {
    const end = parts.slice(1)
    return ADDRESSES.some((address) => fits(address.slice(-end.length), end))
  }
  return ADDRESSES.some((address) => fits(address.slice(0, parts.length), parts))
}

test('addresses that pages name are addresses of the description', () => {
  const ADDRESS = /(?:^|\s|(?<!platform\/)api)((?:\/v1|…)\/[\w.{}<>$/…-]+[\w}>])/g
  expect(missing(ADDRESS, isAddress)).toEqual([])
})

test('addresses that the calls of the session name are addresses of the description', () => {
  const CALL = /(?:^|\s|\()(?:get|post|patch|put|delete) "?([a-z][\w./${}-]+)/g
  expect(missing(CALL, (address) => isAddress(`/v1/${address}`), PAGES.filter(usesSession))).toEqual([])
})

test('every test that SECURITY.md names exists', () => {
  const named = [...textOf('SECURITY.md').matchAll(/\| `(test\/[^`]+)`: ([^|]+?) +\|/g)]
  expect(named.length).toBeGreaterThan(15)
  const absent = named.filter(([, file = '', name = '']) => !read(file).includes(name))
  expect(absent.map(([, file, name]) => `${file}: ${name}`)).toEqual([])
})

test('identifiers in code spans are in the description or in the source', () => {
  const isIdentifier = (span: string): boolean => /^[A-Za-z]\w*[_A-Z]\w*$/.test(span)
  const unknown = PAGES.flatMap((page) =>
    spansOf(page)
      .filter((span) => isIdentifier(span) && !DESCRIPTION.includes(span) && !SOURCES.includes(span))
      .map((span) => `${page}: ${span}`),
  )
  expect(unknown).toEqual([])
})
