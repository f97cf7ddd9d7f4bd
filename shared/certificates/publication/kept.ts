import type { BoundedCache } from '../../base/bounded-cache.ts'

/** An answer of this instance, and when it was made. */
export interface Kept<Made> {
  readonly atMs: number
  readonly made: Promise<Made>
}

/** The kept answer, unless it is older; concurrent requests wait for the same one. A failure is not kept. */
export function keptFor<Made>(
  ms: number,
  kept: BoundedCache<Kept<Made>>,
  name: string,
  now: Date,
  make: () => Promise<Made>,
): Promise<Made> {
  const known = kept.get(name)
  const age = now.getTime() - (known?.atMs ?? -Infinity)
  if (known !== undefined && age >= 0 && age < ms) return known.made
  const entry = { atMs: now.getTime(), made: make() }
  kept.set(name, entry)
  entry.made.catch(() => kept.get(name) === entry && kept.delete(name))
  return entry.made
}
