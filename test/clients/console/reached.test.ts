import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ENTRIES } from '../../../clients/console/shell/navigation.ts'

/** Every part of the interface has a page, and no page leads nowhere. */
const CONSOLE = fileURLToPath(new URL('../../../clients/console', import.meta.url))
const modules = readdirSync(CONSOLE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map(({ parentPath, name }) => ({ name, text: readFileSync(path.join(parentPath, name), 'utf8') }))
const text = modules.map((each) => each.text).join('\n')

interface Described {
  readonly tags: readonly { readonly name: string; readonly 'x-keymgr-data-plane'?: true }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags?: readonly string[] }>>>>
}
const { tags, paths } = JSON.parse(
  readFileSync(new URL('../../../clients/openapi.json', import.meta.url), 'utf8'),
) as Described

/** Programs of outside systems call these, and the guide shows itself. */
const WITHOUT_PAGE = ['platform', 'guide']
const pathsOf = (tag: string): string[] =>
  Object.entries(paths).flatMap(([each, item]) =>
    Object.values(item).some((operation) => operation.tags?.includes(tag)) ? [each] : [],
  )

/** Whether a module of the console calls a path, which may have the name of a cloud as a value. */
const isCalled = (each: string): boolean => {
  const ofAnyCloud = each.replace(/^\/v1\/keymgr\/[\w-]+\//, '/v1/keymgr/${name}/')
  return [`'${each}'`, `\`${each}\``, `\`${ofAnyCloud}\``].some((literal) => text.includes(literal))
}

test.each(tags.filter((tag) => tag['x-keymgr-data-plane'] !== true).map(({ name }) => name))(
  'the part %s of the interface has a page',
  (tag) => {
    expect(pathsOf(tag).some(isCalled)).toBe(!WITHOUT_PAGE.includes(tag))
  },
)

const routes = [...(modules.find(({ name }) => name === 'routes.ts')?.text ?? '').matchAll(/path: '([^']+)'/g)]
/** A pattern of the router: `:name` is a segment, and `:name?` one that may be absent. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/\/:\w+\?/g, '(?:/[^/]+)?').replaceAll(/:\w+/g, '[^/]+')}$`)
const patterns = routes.map(([, path = '']) => patternOf(path))
const matches = (address: string): boolean => patterns.some((pattern) => pattern.test(address))

/** Addresses within the console that its modules contain, with a word in place of each value. */
const addresses = [...text.matchAll(/`\$\{HOME\}((?:[^`$]|\$\{[^}]*\})*)`/g)].map(([, rest = '']) =>
  `/console/${rest.replaceAll(/\$\{[^}]*\}/g, 'any')}`.replace(/[?#].*$/, '').replace(/\/$/, ''),
)

test('every address that the console contains has a page', () => {
  expect(addresses.length).toBeGreaterThan(80)
  // Some addresses are values as a whole, or end in a query.
  const known = addresses.filter((address) => !/^\/console(?:\/any){1,2}$|[a-z]any$/.test(address))
  expect([...new Set(known)].filter((address) => !matches(address))).toEqual([])
  expect(ENTRIES.filter(({ at }) => !matches(at.replace(/\/$/, '')))).toEqual([])
})

const textOf = (file: string): string => readFileSync(path.join(CONSOLE, file), 'utf8')
/** Groups of resources: the names of their rows, and the module that has these. */
const groups = textOf('resources.ts').matchAll(
  /names: \[([^\]]*)\],\s*load: async \(\) => \(await import\('\.\/(resources\/\w+\.ts)'\)/g,
)

test.each([...groups].map(([, names = '', file = '']) => ({ names, file })))(
  'the rows of $file are found by their names',
  ({ names, file }) => {
    const rows = [...textOf(file).matchAll(/^(?: {4}\.\.\.\{\s*name: | {2}banner\(\s*)'([\w-]+)'/gm)].map(
      ([, name]) => name,
    )
    expect(rows.length).toBeGreaterThan(0)
    expect([...names.matchAll(/'([\w-]+)'/g)].map(([, name]) => name)).toEqual(rows)
  },
)

test('an empty list of a resource is explained by a sentence', () => {
  const sentences = [...text.matchAll(/\bempty: '([^']+)'/g)].map(([, sentence]) => sentence)
  expect(sentences.length).toBeGreaterThan(30)
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/)
})
