import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { buildFunctions } from '../../infra/build.ts'
import { temporaryFolder } from './local/deployment-support.ts'

const folders: string[] = []
const freshFolder = () => {
  const folder = temporaryFolder()
  folders.push(folder)
  return folder
}
afterAll(() => folders.forEach((folder) => fs.rmSync(folder, { recursive: true })))

/** A module with state that the start and a module loaded later import; it throws on its fourth line. */
const STATE = `export const seen: string[] = []
interface Erased { readonly line: number }
export const fail = (erased: Erased) => {
  throw new Error(String(erased.line))
}
`
const LATE = "import { seen } from './state.ts'\nseen.push('late')\nexport const late = seen\n"
const HANDLER = `import { fail, seen } from '../state.ts'
seen.push('start')
export const handler = async () => {
  const { late } = await import('../late.ts')
  return { isSame: late === seen, seen, fail }
}
`

/** Builds one function and calls it in a process of its own. @returns its modules, and what the process printed */
async function built(handler: string) {
  const [sources, outDir] = [freshFolder(), freshFolder()]
  fs.mkdirSync(path.join(sources, 'one'))
  for (const [file, text] of Object.entries({ 'state.ts': STATE, 'late.ts': LATE, 'one/handler.ts': handler }))
    fs.writeFileSync(path.join(sources, file), text)
  const [bundle] = await buildFunctions({ outDir, functions: [{ name: 'one' }], sources })
  const entry = pathToFileURL(path.join(outDir, 'one', 'index.mjs')).href
  const code = `const { handler } = await import(${JSON.stringify(entry)})
const { isSame, seen, fail } = await handler()
let stack
try { fail({ line: 4 }) } catch (error) { stack = error.stack }
console.log(JSON.stringify({ isSame, seen, stack }))`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--enable-source-maps', '--input-type=module', '--eval', code])
  const index = fs.readFileSync(path.join(outDir, 'one', 'index.mjs'), 'utf8')
  return { bundle, index, printed: JSON.parse(stdout) as { isSame: boolean; seen: string[]; stack: string } }
}

test('a start is one module that shares its state with modules loaded later, and its errors name the sources', async () => {
  const { bundle, index, printed } = await built(HANDLER)
  expect(index).not.toMatch(/from ?"\.\//)
  expect(bundle?.startBytes).toBe(Buffer.byteLength(index))
  expect(printed).toMatchObject({ isSame: true, seen: ['start', 'late'] })
  expect(printed.stack).toMatch(/state\.ts:4:\d+/)
})

test('a start that waits at its top level stays divided, because the awaited module imports a part of it', async () => {
  const waiting = `import { fail, seen } from '../state.ts'
const { late } = await import('../late.ts')
export const handler = async () => ({ isSame: late === seen, seen, fail })
`
  const { index, printed } = await built(waiting)
  expect(index).toMatch(/from ?"\.\//)
  expect(printed).toMatchObject({ isSame: true, seen: ['late'] })
})
