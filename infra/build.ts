/** Bundles every function. `node infra/build.ts` writes `dist/functions/<name>/` and prints the size of each. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, stop, type BuildResult, type Plugin } from 'esbuild'
import { buildPages } from './build-pages.ts'
import { BundleCache, writeChanged, type Made } from './bundle-cache.ts'
import { FUNCTIONS, type FunctionRow } from './functions.ts'
import { mergeStart } from './merge-start.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

type FunctionToBuild = Pick<FunctionRow, 'name' | 'loads'>

export interface BuildOptions {
  readonly outDir: string
  /** Default: the rows of `FUNCTIONS`. */
  readonly functions?: readonly FunctionToBuild[]
  /** Folder of `<name>/handler.ts`. */
  readonly sources?: string
  /**
   * Module that exports `openApiDocument()`, an object or a promise of one, and `actionTable(): object`; only loaded if a function imports
   * `keymgr:openapi` or `keymgr:actions`.
   */
  readonly openApi?: string
  /**
   * Folder in which bundles are cached. Default: in the checkout for its own functions; without a cache for other
   * sources.
   */
  readonly cache?: string
  /** Called before a bundle is built that is not in the cache, with its position among all. */
  readonly onBundling?: (name: string, position: number, total: number) => void
}

export interface Bundle {
  readonly name: string
  /** Size of all modules together, without source maps, which are not loaded. */
  readonly bytes: number
  readonly gzipBytes: number
  /** Size of the code that is loaded at the start: `index.mjs` and its static imports. */
  readonly startBytes: number
}

/** Some packages are CommonJS and call `require` for Node's own modules, which an ES module does not have. */
export const REQUIRE =
  "import{createRequire as keymgrCreateRequire}from'node:module';const require=keymgrCreateRequire(import.meta.url);"

/** Number of builds in progress: they share one esbuild process, which the last one ends. */
let building = 0

/**
 * Writes one folder per function: `index.mjs`, a chunk for each dynamic import, and source maps beside them. The same
 * sources give the same bytes, wherever the checkout is; bundles whose inputs did not change are not built again.
 * @throws Error if the entry of a row is absent or does not compile
 */
export async function buildFunctions(options: BuildOptions): Promise<Bundle[]> {
  const { outDir, functions = FUNCTIONS, sources = path.join(ROOT, 'functions') } = options
  const entryOf = ({ name }: FunctionToBuild) => path.join(sources, name, 'handler.ts')
  const missing = functions.filter((row) => !existsSync(entryOf(row)))
  if (missing.length > 0) throw new Error(`No entry for: ${missing.map(({ name }) => name).join(', ')}`)
  const openApi = options.openApi ?? path.join(ROOT, 'infra/openapi.ts')
  const folder = options.cache ?? (options.sources === undefined ? path.join(ROOT, 'dist/bundles') : undefined)
  const cache = folder === undefined ? undefined : new BundleCache(ROOT, folder)
  const bring = async (row: FunctionToBuild, position: number): Promise<Bundle> => {
    const { name, loads = [] } = row
    const [entry, outdir] = [entryOf(row), path.join(outDir, name)]
    const make = () => {
      options.onBundling?.(name, position, functions.length)
      return bundled({ entry, outdir, openApi, loads })
    }
    // Source maps contain paths relative to the folder.
    const decisive = JSON.stringify([entry, openApi, path.relative(outdir, ROOT), loads])
    return { name, ...(await (cache ? cache.bring(outdir, decisive, make) : brought(outdir, await make()))) }
  }
  building += 1
  try {
    // one after another: each takes some hundred megabytes, and esbuild uses all cores for one
    const bundles: Bundle[] = []
    for (const [at, row] of functions.entries()) bundles.push(await bring(row, at + 1))
    return bundles
  } finally {
    cache?.end()
    building -= 1
    if (building === 0) await stop()
  }
}

function brought<Facts>(outdir: string, { files, facts }: Made<Facts>): Facts {
  writeChanged(outdir, files)
  return facts
}

interface Making {
  readonly entry: string
  readonly outdir: string
  readonly openApi: string
  readonly loads: readonly string[]
}

async function bundled({ entry, outdir, openApi, loads }: Making): Promise<Made<Omit<Bundle, 'name'>>> {
  const described: string[] = []
  const { metafile, outputFiles } = await build({
    write: false,
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true, // a dynamic import remains separate: a cold start loads only what it needs
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'], // unused code of ES modules can be removed, that of CommonJS cannot
    conditions: ['module'],
    // The SDK is bundled although Lambda has one: a bundle loads several times faster than the runtime's many files,
    // and its version is the tested one.
    external: [],
    banner: { js: REQUIRE },
    minify: true,
    keepNames: true, // the SDK and logs compare errors by name
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'external',
    metafile: true,
    plugins: [
      openApiPlugin(openApi, path.dirname(outdir), (inputs) => described.push(...inputs)),
      pagesPlugin((inputs) => described.push(...inputs)),
      REQUIRED,
      loading(loads),
    ],
    logLevel: 'silent', // a failure throws with all its messages
  })
  const split = new Map(outputFiles.map((file) => [file.path, file.contents]))
  const merged = await mergeStart(ROOT, { files: split, outputs: metafile.outputs })
  const files = new Map([...merged.files].map(([file, contents]) => [path.basename(file), contents]))
  return { files, inputs: [...sourcesOf(metafile), ...described], facts: weigh(files, merged.outputs) }
}

/** Files among the inputs. Modules of plugins have a namespace, and no file; packages change with the lock file. */
const sourcesOf = ({ inputs }: { readonly inputs: Readonly<Record<string, unknown>> }): string[] =>
  Object.keys(inputs).filter((input) => !/^keymgr[a-z-]*:|(?:^|\/)node_modules\//.test(input))

/** The row of a room, a cloud or a protocol, in the folder with its name. */
const ROW = /shared[/\\](?:.+[/\\])?([^/\\]+)[/\\](?:room|cloud|protocol)\.ts$/

/** A field of the row, at Prettier's indentation; one of several loaders in a field; a module that is loaded. */
const LOADERS = /^ {2}(\w+):|(?:'([\w-]*)'|\b([\w-]+)): async|import\('([^']+)'\)/gm

/** @returns the names under which a row loads each of its modules; see `loads` in infra/functions.ts */
function loadNames(source: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>()
  let [field, part] = ['', '']
  for (const [, top, quoted, plain, module] of source.matchAll(LOADERS)) {
    if (top !== undefined) [field, part] = [top, '']
    else if (module === undefined) part = quoted ?? plain ?? ''
    else names.set(module, [...(names.get(module) ?? []), part === '' ? field : `${field}.${part}`])
  }
  return names
}

/**
 * Omits modules that rows load but the function does not: otherwise, with ten clouds, each function would contain the
 * code of all.
 */
function loading(loads: readonly string[]): Plugin {
  const isLoaded = (importer: string, folder: string, module: string): boolean => {
    const names = loadNames(readFileSync(importer, 'utf8')).get(module) ?? []
    return ['*', `${folder}/*`, ...names].some((name) => loads.includes(name))
  }
  return {
    name: 'keymgr-loading',
    setup(bundler) {
      bundler.onResolve({ filter: /^\./ }, ({ path: name, kind, importer }) => {
        const row = kind === 'dynamic-import' ? ROW.exec(importer) : null
        if (row === null || isLoaded(importer, row[1] ?? '', name)) return undefined
        return { path: name, namespace: 'keymgr-not-loaded' }
      })
      bundler.onLoad({ filter: /.*/, namespace: 'keymgr-not-loaded' }, ({ path: name }) => ({
        contents: `throw new Error(${JSON.stringify(`${name} is not in this bundle: see loads in infra/functions.ts`)})`,
        loader: 'js',
      }))
    },
  }
}

/**
 * `keymgr:openapi` is the API description as JSON, `keymgr:actions` the actions that policies can name; both are
 * generated from the operations during the build.
 * @param tell is called with the sources of the result
 */
function openApiPlugin(module: string, folder: string, tell: (inputs: readonly string[]) => void): Plugin {
  return {
    name: 'keymgr-openapi',
    setup(bundler) {
      bundler.onResolve({ filter: DESCRIBED }, ({ path: name }) => ({ path: name, namespace: 'keymgr' }))
      bundler.onLoad({ filter: /.*/, namespace: 'keymgr' }, async ({ path: name }) => {
        const { metafile, described } = await describe(module, folder)
        tell(sourcesOf(metafile))
        const made = name === 'keymgr:openapi' ? await described.openApiDocument() : described.actionTable()
        return { contents: JSON.stringify(made), loader: 'json' }
      })
    },
  }
}

/** `keymgr:pages` is the files of the pages. @param tell is called with the sources of the result */
const pagesPlugin = (tell: (inputs: readonly string[]) => void): Plugin => ({
  name: 'keymgr-pages',
  setup(bundler) {
    bundler.onResolve({ filter: /^keymgr:pages$/ }, ({ path: name }) => ({ path: name, namespace: 'keymgr-pages' }))
    bundler.onLoad({ filter: /.*/, namespace: 'keymgr-pages' }, async () => {
      const { files, inputs } = await buildPages()
      tell(inputs)
      return { contents: JSON.stringify(files), loader: 'json' }
    })
  },
})

const DESCRIBED = /^keymgr:(?:openapi|actions)$/

interface Described {
  readonly openApiDocument: () => object | Promise<object>
  readonly actionTable: () => object
}

/** The description does not include the functions that serve it and the pages, so they get empty modules. */
const NOT_DESCRIBED: Plugin = {
  name: 'keymgr-not-described',
  setup(bundler) {
    bundler.onResolve({ filter: /^keymgr:(?:openapi|actions|pages)$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'keymgr',
    }))
    bundler.onLoad({ filter: /.*/, namespace: 'keymgr' }, () => ({ contents: '{}', loader: 'json' }))
  },
}

/** Runs the present module, even if this process has loaded an earlier state of it. */
async function describe(
  module: string,
  folder: string,
): Promise<Pick<BuildResult<{ metafile: true }>, 'metafile'> & { described: Described }> {
  const outfile = path.join(folder, `openapi-${process.pid}.mjs`)
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [module],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    metafile: true,
    plugins: [NOT_DESCRIBED],
    logLevel: 'silent',
  })
  try {
    const described = (await import(`${pathToFileURL(outfile).href}?${Date.now()}`)) as Described
    return { metafile, described }
  } finally {
    rmSync(outfile)
  }
}

/**
 * An ES import of one of Node's own modules reads all its exports, including those that load further code when they are
 * read: `node:http` then loads all of fetch, 30 ms of a cold start, `node:crypto` all of Web Crypto, 3 ms. A `require`
 * reads only the properties that are used by name. But esbuild's code between an import and CommonJS reads every
 * property, and those of `node:util` load worker threads, 4 ms.
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

/** The text of a module with the exports of one of Node's own; unused ones are removed from the bundle. */
function exportsByName(name: string): string {
  const names = Object.getOwnPropertyNames(process.getBuiltinModule(name)).filter((each) => /^[A-Za-z_]\w*$/.test(each))
  const exported = names.map((each) => `export const ${each} = /* @__PURE__ */ (() => all.${each})()`)
  return [`const all = require(${JSON.stringify(name)})`, ...exported, 'export default all'].join('\n')
}

interface Output {
  readonly imports: readonly { readonly path: string; readonly kind: string }[]
}

function weigh(
  files: ReadonlyMap<string, Uint8Array>,
  outputs: Readonly<Record<string, Output>>,
): Omit<Bundle, 'name'> {
  const modules = Object.keys(outputs).filter((file) => file.endsWith('.mjs'))
  const content = (file: string): Uint8Array => files.get(path.basename(file)) ?? Buffer.of()
  const atStart = new Set<string>()
  const visit = (file: string) => {
    if (atStart.has(file)) return
    atStart.add(file)
    for (const { path: next, kind } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[next] !== undefined) visit(next)
    }
  }
  const index = modules.find((file) => path.basename(file) === 'index.mjs')
  if (index !== undefined) visit(index)
  const sum = (some: Iterable<string>, size: (bytes: Uint8Array) => number) =>
    [...some].reduce((total, file) => total + size(content(file)), 0)
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
