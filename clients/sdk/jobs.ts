import type { AnswerOf, InitOf } from './calls.ts'
import type { Keymgr } from './client.ts'
import { JOBS } from './described.ts'
import type { Waiting } from './until.ts'

/** One kind of job: work that continues after the call that started it. Names of nested properties contain dots. */
export interface JobRow {
  /** the property with its state */
  readonly status: string
  /** its values while the work continues, and after a failure; all others mean success */
  readonly pending: readonly string[]
  readonly failed: readonly string[]
  /** properties with the causes of a failure */
  readonly reasons?: readonly string[]
  /** the calls that start it */
  readonly begunBy: readonly string[]
  /**
   * path parameters of the job, and the property of the answer to `begunBy` that contains each; the others are path
   * parameters of that call
   */
  readonly ids: Readonly<Record<string, string>>
  /** properties that count the work: numbers, lists, or objects with one member per part */
  readonly done?: string
  readonly left?: string
  readonly total?: string
}

export type JobPath = keyof typeof JOBS

export const isJobPath = (path: string): path is JobPath => Object.hasOwn(JOBS, path)

const rowOf = (path: JobPath): JobRow => JOBS[path]

const at = (record: unknown, property: string): unknown =>
  property
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
      record,
    )

export function statusOf(path: JobPath, record: unknown): string {
  const status = at(record, rowOf(path).status)
  return typeof status === 'string' ? status : ''
}

const WELL = ['Success', 'completed', 'in_progress']

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.map(String)
  return Object.entries((value ?? {}) as Record<string, unknown>)
    .filter(([, text]) => !WELL.includes(String(text)))
    .map(([name, text]) => `${name}: ${String(text)}`)
}

/** A job that failed or was aborted. `record` is its last record; `message` contains the known reasons. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed'
  readonly path: JobPath
  readonly status: string
  readonly record: unknown

  constructor(path: JobPath, record: unknown) {
    const status = statusOf(path, record)
    super(
      [`The job ended as ${status}.`, ...(rowOf(path).reasons ?? []).flatMap((name) => textsOf(at(record, name)))].join(
        '\n',
      ),
    )
    this.path = path
    this.status = status
    this.record = record
  }
}

function countOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (Array.isArray(value)) return value.length
  if (typeof value !== 'object' || value === null) return undefined
  return Object.values(value).filter((text) => text !== 'in_progress').length
}

/** Progress of a job, as reported by its record. */
export interface Progress {
  readonly done?: number
  readonly total?: number
  /** ISO 8601: when the work will be over at its present pace */
  readonly ends?: string
}

export function progressOf(path: JobPath, record: unknown): Progress {
  const [done, left, total] = (['done', 'left', 'total'] as const).map((name) => {
    const property = rowOf(path)[name]
    return property === undefined ? undefined : countOf(at(record, property))
  })
  const finished = done ?? (left !== undefined && total !== undefined ? total - left : undefined)
  const ends = at(record, 'expected_end_at')
  return {
    ...(finished !== undefined && { done: finished }),
    ...(total !== undefined && { total }),
    ...(typeof ends === 'string' && { ends }),
  }
}

/** The path of the job that a call started; `undefined` if the call started none. */
export function jobBegunBy(
  path: string,
  answer: unknown,
  inPath: Readonly<Record<string, string | number>> = {},
): { readonly path: JobPath; readonly init: { readonly path: Readonly<Record<string, string | number>> } } | undefined {
  for (const job of Object.keys(JOBS).filter(isJobPath)) {
    const { begunBy, ids } = rowOf(job)
    if (!begunBy.includes(path)) continue
    const taken = Object.entries(ids).map(([name, property]) => [name, at(answer, property)] as const)
    if (taken.some(([, value]) => typeof value !== 'string')) return undefined
    return { path: job, init: { path: { ...inPath, ...(Object.fromEntries(taken) as Record<string, string>) } } }
  }
  return undefined
}

/**
 * Waits until a job ends, and returns its last record. `waiting.onProgress` receives each record.
 * @throws JobFailed, WaitedTooLong, the reason of the signal, or an error of a call
 */
export async function waitFor<P extends JobPath>(
  keymgr: Pick<Keymgr, 'until'>,
  path: P,
  init: InitOf<'get', P>,
  waiting?: Waiting<AnswerOf<'get', P>>,
): Promise<AnswerOf<'get', P>> {
  const { pending, failed } = rowOf(path)
  const record = await keymgr.until(path, init, (seen) => !pending.includes(statusOf(path, seen)), waiting)
  if (failed.includes(statusOf(path, record))) throw new JobFailed(path, record)
  return record
}
