import { useQuery, type QueryKey } from '@tanstack/preact-query'
import { useEffect, useRef } from 'preact/hooks'
import { isProblem } from '../sdk/problem.ts'
import { queries } from './service.ts'

/** Pauses between reads of a job in progress; the last one repeats. */
const PAUSES_MS = [500, 1_000, 1_000, 2_000, 3_000, 5_000]
const LONGEST_MS = 10_000

/** The pause after this many reads; longer while the service does not answer. */
export const pauseAfter = (reads: number, failures: number): number =>
  failures > 0 ? LONGEST_MS : (PAUSES_MS[reads - 1] ?? PAUSES_MS.at(-1) ?? LONGEST_MS)

/** Permanent refusals, for example because a record is deleted. */
const isForGood = (error: unknown): boolean => isProblem(error, 'denied', 'not-found', 'invalid', 'unsupported')

interface Watched<T> {
  readonly key: QueryKey
  readonly load: (signal: AbortSignal) => Promise<T>
  readonly isOver: (answer: T) => boolean
  /** started a moment ago: the rest of the page is loaded again even if the first answer reports the end */
  readonly isNew?: boolean
}

/**
 * Reads a job repeatedly until it ends or is permanently refused, but not while the page is hidden. Only the latest
 * answer is kept. At the end, everything else on the page is loaded again.
 */
export function useLive<T>({ key, load, isOver, isNew = false }: Watched<T>) {
  const query = useQuery<T>({
    queryKey: key,
    queryFn: ({ signal }) => load(signal),
    refetchInterval: ({ state: { data, error, dataUpdateCount, fetchFailureCount } }) =>
      (data !== undefined && isOver(data)) || isForGood(error) ? false : pauseAfter(dataUpdateCount, fetchFailureCount),
    refetchIntervalInBackground: false,
  })
  const { data } = query
  const wasUnderWay = useRef(isNew)
  useEffect(() => {
    if (data === undefined) return
    if (!isOver(data)) wasUnderWay.current = true
    else if (wasUnderWay.current) {
      wasUnderWay.current = false
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] })
    }
  }, [data])
  return query
}
