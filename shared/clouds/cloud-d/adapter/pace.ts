import { BoundedCache } from '../../../base/bounded-cache.ts'
import { wait } from './errors.ts'

/**
 * The cloud takes 10 calls of a class a second from a tenancy, reads too. Ours: nothing is slowed down until it says so; from
 * then on this process keeps a distance between the calls of that class, a little more than is asked for, because other
 * instances and other clients of the tenancy call as well.
 */
const DISTANCE_MS = 125
/** Ours: for so long after the last refusal. */
const SLOW_FOR_MS = 60_000
/** Ours: more tenancies than one instance works for at once. */
const CLASSES_KEPT = 400

interface Pace {
  /** both by the machine's own running time */
  readonly until: number
  readonly nextAt: number
}
const paces = new BoundedCache<Pace>(CLASSES_KEPT)

/** Waits for the turn of a call, where its class was refused lately. @param name of the tenancy and the class */
export async function takeTurn(name: string, budget: AbortSignal): Promise<void> {
  const pace = paces.get(name)
  const now = performance.now()
  if (pace === undefined || pace.until < now) return
  const at = Math.max(now, pace.nextAt)
  paces.set(name, { ...pace, nextAt: at + DISTANCE_MS })
  if (at > now) await wait(at - now, budget)
}

/** The cloud refused a call of the class for its rate. */
export function slowDown(name: string): void {
  const now = performance.now()
  const nextAt = Math.max(now, paces.get(name)?.nextAt ?? 0)
  paces.set(name, { until: now + SLOW_FOR_MS, nextAt })
}
