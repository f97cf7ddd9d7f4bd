import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const packages = createRequire(import.meta.url)

/** A page: its folder in `clients/`, where it is served, and files of packages that it loads beside its own. */
interface PageRow {
  readonly folder: string
  /** ends with a slash */
  readonly at: string
  readonly entries: readonly string[]
  readonly beside: readonly string[]
}

/** Every page of the service. */
const PAGES: readonly PageRow[] = [
  {
    folder: 'clients/guide',
    at: '/api/guide/',
    entries: ['main.ts', 'guide.css'],
    beside: ['swagger-ui-dist/swagger-ui-bundle.js', 'swagger-ui-dist/swagger-ui.css'],
  },
]

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** A file as the function `pages` hands it out. */
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

async function scriptsOf({ folder, entries }: PageRow) {
  const { outputFiles, metafile } = await build({
    write: false,
    absWorkingDir: ROOT,
    entryPoints: entries.map((entry) => `${folder}/${entry}`),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
  })
  const files = outputFiles.map(({ path: file, contents }): [string, Uint8Array] => [
    path.basename(file) === 'main.js' ? `${path.basename(folder)}.js` : path.basename(file),
    contents,
  ])
  return { files, inputs: Object.keys(metafile.inputs).filter((input) => !input.includes('node_modules/')) }
}

const besideOf = (row: PageRow): [string, Uint8Array][] =>
  row.beside.map((name) => {
    const text = readFileSync(packages.resolve(name), 'utf8').replace(WITHOUT_MAP, '\n')
    return [path.basename(name), Buffer.from(text)]
  })

/** One page: `{{name}}` in its markup becomes the address of a file, which has the hash of its content. */
async function pageOf(row: PageRow): Promise<{ files: Record<string, PageFile>; inputs: string[] }> {
  const { files: scripts, inputs } = await scriptsOf(row)
  const named = [...scripts, ...besideOf(row)].map(([name, content]) => {
    const { name: stem, ext } = path.parse(name)
    return { name, address: `${row.at}${stem}-${hashOf(content)}${ext}`, content }
  })
  const markup = path.join(row.folder, 'index.html')
  const html = readFileSync(path.join(ROOT, markup), 'utf8').replace(/\{\{([^}]+)\}\}/g, (_, name: string) => {
    const file = named.find((each) => each.name === name)
    if (file === undefined) throw new Error(`${markup} names ${name}, which is not built`)
    return file.address
  })
  const index = fileOf('index.html', Buffer.from(html), false)
  const assets = named.map(({ name, address, content }): [string, PageFile] => [address, fileOf(name, content, true)])
  return {
    files: { [row.at]: index, [row.at.slice(0, -1)]: index, ...Object.fromEntries(assets) },
    inputs: [...inputs, markup],
  }
}

/** The files of all pages by their addresses, and the sources that they were made of. */
export async function buildPages(): Promise<{ files: Record<string, PageFile>; inputs: string[] }> {
  const pages = []
  for (const row of PAGES) pages.push(await pageOf(row))
  return {
    files: Object.assign({}, ...pages.map(({ files }) => files)) as Record<string, PageFile>,
    inputs: ['infra/build-pages.ts', ...pages.flatMap(({ inputs }) => inputs)],
  }
}
