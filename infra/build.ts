/** Bundles every function. `node infra/build.ts` writes `dist/functions/<name>/` and prints what each one weighs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { FUNCTIONS } from './functions.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface BuildOptions {
  readonly outDir: string
  /** Rows of `FUNCTIONS`, or others in tests. */
  readonly functions?: readonly { readonly name: string }[]
  /** Folder of `<name>/handler.ts`. */
  readonly sources?: string
  /** Module that exports `openApiDocument(): object`; only loaded if a function imports `keymgr:openapi`. */
  readonly openApi?: string
}

export interface Bundle {
  readonly name: string
  /** Of all modules together; source maps are not counted, they are not loaded. */
  readonly bytes: number
  readonly gzipBytes: number
  /** Of what is loaded at the start: `index.mjs` and what it imports statically. */
  readonly startBytes: number
}

/** Some packages are CommonJS and call `require` for Node's own modules, which an ES module has not. */
const REQUIRE =
  "import{createRequire as keymgrCreateRequire}from'node:module';const require=keymgrCreateRequire(import.meta.url);"

/**
 * Writes one folder per function: `index.mjs`, a chunk for each dynamic import, and source maps beside them.
 * The same sources give the same bytes, wherever the checkout lies.
 * @throws Error if a row has no `handler.ts` or does not compile
 */
export async function buildFunctions(options: BuildOptions): Promise<Bundle[]> {
  const { outDir, functions = FUNCTIONS, sources = path.join(ROOT, 'functions') } = options
  const missing = functions.filter(({ name }) => !existsSync(path.join(sources, name, 'handler.ts')))
  if (missing.length > 0) throw new Error(`No handler.ts for: ${missing.map(({ name }) => name).join(', ')}`)
  const plugins = [openApiPlugin(options.openApi ?? path.join(ROOT, 'infra/openapi.ts')), REQUIRED]
  return Promise.all(
    functions.map(({ name }) =>
      buildOne(name, path.join(sources, name, 'handler.ts'), path.join(outDir, name), plugins),
    ),
  )
}

async function buildOne(name: string, entry: string, outdir: string, plugins: Plugin[]): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    write: false,
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true, // a dynamic import stays lazy: a cold start loads what it needs
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'], // ES modules can be shaken, CommonJS cannot
    conditions: ['module'],
    // The SDK is bundled although Lambda has one: a bundle loads several times faster than the runtime's many files,
    // and the version is the one that was tested.
    external: [],
    banner: { js: REQUIRE },
    minify: true,
    keepNames: true, // error names are compared by name in the SDK and in logs
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'external',
    metafile: true,
    plugins,
    logLevel: 'silent', // a failure throws with all its messages
  })
  writeChanged(outdir, outputFiles)
  return { name, ...weigh(outdir, metafile.outputs) }
}

/** Leaves files alone that are right already, because a deployment that runs may just be reading them; removes the rest. */
function writeChanged(
  outdir: string,
  files: readonly { readonly path: string; readonly contents: Uint8Array }[],
): void {
  mkdirSync(outdir, { recursive: true })
  const names = new Set(files.map((file) => path.basename(file.path)))
  for (const { path: file, contents } of files) {
    if (!existsSync(file) || !readFileSync(file).equals(contents)) writeFileSync(file, contents)
  }
  for (const name of readdirSync(outdir)) if (!names.has(name)) rmSync(path.join(outdir, name), { recursive: true })
}

/** `keymgr:openapi` is the API description as JSON, made from the operations when the bundle is built. */
function openApiPlugin(module: string): Plugin {
  return {
    name: 'keymgr-openapi',
    setup(bundler) {
      bundler.onResolve({ filter: /^keymgr:openapi$/ }, ({ path: name }) => ({ path: name, namespace: 'keymgr' }))
      bundler.onLoad({ filter: /.*/, namespace: 'keymgr' }, async () => {
        const { openApiDocument } = (await import(pathToFileURL(module).href)) as { openApiDocument: () => object }
        return { contents: JSON.stringify(openApiDocument()), loader: 'json' }
      })
    },
  }
}

/**
 * An ES import of one of Node's own modules reads every export of it, also those that load more when they are read:
 * `node:http` then brings all of fetch, 30 ms of a cold start, `node:crypto` all of Web Crypto, 3 ms. A `require` reads
 * what is asked for, if it is asked by name: what esbuild puts between an import and CommonJS looks at every property, and
 * those of `node:util` load worker threads when they are looked at, 4 ms.
 */
const REQUIRED: Plugin = {
  name: 'keymgr-required',
  setup(bundler) {
    bundler.onResolve({ filter: /^(?:node:)?(?:crypto|http|net|util)$/ }, ({ path: name, kind }) =>
      kind === 'import-statement' ? { path: name, namespace: 'keymgr-required' } : { path: name, external: true },
    )
    bundler.onLoad({ filter: /.*/, namespace: 'keymgr-required' }, ({ path: name }) => ({
      contents: exportsByName(name),
      loader: 'js',
    }))
  },
}

/** The text of a module with the exports of one of Node's own; those that nobody imports are left out of the bundle. */
function exportsByName(name: string): string {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(name)).filter((each) => /^[A-Za-z_]\w*$/.test(each))
  const exported = names.map((each) => `export const ${each} = /* @__PURE__ */ (() => all.${each})()`)
  return [`const all = require(${JSON.stringify(name)})`, ...exported, 'export default all'].join('\n')
}

interface Output {
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

function weigh(outdir: string, outputs: Readonly<Record<string, Output>>): Omit<Bundle, 'name'> {
  const modules = Object.keys(outputs).filter((file) => file.endsWith('.mjs'))
  const content = (file: string) => readFileSync(path.resolve(ROOT, file))
  const atStart = new Set<string>()
  const visit = (file: string) => {
    if (atStart.has(file)) return
    atStart.add(file)
    for (const { path: next, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[next] !== undefined) visit(next)
    }
  }
  const index = modules.find((file) => path.resolve(ROOT, file) === path.resolve(outdir, 'index.mjs'))
  if (index !== undefined) visit(index)
  const sum = (files: Iterable<string>, size: (bytes: Buffer) => number) =>
    [...files].reduce((total, file) => total + size(content(file)), 0)
  return {
    bytes: sum(modules, ({ length }) => length),
    gzipBytes: sum(modules, (bytes) => gzipSync(bytes).length),
    startBytes: sum(atStart, ({ length }) => length),
  }
}

if (import.meta.main) {
  const bundles = await buildFunctions({ outDir: path.join(ROOT, 'dist/functions') })
  const number = (value: number) => value.toLocaleString('en').padStart(12)
  console.log(`${'function'.padEnd(16)}${'bytes'.padStart(12)}${'gzip'.padStart(12)}${'at start'.padStart(12)}`)
  for (const { name, bytes, gzipBytes, startBytes } of bundles) {
    console.log(`${name.padEnd(16)}${number(bytes)}${number(gzipBytes)}${number(startBytes)}`)
  }
}
