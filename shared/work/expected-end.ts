import { later } from '../base/time.ts'
import { Time } from '../http/common-fields.ts'

/** Ours: the interface shows no end of work before it is over. */
export const ExpectedEnd = Time.meta({
  description:
    'when the work will be over at its present pace; absent before the first item is done, and when it is over',
})

/** Work of a known number of parts. */
interface Progress {
  readonly startedAt: string
  readonly done: number
  readonly total: number
}

/**
 * The end of work whose remaining parts take as long as the finished ones did on average.
 * @returns ISO 8601; `undefined` before the first part is finished, and after the last one
 */
export function expectedEnd({ startedAt, done, total }: Progress, now: Date): string | undefined {
  const left = total - done
  if (done <= 0 || left <= 0) return undefined
  const elapsedMs = Math.max(0, now.getTime() - Date.parse(startedAt))
  return later(now, (elapsedMs / done) * left).toISOString()
}
