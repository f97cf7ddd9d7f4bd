/**
 * `npm run bench`: measures the promised figures and compares them with their promises. Names after the command (`node
 * bench/run.ts get-key seal`) run only those. Exits with 1 when a bench throws, or when a promise is broken beyond the
 * noise; with `--quick` only in the first case. `--keep <path>` writes the run to `<path>.json` and `<path>.md`;
 * `--compare <path>.json` prints which figures moved since that run.
 */
import { fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import { buildFunctions } from '../infra/build.ts'
import { MOVABLE_CLOCK } from '../shared/base/clock.ts'
import { answerParent, apart } from './apart.ts'
import { measureEach } from './each.ts'
import { verdictOf, type Figure } from './figure.ts'
import { keepRun, movesBetween, readRun, runOf, type KeptRun } from './kept.ts'
import { isQuick } from './scale.ts'
import { BUNDLES } from './service.ts'

type Measured = Readonly<Record<string, () => Promise<{ measure: () => Promise<Figure[]> }>>>

const USUAL: Measured = {
  'get-key': () => import('./get-key.ts'),
  'create-key': () => import('./create-key.ts'),
  'list-keys': () => import('./list-keys.ts'),
  'client-grant': () => import('./client-grant.ts'),
  'anonymous-bodies': () => import('./anonymous-bodies.ts'),
  clients: () => import('./clients.ts'),
  'list-patterns': () => import('./list-patterns.ts'),
  seal: () => import('./seal.ts'),
  'cold-start': () => import('./cold-start.ts'),
  xks: () => import('./xks.ts'),
  ekm: () => import('./ekm.ts'),
  'ekm-session': () => import('./ekm-session.ts'),
  dke: () => import('./dke.ts'),
  kacls: () => import('./kacls.ts'),
  'external-encrypt': () => import('./cloud-d/external-encrypt.ts'),
  datacust: () => import('./datacust.ts'),
  'pipeline-steps': () => import('./pipeline-steps.ts'),
  'blocks-and-levels': () => import('./blocks-and-levels.ts'),
  'crm-fetch': () => import('./crm/fetch.ts'),
  'xks-front-door': () => import('./xks-front-door.ts'),
  'table-read': () => import('./table-read.ts'),
  'xks-ivs': () => import('./xks-ivs.ts'),
  synchronize: () => import('./cloud-a/synchronize.ts'),
  'synchronize-cloud-b': () => import('./cloud-b/synchronize.ts'),
  'synchronize-cloud-d': () => import('./cloud-d/synchronize.ts'),
  'synchronize-datacust': () => import('./datacust/synchronize.ts'),
  'synchronize-crm': () => import('./crm/synchronize.ts'),
  'bulk-policies': () => import('./bulk-policies.ts'),
  rego: () => import('./rego.ts'),
  'rego-upload': () => import('./rego-upload.ts'),
  'rotation-run': () => import('./rotation-run.ts'),
  'scheduled-starts': () => import('./scheduled-starts.ts'),
  report: () => import('./report.ts'),
  outbox: () => import('./outbox.ts'),
  'log-delivery': () => import('./log-delivery.ts'),
  'verify-export': () => import('./verify-export.ts'),
  sdk: () => import('./sdk.ts'),
  cli: () => import('./cli.ts'),
  console: () => import('./console/console.ts'),
  'console-heap': () => import('./console/heap.ts'),
}
/** Takes many minutes, so it is measured only when named. */
const WHEN_NAMED: Measured = {
  'export-audit-log': () => import('./export-audit-log.ts'),
  'report-memory': () => import('./report-memory.ts'),
  'synchronize-memory': () => import('./cloud-a/synchronize-memory.ts'),
  'synchronize-memory-cloud-b': () => import('./cloud-b/synchronize-memory.ts'),
  'synchronize-memory-cloud-d': () => import('./cloud-d/synchronize-memory.ts'),
}
const FIGURES: Measured = { ...USUAL, ...WHEN_NAMED }

/**
 * Each in a process of its own, so that it shares no compiled code, heap or caches with another. Log lines are
 * discarded.
 */
async function measureApart(name: string): Promise<Figure[]> {
  const from = performance.now()
  const child = fork(import.meta.filename, isQuick ? [name, '--quick'] : [name], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced', // JSON would turn NaN into null, which is below every limit
    env: { ...process.env, [MOVABLE_CLOCK]: 'true' }, // handlers in the bench's process use the clock of `passTime`
  })
  const { ask, stop } = apart(child)
  try {
    return (await ask(name)) as Figure[]
  } finally {
    await stop()
    console.error(`${name}: ${((performance.now() - from) / 1_000).toFixed(0)} s`)
  }
}

const number = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(2))

function promiseOf({ promise }: Figure): string {
  if (promise === undefined) return ''
  if ('atMost' in promise) return `≤ ${promise.atMost}`
  return 'atLeast' in promise ? `≥ ${promise.atLeast}` : `= ${promise.exactly}`
}

function rowOf(figure: Figure): string[] {
  const { median, low, high } = figure.measured
  const spread = low === high ? '' : `${number(low)} – ${number(high)}`
  return [figure.name, number(median), spread, promiseOf(figure), verdictOf(figure), figure.note]
}

const HEAD = ['figure', 'ratio', '95 % interval', 'promise', 'verdict', 'measured']

function print(rows: readonly (readonly string[])[]): void {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

const numbersOf = (figure: Figure | undefined): string =>
  figure === undefined ? '' : rowOf(figure).slice(1, 3).join(' ').trim()

/** @param isWhole whether all benches ran: only then does a missing figure count as removed */
function printMoves(kept: KeptRun, figures: readonly Figure[], isWhole: boolean): void {
  const moves = movesBetween(kept.figures, figures).filter(({ move }) => isWhole || move !== 'gone')
  console.log(`\nSince commit ${kept.commit} of ${kept.date} (${kept.machine}):`)
  if (moves.length === 0) console.log('no figure left its interval')
  else
    print([
      ['figure', 'moved', 'before', 'now'],
      ...moves.map(({ move, before, after }) => [
        (after ?? before)?.name ?? '',
        move,
        numbersOf(before),
        numbersOf(after),
      ]),
    ])
}

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, keep: { type: 'string' }, compare: { type: 'string' } },
})
const unknown = names.find((name) => FIGURES[name] === undefined)
if (unknown !== undefined)
  throw new Error(`There is no figure ${unknown}; there are ${Object.keys(FIGURES).join(', ')}`)

if (process.send) {
  answerParent(async (name) => (await FIGURES[String(name)]?.())?.measure())
} else {
  const kept = options.compare === undefined ? undefined : await readRun(options.compare)
  await buildFunctions({ outDir: BUNDLES })
  const { figures, broken } = await measureEach(names.length > 0 ? names : Object.keys(USUAL), measureApart)
  const rows = [HEAD, ...figures.map(rowOf)]
  print(rows)
  if (kept !== undefined) printMoves(kept, figures, names.length === 0)
  if (options.keep !== undefined) await keepRun(options.keep, runOf(figures), rows)
  for (const { name, error } of broken) console.error(`\n${name} broke: ${error.message}`)
  const isWorse = !isQuick && figures.some((figure) => verdictOf(figure) === 'broken')
  if (isWorse || broken.length > 0) process.exitCode = 1
}
