import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildFunctions } from '../../../infra/build.ts'
import type { FunctionRow } from '../../../infra/functions.ts'

export const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url))

/** A deployment of five small functions. */
export const ROWS: readonly FunctionRow[] = [
  { name: 'echo', prefixes: ['/api/v1/echo', '/api/v1/echo/deep'], memoryMiB: 256, timeoutSeconds: 10, grants: [] },
  { name: 'trouble', prefixes: ['/api/v1/echo/deep/trouble'], memoryMiB: 256, timeoutSeconds: 2, grants: [] },
  {
    name: 'triggers',
    prefixes: [],
    memoryMiB: 256,
    timeoutSeconds: 20,
    grants: ['reads', 'writes', 'publishes', 'starts-flows'],
  },
  {
    name: 'keeper',
    prefixes: [],
    memoryMiB: 256,
    timeoutSeconds: 10,
    grants: ['keeps-schedules'],
  },
  { name: 'front', prefixes: ['$default'], memoryMiB: 256, timeoutSeconds: 10, grants: [] },
]

const made = new Set<string>()
process.once('exit', () => made.forEach((folder) => fs.rmSync(folder, { recursive: true, force: true })))

/** A new temporary folder, deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keymgr-test-'))
  made.add(folder)
  return folder
}

/** Builds the functions of `ROWS`; returns their folder. */
export async function buildFixtures(): Promise<string> {
  const outDir = temporaryFolder()
  await buildFunctions({ outDir, functions: ROWS, sources: FIXTURES })
  return outDir
}
