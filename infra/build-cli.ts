/**
 * Bundles the command line: `dist/keymgr.mjs`, which knows its version alone, and `dist/keymgr/` with all else, in pieces
 * that are read when they are needed. `commands/` has a file for each first word, made from the API description.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { groupsOf, type Description } from '../clients/cli/described/groups.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const read = (name: string): unknown => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'))

function writeCommands(folder: string): void {
  const { heads, groups } = groupsOf(read('clients/openapi.json') as Description)
  mkdirSync(folder, { recursive: true })
  const write = (name: string, value: unknown) =>
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(value))
  write('index', heads)
  for (const group of groups) write(group.word, group)
}

/** @param outdir gets `keymgr.mjs`, an executable module, and the folder `keymgr` */
export async function buildCli(outdir = path.join(ROOT, 'dist')): Promise<void> {
  const { version } = read('package.json') as { version: string }
  rmSync(path.join(outdir, 'keymgr'), { recursive: true, force: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: [{ in: 'clients/cli/main.ts', out: 'keymgr' }],
    outdir,
    chunkNames: 'keymgr/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    legalComments: 'none',
    // Its other form is CommonJS, which cannot be split.
    alias: { yaml: './node_modules/yaml/browser/dist/index.js' },
    define: { KEYMGR_VERSION: JSON.stringify(version) },
    logLevel: 'silent',
  })
  writeCommands(path.join(outdir, 'keymgr/commands'))
}

if (process.argv[1] === import.meta.filename) await buildCli()
