import * as z from 'zod'
import type { DeliveredLine } from '../audit/line-reader.ts'
import { ROOT_DOMAIN_ID, uuidOf } from '../base/ids.ts'
import { object } from '../base/lazy-fields.ts'
import { errorFields, log } from '../base/log.ts'
import { shortText } from '../base/short-text.ts'
import type { Context } from '../http/context.ts'
import { findRecord } from '../resource/records.ts'
import { listed, type ResourceList } from '../resource/listed.ts'
import { Changes } from '../store/changes.ts'
import { untilCommitted } from '../store/until-committed.ts'
import { WriteStopped } from '../store/without-writes.ts'
import { blockResource } from './blocks.ts'
import type { EmergencyHit, EmergencyHitQuery } from './model.ts'
import { emergencyBlocks, emergencyHits, hitsOf, type StoredHit } from './store.ts'

/** Ours: callers of a block that are counted apart; further ones are counted together. */
const CALLERS_MOST = 1_000
const OTHERS = '(others)'
const CALLER_CHARACTERS = 512
const DELIVERIES_KEPT = 20

/** Calls of one caller to one function that met a block or a drill. */
export interface Hits {
  readonly domain: string
  readonly block: string
  readonly caller: string
  readonly function: string
  readonly calls: number
  readonly at: Date
  /** the same for a repeated delivery */
  readonly delivery: string
}

/** The record of the block, in the domain of the call or, for one of the deployment, in the root domain. */
async function blockOf({ domain, block }: Hits) {
  for (const owner of new Set([domain, ROOT_DOMAIN_ID])) {
    const stored = await emergencyBlocks.get(owner, block)
    if (stored !== undefined) return { owner, block: stored.item }
  }
  return undefined
}

const added = (before: StoredHit, { calls, at, delivery }: Hits): StoredHit => ({
  ...before,
  calls: before.calls + calls,
  last_at: at.toISOString() > before.last_at ? at.toISOString() : before.last_at,
  deliveries: [...before.deliveries, delivery].slice(-DELIVERIES_KEPT),
})

class Full extends Error {}

async function countOnce(hits: Hits): Promise<void> {
  const found = await blockOf(hits)
  if (found === undefined) return
  const { owner, block } = found
  const { caller, function: of, calls, at, delivery } = hits
  const id = uuidOf(new Date(block.createdAt), `${block.id} ${of} ${caller}`)
  const stored = await emergencyHits.get(owner, id)
  const changes = new Changes()
  if (stored?.item.deliveries.includes(delivery) === true) return
  if (stored !== undefined) changes.update(emergencyHits, owner, stored, added(stored.item, hits))
  else {
    const most = { set: hitsOf(block.id), most: CALLERS_MOST }
    if (caller !== OTHERS) await changes.relyOnRoom(emergencyHits, owner, most, () => new Full())
    const time = at.toISOString()
    changes.create(emergencyHits, owner, {
      ...{ id, block: block.id, caller, function: of, calls, first_at: time, last_at: time, createdAt: time },
      deliveries: [delivery],
    })
  }
  await changes.commit(at)
}

/** Adds to the report of a block. @throws Stale after many lost races; Refusal UNAVAILABLE */
async function addHits(given: Hits): Promise<void> {
  const hits = { ...given, caller: shortText(given.caller, CALLER_CHARACTERS) }
  try {
    await untilCommitted(() => countOnce(hits))
  } catch (error) {
    if (!(error instanceof Full)) throw error
    await untilCommitted(() => countOnce({ ...hits, caller: OTHERS }))
  }
}

/** Counts hits at the end of a use. A failed count does not fail the use. A dry run is not counted. */
export const countHits = (hits: Hits): Promise<void> =>
  addHits(hits).catch((error: unknown) => {
    if (!(error instanceof WriteStopped)) log('warn', 'calls that met a block are not counted', errorFields(error))
  })

const MetLine = object(() => ({
  emergency: z.string().min(1),
  emergencyBy: z.string().default(''),
  domain: z.string(),
  function: z.string(),
}))

/** Counts the calls in delivered lines of data planes. @throws as `addHits` */
export async function keepHits(lines: readonly DeliveredLine[]): Promise<void> {
  const counts = new Map<string, Hits>()
  for (const { id, at, line } of lines) {
    const { data } = MetLine.safeParse(line)
    if (data === undefined) continue
    const { domain, emergencyBy: caller, function: of } = data
    for (const block of new Set(data.emergency.split(' '))) {
      const name = JSON.stringify([domain, block, of, caller])
      const known = counts.get(name)
      counts.set(
        name,
        known
          ? { ...known, calls: known.calls + 1, at }
          : { domain, block, caller, function: of, calls: 1, at, delivery: id },
      )
    }
  }
  for (const hits of counts.values()) await addHits(hits)
}

/** Callers that met a block or a drill: one entry for each caller and function. @throws Refusal NOT_FOUND */
export async function listHits(
  context: Context,
  id: string,
  { caller, function: of, ...query }: EmergencyHitQuery,
): Promise<ResourceList<EmergencyHit>> {
  await findRecord(blockResource, context, id)
  return listed(emergencyHits, context.caller.domain.id, query, {
    served: hitsOf(id),
    filters: { caller, function: of },
    present: ({ item: { block: _, createdAt: __, deliveries: ___, ...hit } }) => hit,
  })
}
