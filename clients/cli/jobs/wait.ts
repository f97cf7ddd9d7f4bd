import type { Keymgr } from '../../sdk/client.ts'
import { isJobPath, jobBegunBy, JobFailed, progressOf, statusOf, waitFor as waitForJob } from '../../sdk/jobs.ts'
import { WaitedTooLong } from '../../sdk/until.ts'
import { Failure } from '../failures.ts'
import type { Call } from '../operate.ts'
import { printable } from '../output/printable.ts'
import { show, type Wish } from '../output/show.ts'
import { Progress } from './progress.ts'

/** The job that a call started or showed. It is read with the token of the call: the platform has its own. */
function jobOf({ row, path, headers: { authorization } }: Call, answer: unknown) {
  const job =
    row.method !== 'GET'
      ? jobBegunBy(row.path, answer, path)
      : isJobPath(row.path)
        ? { path: row.path, init: { path } }
        : undefined
  if (job === undefined || authorization === undefined) return job
  return { path: job.path, init: { ...job.init, headers: { authorization } } }
}

/** Shows the id of a job before the wait, so that the job can be read later if the wait is interrupted. */
const idOf = (path: string, inPath: Readonly<Record<string, string | number>>): string =>
  String(inPath[/\{(\w+)\}$/.exec(path)?.[1] ?? 'id'] ?? inPath.id ?? '')

const sentence = (text: string): string => (/[.!?:]$/.test(text) ? text : `${text}.`)

/** The failure of a job that was not successful. */
function failureOf(error: unknown): unknown {
  if (error instanceof WaitedTooLong) return new Failure('unavailable', error.message, [], { cause: error })
  if (!(error instanceof JobFailed)) return error
  const [first = '', ...reasons] = error.message.split('\n')
  return new Failure('job', first, reasons.map(sentence), { cause: error })
}

/**
 * Waits for a job, with a bar of its progress on a terminal and lines elsewhere, and shows its end.
 * @throws Failure when it failed; its record is shown before
 */
export async function waitFor(keymgr: Keymgr, call: Call, answer: unknown, wish: Wish): Promise<number> {
  const job = jobOf(call, answer)
  if (job === undefined) {
    await show(answer, wish) // it ended before the answer
    return 0
  }
  const progress = new Progress(process.stderr)
  progress.note(`Job ${printable(idOf(job.path, job.init.path))}`)
  const left = (): void => progress.note('The job goes on at the service.')
  process.prependOnceListener('SIGINT', left)
  try {
    const onProgress = (seen: unknown): void => progress.show(statusOf(job.path, seen), progressOf(job.path, seen))
    const { path, init } = job
    // path and names come from one row of the table of jobs
    const record = await waitForJob(keymgr, path, init as Parameters<typeof waitForJob>[2], { onProgress })
    progress.end()
    await show(record, { ...wish, columns: [] })
    return 0
  } catch (error) {
    progress.end()
    if (error instanceof JobFailed) await show(error.record, { ...wish, columns: [] })
    throw failureOf(error)
  } finally {
    process.removeListener('SIGINT', left)
  }
}
