/**
 * `npm run test:mutation -- <room> [<path of a file or folder in it>]`: changes the code of a room of `shared/` in one
 * place after the other, and runs the room's unit tests on each change. A change that no test finds is listed. Exits with
 * 1 below the least score. Rooms: `rego`, `crypto/asn1`, `store`, ...; a file of a room: `base base/cron.ts`.
 */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'

/** Per cent of the changes that a test must find. */
const LEAST_SCORE = 85
const ROOT = path.resolve(import.meta.dirname, '../..')
const OUT = path.join(ROOT, 'dist/mutation')
const STRYKER = path.join(import.meta.dirname, 'node_modules/@stryker-mutator')

const [room = '', part = room] = process.argv.slice(2)
const code = path.join('shared', part)
if (room === '' || !fs.existsSync(path.join(ROOT, code))) {
  process.stderr.write('npm run test:mutation -- <room> [<path in shared>]\n')
  process.exit(2)
}

const options = {
  testRunner: 'vitest',
  plugins: [path.join(STRYKER, 'vitest-runner/dist/src/index.js')],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  mutate: [code.endsWith('.ts') ? code : `${code}/**/*.ts`],
  ignorePatterns: ['dist', 'docs', 'bench', 'cdk.out', 'test/mutation/node_modules'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  timeoutMS: 20_000,
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: path.join(OUT, `${room.replaceAll('/', '-')}.json`) },
  tempDirName: path.join(OUT, 'sandbox'),
  cleanTempDir: 'always',
  thresholds: { high: 95, low: LEAST_SCORE, break: LEAST_SCORE },
}
fs.mkdirSync(OUT, { recursive: true })
const file = path.join(OUT, 'options.json')
fs.writeFileSync(file, JSON.stringify(options))
const { status } = spawnSync(process.execPath, [path.join(STRYKER, 'core/bin/stryker.js'), 'run', file], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, KEYMGR_MUTATED: room },
})
process.exit(status ?? 1)
