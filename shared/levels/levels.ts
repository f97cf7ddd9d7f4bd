import { atOnce } from '../base/at-once.ts'
import { notThere, ruleBroken } from '../base/errors.ts'
import { loadedOf } from '../base/room.ts'
import { DAY_MS, later } from '../base/time.ts'
import type { Context } from '../http/context.ts'
import { decide, type Decision } from '../http/decisions.ts'
import { listedWhole, type ResourceList } from '../resource/listed.ts'
import type { EndpointQuery, LevelledEndpoint, LevelledEndpoints } from './endpoints.ts'
import type {
  ServiceLevel,
  ServiceLevelPart,
  ServiceLevelPartQuery,
  ServiceLevelPeriod,
  ServiceLevelQuery,
} from './model.ts'
import { fewPiecesOf, idOf, monthOf, PERIOD_MS, piecesOf, whole, type Period, type Piece } from './periods.ts'
import { KEPT_DAYS, serviceLevels, type Span, type StoredLevels } from './store.ts'
import { joined, levelOf, NO_CALLS, OTHER_CALLERS, sumOf, wholeOf } from './tally.ts'

/** Ours: maximum number of endpoints on a page, because each needs up to a month of figures. */
const ENDPOINTS_A_PAGE = 100
/** Ours: maximum number of endpoints in a sorted list. */
const SORTED_MOST = 500
const ENDPOINTS_AT_ONCE = 8
const DAYS_MOST = KEPT_DAYS.day
/** Ours: maximum number of days in an answer by hour. */
const DAYS_BY_HOUR = 31

/** An endpoint and its protocol. */
interface Found {
  readonly endpoint: LevelledEndpoint
  readonly of: LevelledEndpoints
}

/** The records of an endpoint for these hours and days. One read for each 100 of them. */
const read = async ({ caller }: Context, { id }: LevelledEndpoint, pieces: readonly Piece[]): Promise<StoredLevels[]> =>
  (
    await serviceLevels.getMany(
      caller.domain.id,
      pieces.map((piece) => idOf(id, piece)),
      'leave out',
    )
  ).map(({ item }) => item)

async function shown(context: Context, { endpoint, of }: Found, period: Period): Promise<ServiceLevel> {
  const pieces = await read(context, endpoint, fewPiecesOf(period, context.now))
  const { limitMs, objective, protocol } = of
  const { id, uri, name } = endpoint
  return {
    ...{ id, uri, name, protocol, from: period.from.toISOString(), to: period.to.toISOString() },
    ...levelOf(pieces.map(wholeOf).reduce(sumOf, NO_CALLS), objective),
    ...{ time_limit_ms: limitMs, objective },
  }
}

/** @throws Refusal NOT_FOUND, also for an endpoint that the caller may not read */
async function findEndpoint(context: Context, id: string): Promise<Found> {
  const tried = await Promise.all(
    (await loadedOf('levels')).map(async (of) => ({ of, endpoint: await of.find(context, id) })),
  )
  for (const { of, endpoint } of tried) {
    if (endpoint === undefined) continue
    const decision = await decide(context.caller, of.read, context.now)
    if (decision.refusalOf(endpoint) === undefined) return { of, endpoint }
  }
  throw notThere('There is no such endpoint.')
}

/**
 * The period of a query, in whole hours, or in whole days if it begins before the hours that are kept. Default: the last
 * 30 days. @throws Refusal RULE_BROKEN
 */
function periodOf({ from, to }: ServiceLevelPeriod, now: Date, asked: Span): Period {
  const end = to === undefined ? now : new Date(to)
  const begin = from === undefined ? later(end, -PERIOD_MS.month) : new Date(from)
  if (begin.getTime() >= end.getTime()) throw ruleBroken('from', 'must be before to')
  if (end.getTime() - begin.getTime() > DAYS_MOST * DAY_MS)
    throw ruleBroken('from', `must be at most ${DAYS_MOST} days before to`)
  const hoursSince = later(now, -KEPT_DAYS.hour * DAY_MS)
  return whole({ from: begin, to: end }, begin < hoursSince ? 'day' : asked)
}

/** GET /v1/service-levels/{id} */
export async function getLevel(context: Context, id: string, query: ServiceLevelPeriod): Promise<ServiceLevel> {
  return shown(context, await findEndpoint(context, id), periodOf(query, context.now, 'hour'))
}

const isWhollyRefused = ({ isSame, refusalOf }: Decision): boolean => isSame && refusalOf({ uri: '' }) !== undefined

/** The protocols whose endpoints the caller may read, with the decision on each. */
async function readable({ caller, now }: Context, names: readonly string[] | undefined) {
  const all = await loadedOf('levels')
  const known = all.map(({ protocol }) => protocol)
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw ruleBroken('protocol', `must be one of ${known.join(', ')}`)
  const wanted = all.filter(({ protocol }) => names?.includes(protocol) ?? true)
  const decided = await Promise.all(wanted.map(async (of) => ({ of, decision: await decide(caller, of.read, now) })))
  return decided.filter(({ decision }) => !isWhollyRefused(decision))
}

/** A page of the endpoints of all protocols, in the order of the protocols, and their total number. */
async function endpointsAt(
  context: Context,
  protocols: Awaited<ReturnType<typeof readable>>,
  query: EndpointQuery,
): Promise<{ readonly total: number; readonly found: Found[] }> {
  const found: Found[] = []
  let total = 0
  for (const { of, decision } of protocols) {
    const [first, end] = [Math.max(query.skip - total, 0), query.skip + query.limit - total]
    const page = await of.list(context, { ...query, skip: first, limit: Math.max(end - first, 1) })
    total += page.total
    const onPage = end > first ? page.resources : []
    const seen = onPage.filter((endpoint) => decision.refusalOf(endpoint) === undefined)
    found.push(...seen.map((endpoint) => ({ of, endpoint })))
  }
  return { total, found }
}

/**
 * GET /v1/service-levels. Ours: a page has at most 100 endpoints. `sort` reads the figures of all endpoints, so a sorted
 * list has at most 500.
 * @throws Refusal RULE_BROKEN
 */
export async function listLevels(
  context: Context,
  { over, protocol: names, sort, ...query }: ServiceLevelQuery,
): Promise<ResourceList<ServiceLevel>> {
  const { now } = context
  const { skip } = query
  const limit = Math.min(query.limit, ENDPOINTS_A_PAGE)
  const period = whole({ from: later(now, -PERIOD_MS[over]), to: now }, over === 'month' ? 'day' : 'hour')
  const page = sort === undefined ? { skip, limit } : { skip: 0, limit: SORTED_MOST }
  const { total, found } = await endpointsAt(context, await readable(context, names), { ...query, ...page })
  if (sort !== undefined && total > SORTED_MOST)
    throw ruleBroken('sort', `is for at most ${SORTED_MOST} endpoints: narrow them by protocol and name`)
  const resources = await atOnce(found, ENDPOINTS_AT_ONCE, (one) => shown(context, one, period))
  return sort === undefined
    ? { skip, limit, total, resources }
    : listedWhole(resources, { skip, limit, sort }, () => undefined)
}

/** Rows by caller, in descending order of calls. */
function byCaller(pieces: readonly StoredLevels[], objective: number): ServiceLevelPart[] {
  const { callers, others } = joined(pieces)
  const all = others.calls === 0 ? callers : [...callers, { caller: OTHER_CALLERS, ...others }]
  return all.map(({ caller, ...tally }) => ({ caller, ...levelOf(tally, objective) }))
}

/** Rows by time, oldest first, without hours or days that had no calls. */
const byTime = (pieces: readonly StoredLevels[], beginOf: (from: string) => string, objective: number) =>
  [...Map.groupBy(pieces, ({ from }) => beginOf(from))].map(([from, within]): ServiceLevelPart => ({
    from,
    ...levelOf(within.map(wholeOf).reduce(sumOf, NO_CALLS), objective),
  }))

const BEGIN = { hour: (from: string) => from, day: (from: string) => from, month: monthOf } as const

/**
 * GET /v1/service-levels/{id}/parts @throws Refusal NOT_FOUND, RULE_BROKEN
 */
export async function listParts(
  context: Context,
  id: string,
  { by, from, to, ...query }: ServiceLevelPartQuery,
): Promise<ResourceList<ServiceLevelPart>> {
  const { endpoint, of } = await findEndpoint(context, id)
  const period = periodOf({ from, to }, context.now, by === 'day' || by === 'month' ? 'day' : 'hour')
  const days = (period.to.getTime() - period.from.getTime()) / DAY_MS
  if (by === 'hour' && days > DAYS_BY_HOUR) throw ruleBroken('from', `must be at most ${DAYS_BY_HOUR} days before to`)
  const pieces = by === 'caller' ? fewPiecesOf(period, context.now) : piecesOf(period, by === 'hour' ? 'hour' : 'day')
  const stored = await read(context, endpoint, pieces)
  const rows = by === 'caller' ? byCaller(stored, of.objective) : byTime(stored, BEGIN[by], of.objective)
  return listedWhole(rows, query, (row) => row.from)
}
