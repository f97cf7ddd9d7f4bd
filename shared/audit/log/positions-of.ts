import { endOfBatch, factsAt, factsBetween, lastBatch, type BatchFacts } from './batches.ts'

/** A contiguous range of positions: `first` up to `end`, not included. */
export interface Positions {
  readonly first: number
  readonly end: number
}

/** Start of the first batch that was made at `ms` or later; `size` if there is none. Batches are in the order of their making. */
async function madeFrom(domain: string, ms: number, size: number): Promise<number> {
  let [low, high] = [0, size]
  while (low < high) {
    const batch = await factsAt(domain, Math.floor((low + high) / 2))
    if (batch === undefined) return low
    if (Date.parse(batch.at) < ms) low = endOfBatch(batch)
    else high = batch.start
  }
  return low
}

/**
 * Batches that may hold records of a time (`createdAt` from `from` to `to`, both included), as their contiguous range of
 * positions; `undefined`: none. Records come to the log a little after their time, or much later when a log delivery was
 * late: the search reaches as far beyond the time as the latest record of the domain was late.
 */
export async function positionsOf(domain: string, from: string, to: string): Promise<Positions | undefined> {
  const last = await lastBatch(domain)
  if (last === undefined) return undefined
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)]
  if (fromMs > toMs) return undefined
  const size = endOfBatch(last)
  const bounds = {
    first: await madeFrom(domain, fromMs - last.mostAhead, size),
    end: await madeFrom(domain, toMs + last.mostLate + 1, size),
  }
  const holds = ({ earliest, latest }: BatchFacts): boolean =>
    Date.parse(latest) >= fromMs && Date.parse(earliest) <= toMs
  if (bounds.first >= bounds.end) return undefined
  for await (const first of factsBetween(domain, bounds, 'oldest first'))
    if (holds(first))
      for await (const newest of factsBetween(domain, { ...bounds, first: first.start }, 'newest first'))
        if (holds(newest)) return { first: first.start, end: endOfBatch(newest) }
  return undefined
}
