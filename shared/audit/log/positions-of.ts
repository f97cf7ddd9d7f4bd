import { endOfBatch, factsAt, factsBetween, lastBatch, type BatchFacts } from './batches.ts'

/** A contiguous range of positions: `first` (inclusive) to `end` (exclusive). */
export interface Positions {
  readonly first: number
  readonly end: number
}

/**
 * Start of the first batch that was created at `ms` or later; `size` if there is none. Batches are in order of their
 * creation.
 */
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
 * Contiguous range of positions of the batches that may contain records of a time span (`createdAt` from `from` to
 * `to`, both inclusive); `undefined` if there are none. Records are appended a little after their time, or much later
 * after a late log delivery: the search extends the span by the largest delay in the domain.
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
