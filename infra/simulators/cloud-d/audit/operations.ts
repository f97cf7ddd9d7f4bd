import type { HeldEvent } from '../state/held.ts'
import { timeIn } from '../wire/body.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { invalid } from '../wire/errors.ts'
import { listed, requiredQuery } from '../wire/pages.ts'

const MINUTE_MS = 60_000

/** A time in whole minutes. @throws ApiError MissingParameter, InvalidParameter */
function minuteIn(call: Call, name: string): number {
  const at = timeIn(requiredQuery(call, name), name)
  if (at % MINUTE_MS === 0) return at
  throw invalid(`${name} must be a whole minute.`)
}

const compartmentOf = ({ event }: HeldEvent): unknown => event.data.compartmentId

/** Callers cannot choose the size of a page. */
function listEvents(call: Call): Reply {
  const compartmentId = requiredQuery(call, 'compartmentId')
  call.require('inspect', compartmentId)
  const [from, to] = [minuteIn(call, 'startTime'), minuteIn(call, 'endTime')]
  if (to <= from) throw invalid('endTime must be after startTime.')
  const { region, caller, state } = call
  const found = state
    .events(caller.tenancy.id)
    .filter(
      (each) => each.region === region && compartmentOf(each) === compartmentId && each.at >= from && each.at < to,
    )
  const items = found.map((item) => ({ item, by: `${String(item.at).padStart(16, '0')} ${item.eventId}` }))
  return listed(call, items, ({ eventId, event }) => ({ ...event, eventId }), 'ASC')
}

export const auditRoutes: readonly Route[] = [
  {
    ...{ service: 'audit', operation: 'ListEvents', method: 'GET', path: '/20190901/auditEvents' },
    ...{ isRetrySafe: false, run: listEvents },
  },
]
