/**
 * The command line: `keymgr.mjs`, which contains only the version, and `keymgr/` with everything else, in pieces that
 * are loaded on demand. `keymgr/commands/` has a file for each first word, generated from the API description.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'
import type { Description } from '../clients/cli/described/description.ts'
import { groupsOf } from '../clients/cli/described/groups.ts'

const read = (name: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8'))

const { version, engines } = read('package.json') as { version: string; engines: { node: string } }

/** the first major version of Node that is supported: `>=24` */
const firstNode = /\d+/.exec(engines.node)?.[0] ?? ''

export const CLI_BUNDLES = {
  splitting: true,
  chunkNames: 'keymgr/[name]-[hash]',
  // the package's Node entry is CommonJS, which cannot be split
  alias: { yaml: './node_modules/yaml/browser/dist/index.js' },
  define: { KEYMGR_VERSION: JSON.stringify(version), KEYMGR_NODE: firstNode },
} as const satisfies BuildOptions

/** Writes the commands next to the pieces of the program. */
export function packCli(outdir: string): Promise<void> {
  const folder = path.join(outdir, 'keymgr/commands')
  const { heads, groups } = groupsOf(read('clients/openapi.json') as Description)
  mkdirSync(folder, { recursive: true })
  const write = (name: string, value: unknown): void =>
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(value))
  write('index', heads)
  for (const group of groups) write(group.word, group)
  return Promise.resolve()
}
