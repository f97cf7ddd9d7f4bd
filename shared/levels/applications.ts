import { DAY_MS, later } from '../base/time.ts'
import type { Context } from '../http/context.ts'
import type { Application } from '../http/dry-run.ts'
import { idOf, piecesOf, whole } from './periods.ts'
import { serviceLevels } from './store.ts'
import { OTHER_CALLERS } from './tally.ts'

/** Days for which the callers of an endpoint count as applications. */
const DAYS = 90
/** Ours: endpoints of one answer, since a row is read for each of their days. */
const ENDPOINTS_MOST = 10
/** Ours: more callers would not make a decision clearer. */
const APPLICATIONS_MOST = 50

const latest = (one: string, other: string): string => (one > other ? one : other)

/** The callers of an endpoint in the last days. A read for each 100 days. */
async function callersOf({ caller, now }: Context, endpoint_id: string): Promise<Application[]> {
  const days = piecesOf(whole({ from: later(now, -DAYS * DAY_MS), to: now }, 'day'), 'day')
  const ids = days.map((piece) => idOf(endpoint_id, piece))
  const found = new Map<string, Application>()
  for (const { item } of await serviceLevels.getMany(caller.domain.id, ids, 'leave out')) {
    const last_day = item.from.slice(0, 10)
    for (const { caller: name, calls } of [...item.callers, { caller: OTHER_CALLERS, ...item.others }]) {
      if (calls === 0) continue
      const before = found.get(name) ?? { calls: 0, last_day }
      found.set(name, {
        ...{ endpoint_id, caller: name, calls: before.calls + calls },
        last_day: latest(before.last_day, last_day),
      })
    }
  }
  return [...found.values()]
}

/** The callers of endpoints in the last 90 days, those with most calls first. */
export async function findApplications(
  context: Context,
  endpoints: readonly string[],
): Promise<readonly Application[]> {
  const found = await Promise.all(endpoints.slice(0, ENDPOINTS_MOST).map((id) => callersOf(context, id)))
  return found
    .flat()
    .sort((one, other) => other.calls - one.calls)
    .slice(0, APPLICATIONS_MOST)
}
