import type { Context } from '../../context.ts'
import { Refusal } from '../../errors.ts'
import { startFlow } from '../../flow/start-flow.ts'
import { commonFields, resourceUri, uuid } from '../../ids.ts'
import type {
  CloudASynchronizationJob,
  CloudASynchronizationQuery,
  StartCloudASynchronization,
} from '../../model/synchronization-job.ts'
import type { Stored } from '../../store/entity.ts'
import { pageOf } from '../../store/list.ts'
import {
  jobsOf,
  partsOfJob,
  sourceOf,
  synchronizationJobs,
  synchronizationParts,
  type StoredSynchronizationJob,
} from '../../store/synchronization.ts'
import { later, MINUTE_MS } from '../../time.ts'
import { isKeymgrAdmin } from '../containers/acl.ts'
import { without } from '../fields.ts'
import { listed, type ResourceList } from '../listed.ts'
import { synchronizedCloud } from './clouds.ts'
import type { ContainerPlaces } from './synchronized.ts'

/** Interface "Limits": running at a time, in a domain. Ours: approximate, when several begin at the same moment. */
const RUNNING_MOST = 20
/** Ours: containers guarded against a second job; a transaction holds no more. Jobs over everything may have others. */
const GUARDED_MOST = 50
/** Ours: places of one job; its record names them all. */
const PLACES_MOST = 1_000
/** When the sweeper looks whether the flow was started at all. */
const STARTED_BY_MS = 2 * MINUTE_MS

/** What jobs of a kind read: the keys of the containers without it. */
type Of = StoredSynchronizationJob['of']
const CLOUD = 'cloud-a'

const uriOf = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'synchronization-job', id)

const present = ({ item, rev }: Stored<StoredSynchronizationJob>): Stored<CloudASynchronizationJob> => ({
  item: without(item, 'of', 'asker', 'container_ids', 'places', 'generation', 'dueAt'),
  rev,
})

const running = (names: readonly string[]) => (): Refusal =>
  new Refusal('STATE_CONFLICT', `A synchronization of ${names.join(' or ')} is under way already.`)

/** @throws Refusal RULE_BROKEN for a region that none of the containers has */
function assertRegions(containers: readonly ContainerPlaces[], regions: readonly string[]): void {
  const absent = regions.findIndex((region) => !containers.some((each) => each.regions.includes(region)))
  if (absent === -1) return
  throw new Refusal('RULE_BROKEN', `${regions[absent] ?? ''} is not a region of the containers.`, {
    errors: [{ pointer: `#/regions/${absent}`, detail: 'is not a region of the containers' }],
  })
}

/** Every region of every container that the job covers, once. */
function placesOf(containers: readonly ContainerPlaces[], wanted: readonly string[] | undefined) {
  const once = [...new Map(containers.map((each) => [each.id, each])).values()]
  return once.flatMap(({ id, name, regions }) =>
    regions.filter((region) => wanted?.includes(region) !== false).map((region) => ({ container: id, name, region })),
  )
}

/** One more may begin. @throws Refusal STATE_CONFLICT */
async function assertRoom(domain: string): Promise<void> {
  const { total } = await pageOf(synchronizationJobs, domain, 'in_progress', { skip: 0, limit: 0 })
  if (total >= RUNNING_MOST)
    throw new Refusal(
      'STATE_CONFLICT',
      `${total} synchronizations are under way already: at most ${RUNNING_MOST} at a time.`,
    )
}

/** Starts the flow of a job; the same generation twice is one. */
export const startGeneration = (domain: string, { id, generation }: StoredSynchronizationJob): Promise<void> =>
  startFlow('synchronize', `${id}-${generation}`, { domain, job: id, generation })

/**
 * Begins to read containers in. Ours: of one container only one job reads at a time, be it keys or key stores.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT when one of them is being read in already
 */
export async function startSynchronization(
  context: Context,
  body: StartCloudASynchronization,
  of?: Of,
): Promise<Stored<CloudASynchronizationJob>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const cloud = synchronizedCloud(sourceOf({ cloud_name: CLOUD, of }))
  const containers = body.kms === undefined ? await cloud.all(context) : await cloud.named(context, body.kms)
  const ids = [...new Set(containers.map(({ id }) => id))]
  const names = [...new Set(containers.map(({ name }) => name))]
  if (body.regions) assertRegions(containers, body.regions)
  const places = placesOf(containers, body.regions)
  if (places.length > PLACES_MOST)
    throw new Refusal('RULE_BROKEN', `One job reads at most ${PLACES_MOST} regions: name fewer containers.`)
  await assertRoom(domain)
  const id = uuid(now)
  const job: StoredSynchronizationJob = {
    ...commonFields(domain, id, uriOf(domain, id), now),
    cloud_name: CLOUD,
    ...(of && { of }),
    asker: caller.sub,
    kms: names,
    ...(body.regions && { regions: body.regions }),
    synchronize_all: body.synchronize_all === true,
    overall_status: 'in_progress',
    detailed_status: {},
    abort: false,
    added: 0,
    updated: 0,
    gone: 0,
    container_ids: ids.slice(0, GUARDED_MOST),
    places,
    generation: 0,
    dueAt: later(now, STARTED_BY_MS).toISOString(),
  }
  changes.create(synchronizationJobs, domain, job, running(names))
  context.about({ uri: job.uri, name: id, after: { kms: names, ...(body.regions && { regions: body.regions }) } })
  context.afterwards(() => startGeneration(domain, job))
  return present({ item: job, rev: 1 })
}

/** A job of one kind. Ours: administrators see every job, everybody else those they started. @throws Refusal NOT_FOUND */
async function findJob(
  { caller }: Pick<Context, 'caller'>,
  id: string,
  of: Of,
): Promise<Stored<StoredSynchronizationJob>> {
  const stored = await synchronizationJobs.get(caller.domain.id, id)
  if (stored === undefined || stored.item.of !== of || !(isKeymgrAdmin(caller) || stored.item.asker === caller.sub))
    throw new Refusal('NOT_FOUND', 'There is no such synchronization job.')
  return stored
}

/** A job; while it is under way, with what its parts have noted so far. @throws Refusal NOT_FOUND */
export async function getSynchronization(
  context: Context,
  id: string,
  of?: Of,
): Promise<Stored<CloudASynchronizationJob>> {
  const stored = await findJob(context, id, of)
  const shown = present(stored)
  if (stored.item.overall_status !== 'in_progress') return shown
  const { domain } = context.caller
  const parts = await synchronizationParts.getMany(
    domain.id,
    await synchronizationParts.members(domain.id, partsOfJob(id)),
  )
  const item = { ...shown.item, detailed_status: { ...shown.item.detailed_status } }
  for (const { item: part } of parts.filter((each) => each.item.phase === 'known' || each.item.phase === 'listing')) {
    item.added += part.added
    item.updated += part.updated
    item.gone += part.gone
    item.detailed_status[part.name] = part.turns === 0 ? 'waiting' : 'in progress'
  }
  return { item, rev: shown.rev }
}

export const listSynchronizations = (
  { caller }: Context,
  query: CloudASynchronizationQuery,
  of?: Of,
): Promise<ResourceList<CloudASynchronizationJob>> =>
  listed(synchronizationJobs, caller.domain.id, query, {
    served: jobsOf(sourceOf({ cloud_name: CLOUD, of }), isKeymgrAdmin(caller) ? undefined : caller.sub),
    order: 'newest first',
    filters: { id: query.id, overall_status: query.overall_status },
    matches: ({ kms }) => kms.some((name) => query.kms?.includes(name) === true),
    narrowedBy: query.kms !== undefined,
    present: (stored) => present(stored).item,
  })

/** What has not begun is left out; what is under way ends at its next page. @throws Refusal NOT_FOUND, STATE_CONFLICT */
export async function cancelSynchronization(
  context: Context,
  id: string,
  of?: Of,
): Promise<Stored<CloudASynchronizationJob>> {
  const { caller, changes, now } = context
  const stored = await findJob(context, id, of)
  if (stored.item.overall_status !== 'in_progress')
    throw new Refusal('STATE_CONFLICT', `The job is ${stored.item.overall_status} already.`)
  const job = { ...stored.item, abort: true, updatedAt: now.toISOString() }
  changes.update(synchronizationJobs, caller.domain.id, stored, job)
  context.about({ uri: job.uri, name: id, after: { abort: true } })
  return present({ item: job, rev: stored.rev + 1 })
}
