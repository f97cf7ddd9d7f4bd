import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'
import { FIXTURES, temporaryFolder } from './local/deployment-support.ts'

const folders: string[] = []
const freshFolder = () => {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}
afterAll(() => folders.forEach((folder) => fs.rmSync(folder, { recursive: true })))

const contentOf = (folder: string) =>
  Object.fromEntries(fs.readdirSync(folder).map((name) => [name, fs.readFileSync(path.join(folder, name), 'latin1')]))

test('the same sources give the same bytes, wherever they are written to', async () => {
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

test('what an earlier build left is removed, what is right already is not touched', async () => {
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

test('functions without a handler are named, all of them', async () => {
  const functions = [{ name: 'echo' }, { name: 'nowhere' }, { name: 'neither' }]
  await expect(buildFunctions({ outDir: freshFolder(), functions, sources: FIXTURES })).rejects.toThrow(
    'No handler.ts for: nowhere, neither',
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
