import { chmodSync, cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { REQUIRE } from './build.ts'
import { modulesIn, noticesOf } from './notices.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The programs of the package: the service, a thread of a function, and the process that keeps the table engine. */
const PROGRAMS = {
  'keymgr-local': 'infra/local/packed.ts',
  'function-worker': 'infra/local/functions/function-worker.ts',
  'engine-keeper': 'infra/local/table/engine-keeper.ts',
} as const

/** Packages with the table engine for this platform; they are part of the package, because they are a program. */
function enginesHere(): string[] {
  const scope = path.join(ROOT, 'node_modules/@dynoxide')
  return existsSync(scope) ? readdirSync(scope).map((name) => `@dynoxide/${name}`) : []
}

/**
 * The service with its functions, pages, simulated clouds and table engine, as a folder for `npm pack`.
 * @param functions folder of the bundled functions
 * @returns fields of its manifest
 */
export async function packLocal(folder: string, functions: string): Promise<object> {
  rmSync(folder, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.entries(PROGRAMS).map(([out, entry]) => ({ in: entry, out })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]', // beside the programs, which they start by their names
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    conditions: ['module'],
    banner: { js: REQUIRE },
    minify: true,
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent', // a failure throws with all its messages
  })
  chmodSync(path.join(folder, 'keymgr-local.mjs'), 0o755)
  writeFileSync(path.join(folder, 'licenses.txt'), `${noticesOf(modulesIn(metafile))}\n`)
  cpSync(functions, path.join(folder, 'functions'), { recursive: true, filter: (file) => !file.endsWith('.map') })
  const engines = enginesHere()
  for (const engine of engines)
    cpSync(path.join(ROOT, 'node_modules', engine), path.join(folder, 'node_modules', engine), { recursive: true })
  return {
    description: 'keymgr on one machine: the service, its pages, simulated clouds and a table engine.',
    bin: { 'keymgr-local': 'keymgr-local.mjs' },
    dependencies: Object.fromEntries(engines.map((engine) => [engine, '*'])),
    bundleDependencies: engines,
  }
}
