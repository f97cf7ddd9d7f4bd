import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { isBuiltin } from 'node:module'
import * as path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'
import { FIXTURES, temporaryFolder } from './local/deployment-support.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const folders: string[] = []
const freshFolder = () => {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}
afterAll(() => folders.forEach((folder) => fs.rmSync(folder, { recursive: true })))

const contentOf = (folder: string) =>
  Object.fromEntries(fs.readdirSync(folder).map((name) => [name, fs.readFileSync(path.join(folder, name), 'latin1')]))

test('the same sources give the same bytes in any folder', async () => {
  const [first, second] = [freshFolder(), freshFolder()]
  for (const outDir of [first, second])
    await buildFunctions({ outDir, functions: [{ name: 'echo' }], sources: FIXTURES })
  expect(contentOf(path.join(first, 'echo'))).toEqual(contentOf(path.join(second, 'echo')))
})

test('a dynamic import stays a module of its own, which a start does not load', async () => {
  const outDir = freshFolder()
  const [bundle] = await buildFunctions({ outDir, functions: [{ name: 'echo' }], sources: FIXTURES })
  expect(bundle?.startBytes).toBeLessThan(bundle?.bytes ?? 0)
  const modules = fs.readdirSync(path.join(outDir, 'echo')).filter((name) => name.endsWith('.mjs'))
  expect(modules.length).toBeGreaterThan(1)
  expect(fs.readFileSync(path.join(outDir, 'echo', 'index.mjs'), 'utf8')).not.toContain('loaded when first needed')
})

test('leftovers of an earlier build are removed, and unchanged files are not written', async () => {
  const outDir = freshFolder()
  const build = () => buildFunctions({ outDir, functions: [{ name: 'front' }], sources: FIXTURES })
  await build()
  const index = path.join(outDir, 'front', 'index.mjs')
  const stale = path.join(outDir, 'front', 'chunk-of-yesterday.mjs')
  fs.writeFileSync(stale, '')
  fs.utimesSync(index, 1, 1)
  await build()
  expect(fs.existsSync(stale)).toBe(false)
  expect(fs.statSync(index).mtimeMs).toBe(1000)
})

test('keymgr:openapi is the document that the given module makes', async () => {
  const sources = freshFolder()
  fs.mkdirSync(path.join(sources, 'guide'))
  fs.writeFileSync(
    path.join(sources, 'guide', 'handler.ts'),
    "import api from 'keymgr:openapi'\nexport const handler = () => api\n",
  )
  const openApi = path.join(sources, 'openapi.mjs')
  fs.writeFileSync(openApi, "export const openApiDocument = () => ({ openapi: '3.1.0', paths: {} })\n")
  const outDir = freshFolder()
  await buildFunctions({ outDir, functions: [{ name: 'guide' }], sources, openApi })
  const built = (await import(pathToFileURL(path.join(outDir, 'guide', 'index.mjs')).href)) as {
    handler: () => unknown
  }
  expect(built.handler()).toEqual({ openapi: '3.1.0', paths: {} })
})

/** Builds a handler with one import and a cache. */
function cached() {
  const [sources, outDir, cache] = [freshFolder(), freshFolder(), freshFolder()]
  const write = (file: string, text: string) => {
    const place = path.join(sources, file)
    fs.mkdirSync(path.dirname(place), { recursive: true })
    fs.writeFileSync(place, text)
    fs.utimesSync(place, 1, 1) // written well before the build starts
  }
  write('one/handler.ts', "import { word } from '../word.ts'\nexport const handler = () => word\n")
  write('word.ts', "export const word = 'first'\n")
  const openApi = path.join(sources, 'openapi.mjs')
  const build = (to = outDir) => buildFunctions({ outDir: to, functions: [{ name: 'one' }], sources, cache, openApi })
  const index = (of = outDir) => fs.readFileSync(path.join(of, 'one', 'index.mjs'), 'utf8')
  const entries = () =>
    fs.readdirSync(cache).flatMap((name) => (name.startsWith('one-') ? [path.join(cache, name)] : []))
  return { write, build, index, entries, outDir }
}

/** Marks the cached files, so that a bundle from the cache differs from a new one. */
function mark(entries: readonly string[]): void {
  const manifest = entries.find((entry) => entry.endsWith('.json')) ?? ''
  const marked = fs.readFileSync(manifest, 'utf8').replace(/"startBytes":\d+/, '"startBytes":-1')
  fs.writeFileSync(manifest, marked)
}

test('a bundle is built once as long as its inputs stay, for any target folder', async () => {
  const { build, index, entries } = cached()
  await build()
  mark(entries())
  expect((await build())[0]?.startBytes).toBe(-1)
  const elsewhere = freshFolder()
  expect((await build(elsewhere))[0]?.startBytes).toBe(-1)
  expect(index(elsewhere)).toBe(index())
})

test('a changed input and a new one cause another build', async () => {
  const { write, build, index, entries } = cached()
  await build()
  mark(entries())
  write('word.ts', "export const word = 'second'\n")
  expect((await build())[0]?.startBytes).toBeGreaterThan(0)
  expect(index()).toContain('second')
  write('word.ts', "export { word } from './other.ts'\n")
  write('other.ts', "export const word = 'third'\n")
  await build()
  expect(index()).toContain('third')
  mark(entries())
  write('other.ts', "export const word = 'fourth'\n")
  expect((await build())[0]?.startBytes).toBeGreaterThan(0)
  expect(index()).toContain('fourth')
})

test('an input that went is missed, though the bundle is kept', async () => {
  const { write, build } = cached()
  await build()
  write('one/handler.ts', "export { word as handler } from '../gone.ts'\n")
  await expect(build()).rejects.toThrow('gone.ts')
})

test('a damaged cache and a damaged bundle are repaired', async () => {
  const { build, index, entries, outDir } = cached()
  await build()
  const right = index()
  const built = path.join(outDir, 'one', 'index.mjs')
  fs.writeFileSync(built, 'spoiled')
  await build() // reads from the cache
  expect(index()).toBe(right)
  for (const damage of ['{', '{}', '{"inputs":{},"files":{}}']) {
    fs.writeFileSync(entries().find((entry) => entry.endsWith('.json')) ?? '', damage)
    fs.writeFileSync(built, 'spoiled')
    await build()
    expect(index()).toBe(right)
  }
  const folder = entries().find((entry) => !entry.endsWith('.json')) ?? ''
  fs.writeFileSync(path.join(folder, 'index.mjs'), 'spoiled as well')
  fs.writeFileSync(built, 'spoiled')
  await build()
  expect(index()).toBe(right)
})

test('the API description is generated again when an operation changes', async () => {
  const { write, build, index, entries } = cached()
  write('one/handler.ts', "import api from 'keymgr:openapi'\nexport const handler = () => api\n")
  write('openapi.mjs', "import { paths } from './routes.mjs'\nexport const openApiDocument = () => ({ paths })\n")
  write('routes.mjs', "export const paths = { '/one': {} }\n")
  await build()
  mark(entries())
  expect((await build())[0]?.startBytes).toBe(-1)
  write('routes.mjs', "export const paths = { '/two': {} }\n")
  await build()
  expect(index()).toContain('/two')
})

test('a bundle that asked for one export of node:util loaded worker threads', async () => {
  const sources = freshFolder()
  fs.mkdirSync(path.join(sources, 'thin'))
  fs.writeFileSync(
    path.join(sources, 'thin', 'handler.ts'),
    "import util, { inspect } from 'node:util'\nexport const handler = () => [inspect === util.inspect, inspect(1)]\n",
  )
  const outDir = freshFolder()
  await buildFunctions({ outDir, functions: [{ name: 'thin' }], sources })
  const entry = pathToFileURL(path.join(outDir, 'thin', 'index.mjs')).href
  const code = `const { handler } = await import(${JSON.stringify(entry)}); console.log(JSON.stringify([...handler(), ...process.moduleLoadList]))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
  const [isSame, printed, ...loaded] = JSON.parse(stdout) as unknown[]
  expect([isSame, printed]).toEqual([true, '1'])
  expect(loaded).not.toContain('NativeModule worker_threads')
})

test('a bundle has those modules of a row whose fields its function loads, however the modules are called', async () => {
  const sources = freshFolder()
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(sources, file)), { recursive: true })
    fs.writeFileSync(path.join(sources, file), text)
  }
  const row = 'shared/clouds/tiny/cloud.ts'
  for (const name of ['a', 'b', 'c', 'd']) write(`shared/clouds/tiny/${name}.ts`, `export const is = '${name}'\n`)
  write(
    row,
    `export const tiny = {
  records: async () => (await import('./a.ts')).is,
  synchronize: {
    '': async () => (await import('./b.ts')).is,
    boxes: async () => (await import('./c.ts')).is,
  },
  rotate: async () =>
    (await import('./d.ts')).is,
}
`,
  )
  write(
    'one/handler.ts',
    `import { tiny } from '../${row}'
const { records, rotate, synchronize } = tiny
export const handler = () => Promise.allSettled([records(), synchronize[''](), synchronize.boxes(), rotate()])
`,
  )
  const loaded = async (...loads: string[]) => {
    const outDir = freshFolder()
    await buildFunctions({ outDir, functions: [{ name: 'one', loads }], sources })
    const { handler } = (await import(pathToFileURL(path.join(outDir, 'one', 'index.mjs')).href)) as {
      handler: () => Promise<PromiseSettledResult<string>[]>
    }
    return (await handler()).flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
  }
  expect(await loaded('records', 'synchronize')).toEqual(['a', 'b'])
  expect(await loaded('synchronize.boxes', 'rotate')).toEqual(['c', 'd'])
  expect(await loaded('tiny/*')).toEqual(['a', 'b', 'c', 'd'])
  expect(await loaded('*')).toEqual(['a', 'b', 'c', 'd'])
  expect(await loaded()).toEqual([])
})

test('functions without a handler are named, all of them', async () => {
  const functions = [{ name: 'echo' }, { name: 'nowhere' }, { name: 'neither' }]
  await expect(buildFunctions({ outDir: freshFolder(), functions, sources: FIXTURES })).rejects.toThrow(
    'No entry for: nowhere, neither',
  )
})

test('a handler that does not compile fails with its place', async () => {
  const sources = freshFolder()
  fs.mkdirSync(path.join(sources, 'broken'))
  fs.writeFileSync(path.join(sources, 'broken', 'handler.ts'), 'export const handler = (')
  await expect(buildFunctions({ outDir: freshFolder(), functions: [{ name: 'broken' }], sources })).rejects.toThrow(
    'handler.ts:1:',
  )
})

test('a service that runs, and its demo, need no package that only development has', async () => {
  const { metafile } = await build({
    entryPoints: ['start', 'demo', 'functions/function-worker', 'table/engine-keeper'].map((name) =>
      path.join(ROOT, `infra/local/${name}.ts`),
    ),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
    outdir: 'out',
  })
  const needed = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path: name }) => external === true && !isBuiltin(name))
    .map(({ path: name }) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
  const dependencies = ['.', 'shared/rego', 'infra/simulators'].flatMap((folder) => {
    const file = path.join(ROOT, folder, 'package.json')
    return Object.keys((JSON.parse(fs.readFileSync(file, 'utf8')) as { dependencies: object }).dependencies)
  })
  expect([...new Set(needed)].filter((name) => !dependencies.includes(name))).toEqual([])
  expect(needed).toContain('esbuild')
})
