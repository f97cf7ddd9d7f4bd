/** Runs of the bench that are kept in a file, and the comparison of a run with a kept one. */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg, totalmem } from 'node:os'
import { format } from 'prettier'
import { z } from 'zod'
import type { Figure } from './figure.ts'

/** JSON has no NaN: a figure without a measurement is kept as null. */
const measuredNumber = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN)

const keptFigure = z.object({
  name: z.string(),
  measured: z.object({ median: measuredNumber, low: measuredNumber, high: measuredNumber }),
  promise: z
    .union([z.object({ atMost: z.number() }), z.object({ atLeast: z.number() }), z.object({ exactly: z.number() })])
    .optional(),
  note: z.string(),
})

const keptRun = z.object({
  /** processor, cores, memory and Node's version */
  machine: z.string(),
  /** ISO 8601 */
  date: z.string(),
  /** short hash; `+` after it: with changes that were not committed */
  commit: z.string(),
  /** processes that waited for a core, as an average of the last 15 minutes: above the number of cores, others used them */
  load: z.number().optional(),
  figures: z.array(keptFigure).readonly(),
})
export type KeptRun = Readonly<z.infer<typeof keptRun>>

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()

/** A run that ended now, on this machine, of the code that is checked out. */
export function runOf(figures: readonly Figure[]): KeptRun {
  const cores = cpus()
  const memory = (totalmem() / 2 ** 30).toFixed(0)
  return {
    machine: `${cores[0]?.model.trim() ?? process.arch}, ${cores.length} cores, ${memory} GiB, Node ${process.version}`,
    date: new Date().toISOString(),
    commit: `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`,
    load: loadavg()[2] ?? 0,
    figures,
  }
}

/** A machine that others use measures ratios with wide intervals, and absolute numbers that mean little. */
const sharedWords = ({ load, machine }: KeptRun): string => {
  const cores = Number(/(\d+) cores/.exec(machine)?.[1])
  if (load === undefined || !(load > cores)) return ''
  return ` The machine was shared: its load was ${load.toFixed(1)} on ${cores} cores, so intervals are wide, and absolute numbers mean little.`
}

/** @throws ZodError for a file that is no kept run, SyntaxError, and faults of reading it */
export const readRun = async (path: string): Promise<KeptRun> => keptRun.parse(JSON.parse(await readFile(path, 'utf8')))

/** Writes `<path>.json`, for comparison with later runs, and `<path>.md`, the same figures for a reader. */
export async function keepRun(path: string, run: KeptRun, rows: readonly (readonly string[])[]): Promise<void> {
  await writeFile(`${path}.json`, `${JSON.stringify(run, null, 2)}\n`)
  const [head = [], ...rest] = rows
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const table = [line(head), line(head.map(() => '---')), ...rest.map(line)].join('\n')
  const where = `Commit ${run.commit}, ${run.date}, on ${run.machine}.${sharedWords(run)}`
  const text = `# Figures\n\n${where} \`npm run bench\` measures them again; \`--keep <path>\` writes this page.\n\n${table}\n`
  await writeFile(`${path}.md`, await format(text, { parser: 'markdown', printWidth: 120 }))
}

export type Move = 'better' | 'worse' | 'higher' | 'lower' | 'new' | 'gone'

/**
 * The figures that moved between two runs: their 95 % intervals do not overlap, or only one run has them. A figure that
 * has no better direction (without a promise, or with an exact one) is higher or lower.
 */
export function movesBetween(
  before: readonly Figure[],
  after: readonly Figure[],
): readonly { readonly move: Move; readonly before?: Figure | undefined; readonly after?: Figure | undefined }[] {
  const earlier = new Map(before.map((figure) => [figure.name, figure]))
  const names = new Set(after.map(({ name }) => name))
  const moved = after.flatMap((figure) => {
    const old = earlier.get(figure.name)
    const move = old === undefined ? 'new' : moveOf(old, figure)
    return move === undefined ? [] : [{ move, before: old, after: figure }]
  })
  const gone = before
    .filter(({ name }) => !names.has(name))
    .map((figure) => ({ move: 'gone' as const, before: figure }))
  return [...moved, ...gone]
}

function moveOf(before: Figure, after: Figure): Move | undefined {
  const isHigher = after.measured.low > before.measured.high
  if (!isHigher && !(after.measured.high < before.measured.low)) return undefined
  const { promise } = after
  if (promise === undefined || 'exactly' in promise) return isHigher ? 'higher' : 'lower'
  return isHigher === 'atLeast' in promise ? 'better' : 'worse'
}
