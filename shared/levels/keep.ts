import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { DeliveredLine } from '../audit/line-reader.ts'
import { jsonOf } from '../base/json.ts'
import { object } from '../base/lazy-fields.ts'
import { errorFields, log } from '../base/log.ts'
import { loadedOf } from '../base/room.ts'
import { Changes, Stale } from '../store/changes.ts'
import type { Stored } from '../store/entity.ts'
import { untilCommitted } from '../store/until-committed.ts'
import { levelsId, serviceLevels, SPANS, TALLY_FIELDS, type Span, type StoredLevels } from './store.ts'
import { joined, NO_CALLS, type Tallies } from './tally.ts'

/** Ours: deliveries kept for each endpoint and hour. Lambda repeats a failed delivery within minutes. */
const DELIVERIES_KEPT = 200
const DELIVERY_BYTES = 9
/** Ours: more callers than an instance counts separately. */
const CALLERS_A_LINE = 100

/** A line in which a data plane reports the calls of an endpoint in an hour. */
const LevelsLine = object(() => ({ levels: z.string() }))
const Report = object(() => ({
  domain: z.string().min(1),
  endpoint: z.uuid(),
  from: z.iso.datetime(),
  callers: z.array(z.object({ caller: z.string(), ...TALLY_FIELDS })).max(CALLERS_A_LINE),
}))

/** The calls of an endpoint in an hour, in one delivery. */
interface Delivered extends Tallies {
  readonly domain: string
  readonly endpoint: string
  readonly from: Date
  /** identifies the delivery; equal when it is repeated */
  readonly delivery: string
  readonly at: Date
}

const deliveryOf = (id: string): string =>
  createHash('sha256').update(id).digest().subarray(0, DELIVERY_BYTES).toString('base64url')

/** Adds up the calls in the lines by endpoint and hour. */
function deliveredIn(lines: readonly DeliveredLine[]): Delivered[] {
  const known = new Map<string, Delivered>()
  for (const { id, at, line } of lines) {
    const marked = LevelsLine.safeParse(line)
    const { data: report } = Report.safeParse(marked.success ? jsonOf(marked.data.levels) : undefined)
    if (report === undefined) continue
    const { domain, endpoint, from, callers } = report
    const name = `${domain} ${endpoint} ${from}`
    const before = known.get(name)
    known.set(name, {
      ...{ domain, endpoint, at, from: new Date(from), delivery: before?.delivery ?? deliveryOf(id) },
      ...joined([...(before ? [before] : []), { callers, others: NO_CALLS }]),
    })
  }
  return [...known.values()]
}

const beginOf = (from: Date, span: Span): Date => new Date(Math.floor(from.getTime() / SPANS[span]) * SPANS[span])

/** Ours: calls of a deleted endpoint create no new records. */
async function isServed({ domain, endpoint }: Delivered): Promise<boolean> {
  const protocols = await loadedOf('levels')
  const found = await Promise.all(protocols.map(({ has }) => has(domain, endpoint)))
  return found.includes(true)
}

/** Stages the addition of calls to the record of an hour or a day. */
function stage(changes: Changes, span: Span, delivered: Delivered, stored: Stored<StoredLevels> | undefined): void {
  const { domain, endpoint, delivery } = delivered
  const deliveries = span === 'hour' ? [...(stored?.item.deliveries ?? []), delivery].slice(-DELIVERIES_KEPT) : []
  if (stored !== undefined)
    return changes.update(serviceLevels, domain, stored, {
      ...stored.item,
      ...joined([stored.item, delivered]),
      deliveries,
    })
  const from = beginOf(delivered.from, span)
  const item = { id: levelsId(endpoint, span, from), endpoint, span, from: from.toISOString(), deliveries }
  changes.create(
    serviceLevels,
    domain,
    { ...item, ...joined([delivered]) },
    () => new Stale('Another delivery created it meanwhile'),
  )
}

async function addOnce(delivered: Delivered): Promise<void> {
  const { domain, endpoint, from, delivery, at } = delivered
  const [hour, day] = await Promise.all(
    (['hour', 'day'] as const).map((span) => serviceLevels.get(domain, levelsId(endpoint, span, beginOf(from, span)))),
  )
  if (hour?.item.deliveries.includes(delivery) === true) return
  if (hour === undefined && !(await isServed(delivered))) return
  const changes = new Changes()
  stage(changes, 'hour', delivered, hour)
  stage(changes, 'day', delivered, day)
  await changes.commit(at)
}

/**
 * Adds the calls in delivered lines to the records of their endpoints' hours and days. It never fails, because the same
 * delivery may contain audit records.
 */
export async function keepLevels(lines: readonly DeliveredLine[]): Promise<void> {
  for (const delivered of deliveredIn(lines)) {
    try {
      await untilCommitted(() => addOnce(delivered))
    } catch (error) {
      log('warn', 'service levels not kept', { endpoint: delivered.endpoint, ...errorFields(error) })
    }
  }
}
