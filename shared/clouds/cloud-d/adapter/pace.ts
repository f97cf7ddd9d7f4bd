import { BoundedCache } from '../../../base/bounded-cache.ts'
import { wait } from './errors.ts'

/**
 * The cloud accepts 10 calls per second of each class, reads included, from a tenancy. Ours: calls are delayed only
 * after the cloud has refused one for its rate. From then on, this process spaces the calls of that class a little more
 * than required, because other instances and other clients of the tenancy call as well.
 */
const DISTANCE_MS = 125
/** Ours: how long calls are spaced after the last refusal. */
const SLOW_FOR_MS = 60_000
/** Ours: number of paces that are kept; more than one instance uses at once. */
const CLASSES_KEPT = 400

interface Pace {
  /** `until` and `nextAt` are milliseconds of `performance.now` */
  readonly until: number
  readonly nextAt: number
}
const paces = new BoundedCache<Pace>(CLASSES_KEPT)

/** Waits for the turn of a call if its class was refused lately. @param name of the tenancy and the class */
export async function takeTurn(name: string, budget: AbortSignal): Promise<void> {
  const pace = paces.get(name)
  const now = performance.now()
  if (pace === undefined || pace.until < now) return
  const at = Math.max(now, pace.nextAt)
  paces.set(name, { ...pace, nextAt: at + DISTANCE_MS })
  if (at > now) await wait(at - now, budget)
}

/** Records that the cloud refused a call of the class for its rate. */
export function slowDown(name: string): void {
  const now = performance.now()
  const nextAt = Math.max(now, paces.get(name)?.nextAt ?? 0)
  paces.set(name, { until: now + SLOW_FOR_MS, nextAt })
}
