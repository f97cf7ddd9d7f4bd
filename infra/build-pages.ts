import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, type Plugin } from 'esbuild'
import { modulesIn, noticesOf } from './notices.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const packages = createRequire(import.meta.url)

/** A page: its folder in `clients/`, its address, and files of packages that it loads besides its own. */
interface PageRow {
  readonly folder: string
  /** ends with a slash */
  readonly at: string
  readonly entries: readonly string[]
  readonly beside: readonly string[]
  /**
   * Whether it has client-side routes: each address below `at` that is no file serves the page. Its files are below `at
   * + files/`.
   */
  readonly isRouted?: boolean
}

/** Every page of the service. */
const PAGES: readonly PageRow[] = [
  {
    folder: 'clients/guide',
    at: '/api/guide/',
    entries: ['main.ts', 'guide.css'],
    beside: ['swagger-ui-dist/swagger-ui-bundle.js', 'swagger-ui-dist/swagger-ui.css'],
  },
  { folder: 'clients/console', at: '/console/', entries: ['main.tsx', 'console.css'], beside: [], isRouted: true },
]

/** Notices of the packages within a page, beside its files. */
const NOTICES = 'licenses.txt'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

/** A file as the function `pages` serves it. */
interface PageFile {
  readonly type: string
  readonly etag: string
  readonly immutable: boolean
  readonly gzip: string
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex').slice(0, 16)

const fileOf = (name: string, content: Uint8Array, immutable: boolean): PageFile => ({
  type: TYPES[path.extname(name)] ?? 'application/octet-stream',
  etag: `"${hashOf(content)}"`,
  immutable,
  gzip: gzipSync(content, { level: 9 }).toString('base64'),
})

const WITHOUT_MAP = /\n(?:\/\/|\/\*)# sourceMappingURL=[^\n]*\s*$/

interface Built {
  readonly name: string
  /** relative to the folder of the page's files */
  readonly address: string
  readonly content: Uint8Array
  /** addresses of the scripts that it needs at its start */
  readonly needs: readonly string[]
}

const withHash = (name: string, content: Uint8Array): Built => {
  const { name: stem, ext } = path.parse(name)
  return { name, address: `${stem}-${hashOf(content)}${ext}`, content, needs: [] }
}

/** Chunks that an output imports at its start, and those that they import. */
function neededBy(output: string, { outputs }: Metafile): string[] {
  const found = new Set<string>()
  const follow = (each: string): void => {
    for (const { path: file, kind } of outputs[each]?.imports ?? [])
      if (kind === 'import-statement' && !found.has(file)) {
        found.add(file)
        follow(file)
      }
  }
  follow(output)
  return [...found].map((file) => path.basename(file))
}

/**
 * Scripts contain the names of the chunks that they load, so a chunk keeps the name from the bundler, which contains a
 * hash as well.
 */
async function scriptsOf(
  { folder, entries, beside }: PageRow,
  plugins: Plugin[],
): Promise<{ files: Built[]; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    write: false,
    absWorkingDir: ROOT,
    entryPoints: entries.map((entry) => `${folder}/${entry}`),
    outdir: folder,
    chunkNames: 'chunk-[name]-[hash]',
    bundle: true,
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    minify: true,
    legalComments: 'none', // all notices go into one file
    metafile: true,
    logLevel: 'silent',
    plugins,
  })
  const files = outputFiles.map(({ path: file, contents: content }): Built => {
    const name = path.basename(file)
    if (name.startsWith('chunk-')) return { name, address: name, content, needs: [] }
    const needs = neededBy(`${folder}/${name}`, metafile)
    return { ...withHash(name === 'main.js' ? `${path.basename(folder)}.js` : name, content), needs }
  })
  const notices = noticesOf([...modulesIn(metafile), ...beside.map((name) => `node_modules/${name}`)])
  files.push({ name: NOTICES, address: NOTICES, content: Buffer.from(`${notices}\n`), needs: [] })
  return { files, inputs: Object.keys(metafile.inputs).filter((input) => !input.includes('node_modules/')) }
}

const besideOf = (row: PageRow): Built[] =>
  row.beside.map((name) => {
    const text = readFileSync(packages.resolve(name), 'utf8').replace(WITHOUT_MAP, '\n')
    return withHash(path.basename(name), Buffer.from(text))
  })

/**
 * One page: `{{name}}` in its markup becomes the address of a file, which contains the hash of its content, and
 * `{{chunks of name}}` lets the browser request the chunks of a script before it has parsed it.
 */
async function pageOf(row: PageRow, plugins: Plugin[]): Promise<{ files: Record<string, PageFile>; inputs: string[] }> {
  const { files: scripts, inputs } = await scriptsOf(row, plugins)
  const built = [...scripts, ...besideOf(row)]
  const filesAt = row.isRouted === true ? `${row.at}files/` : row.at
  const markup = path.join(row.folder, 'index.html')
  const fileNamed = (name: string): Built => {
    const file = built.find((each) => each.name === name)
    if (file === undefined) throw new Error(`${markup} names ${name}, which is not built`)
    return file
  }
  const preload = (address: string): string => `<link rel="modulepreload" href="${filesAt}${address}" />`
  const html = readFileSync(path.join(ROOT, markup), 'utf8')
    .replace(/\{\{chunks of ([^}]+)\}\}/g, (_, name: string) => fileNamed(name).needs.map(preload).join(''))
    .replace(/\{\{([^}]+)\}\}/g, (_, name: string) => filesAt + fileNamed(name).address)
  const index = fileOf('index.html', Buffer.from(html), false)
  const assets = built.map(
    ({ name, address, content }) => [filesAt + address, fileOf(name, content, name !== NOTICES)] as const,
  )
  return {
    files: {
      [row.at]: index,
      [row.at.slice(0, -1)]: index,
      ...(row.isRouted === true && { [`${row.at}*`]: index }),
      ...Object.fromEntries(assets),
    },
    inputs: [...inputs, markup],
  }
}

/** The files of all pages by their addresses, and their source files. @param plugins of the bundler, for tests */
export async function buildPages(
  plugins: Plugin[] = [],
): Promise<{ files: Record<string, PageFile>; inputs: string[] }> {
  const pages = []
  for (const row of PAGES) pages.push(await pageOf(row, plugins))
  return {
    files: Object.fromEntries(pages.flatMap(({ files }) => Object.entries(files))),
    inputs: ['infra/build-pages.ts', ...pages.flatMap(({ inputs }) => inputs)],
  }
}
