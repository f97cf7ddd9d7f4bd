import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { newGenerations, startGeneration } from '../engine/generation.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import { containerListOf } from '../work-facts.ts'
import { ERRORS_MOST, type SynchronizationJob, type SynchronizationQuery } from './model.ts'
import type { Stored } from '../../store/entity.ts'
import {
  errorsOf,
  isOpen,
  jobsOf,
  partsOfJob,
  sourceOf,
  synchronizationJobs,
  SYNCHRONIZATION_FLOW,
  synchronizationParts,
  type StoredSynchronizationJob,
} from './store.ts'
import { initiatorOf } from '../../http/on-behalf.ts'
import { isKeymgrAdmin } from '../../http/permission.ts'
import { without } from '../../base/fields.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import { synchronizedCloud } from './clouds.ts'
import type { ContainerPlaces } from './synchronized.ts'

/** Most running jobs of a domain. Ours: approximate, when several begin at the same moment. */
const RUNNING_MOST = 20
/**
 * Ours: containers guarded against a second job, limited by the size of a transaction. Jobs over all containers may
 * have more.
 */
const GUARDED_MOST = 50
/** Ours: the most places of one job; its record names them all. */
const PLACES_MOST = 1_000

/** A source of jobs: the keys of one cloud's containers, or the other resources that `of` names. */
export interface Source {
  readonly cloud_name: string
  readonly of?: StoredSynchronizationJob['of']
}

/** The containers that a job reads: named ones, in all their regions or in some, or every container. */
export interface Scope {
  readonly containers?: readonly string[] | undefined
  readonly regions?: readonly string[] | undefined
  readonly synchronize_all?: boolean | undefined
  /** whether backups of the keys are taken; by default as the settings of the domain state */
  readonly take_cloud_key_backup?: boolean | undefined
}

const uriOf = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'synchronization-job', id)

/** A job as shown: its containers are in the field that its cloud has for them. */
function present(source: Source, { item, rev }: Stored<StoredSynchronizationJob>): Stored<SynchronizationJob> {
  const { containers, ...shown } = without(
    item,
    'of',
    'initiator',
    'behalf',
    'container_ids',
    'places',
    'generation',
    'resumes',
    'dueAt',
  )
  return { item: { ...shown, [containerListOf(source.cloud_name)]: containers }, rev }
}

const running = (names: readonly string[]): Refusal =>
  new Refusal('STATE_CONFLICT', `A synchronization of ${names.join(' or ')} is under way already.`)

/** @throws Refusal RULE_BROKEN for a region that no container has */
function assertRegions(containers: readonly ContainerPlaces[], regions: readonly string[]): void {
  const absent = regions.findIndex((region) => !containers.some((each) => each.regions.includes(region)))
  if (absent === -1) return
  throw new Refusal('RULE_BROKEN', `${regions[absent] ?? ''} is not a region of the containers.`, {
    errors: [{ pointer: `#/regions/${absent}`, detail: 'is not a region of the containers' }],
  })
}

/** Every wanted region of every container, without duplicates. */
function placesOf(containers: readonly ContainerPlaces[], wanted: readonly string[] | undefined) {
  const once = [...new Map(containers.map((each) => [each.id, each])).values()]
  return once.flatMap(({ id, name, regions }) =>
    regions.filter((region) => wanted?.includes(region) !== false).map((region) => ({ container: id, name, region })),
  )
}

/** Too many jobs are under way; a caller that can wait retries. */
export class NoRoom extends Refusal {
  constructor(running: number) {
    super('STATE_CONFLICT', `${running} synchronizations are under way already: at most ${RUNNING_MOST} at a time.`)
  }
}

/**
 * Starts a synchronization of containers. Ours: one job at a time per container, for keys or key stores.
 * @param underWay creates the error for a container that a job reads already
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT when a job reads one of them already, NoRoom
 */
export async function startSynchronization(
  context: Context,
  source: Source,
  { containers: references, regions, synchronize_all, take_cloud_key_backup }: Scope,
  underWay: (names: readonly string[]) => Error = running,
): Promise<Stored<SynchronizationJob>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { cloud_name, of } = source
  const cloud = await synchronizedCloud(sourceOf(source))
  const containers = references === undefined ? await cloud.all(context) : await cloud.named(context, references)
  const ids = [...new Set(containers.map(({ id }) => id))]
  const names = [...new Set(containers.map(({ name }) => name))]
  if (regions) assertRegions(containers, regions)
  const places = placesOf(containers, regions)
  if (places.length > PLACES_MOST)
    throw new Refusal('RULE_BROKEN', `One job reads at most ${PLACES_MOST} places: name fewer containers.`)
  const room = { set: 'in_progress', most: RUNNING_MOST }
  await changes.relyOnRoom(synchronizationJobs, domain, room, (count) => new NoRoom(count))
  const takes = take_cloud_key_backup ?? (await cloud.backups?.isUsual(domain)) ?? false
  const { traceId, clientIp } = context
  const id = uuid(now)
  const job: StoredSynchronizationJob = {
    ...commonFields(domain, id, uriOf(domain, id), now),
    cloud_name,
    ...(of && { of }),
    initiator: caller.sub,
    containers: names,
    ...(regions && { regions: [...regions] }),
    synchronize_all: synchronize_all === true,
    overall_status: 'in_progress',
    detailed_status: {},
    abort: false,
    added: 0,
    updated: 0,
    gone: 0,
    unread: 0,
    errors: [],
    container_ids: ids.slice(0, GUARDED_MOST),
    places,
    ...(cloud.backups && { take_cloud_key_backup: takes }),
    ...(takes && { behalf: { initiator: initiatorOf(caller), traceId, clientIp } }),
    ...newGenerations(now),
  }
  changes.create(synchronizationJobs, domain, job, () => underWay(names))
  const told = {
    [containerListOf(cloud_name)]: names,
    ...(regions && { regions }),
    ...(takes && { take_cloud_key_backup: true }),
  }
  context.about({ uri: job.uri, name: id, after: told })
  context.afterCommit(() => startGeneration(SYNCHRONIZATION_FLOW, domain, job))
  return present(source, { item: job, rev: 1 })
}

/** A job of one kind. Ours: administrators see every job, other users only their own. @throws Refusal NOT_FOUND */
async function findJob(
  { caller }: Pick<Context, 'caller'>,
  id: string,
  source: Source,
): Promise<Stored<StoredSynchronizationJob>> {
  const stored = await synchronizationJobs.get(caller.domain.id, id)
  const isSeen = isKeymgrAdmin(caller) || stored?.item.initiator === caller.sub
  if (stored === undefined || sourceOf(stored.item) !== sourceOf(source) || !isSeen)
    throw new Refusal('NOT_FOUND', 'There is no such synchronization job.')
  return stored
}

/** A job; while it is under way, with the counts of its parts so far. @throws Refusal NOT_FOUND */
export async function getSynchronization(
  context: Context,
  source: Source,
  id: string,
): Promise<Stored<SynchronizationJob>> {
  const stored = await findJob(context, id, source)
  const shown = present(source, stored)
  if (stored.item.overall_status !== 'in_progress') return shown
  const { domain } = context.caller
  const parts = await synchronizationParts.getMany(
    domain.id,
    await synchronizationParts.members(domain.id, partsOfJob(id)),
    'leave out',
  )
  const item = { ...shown.item, detailed_status: { ...shown.item.detailed_status } }
  for (const { item: part } of parts.filter((each) => isOpen(each.item))) {
    item.added += part.added
    item.updated += part.updated
    item.gone += part.gone
    item.unread += part.unread
    item.errors = [...item.errors, ...errorsOf(part)].slice(0, ERRORS_MOST)
    item.detailed_status[part.name] = part.turns === 0 ? 'waiting' : 'in progress'
  }
  return { item, rev: shown.rev }
}

/** @param containers names; a job must have read one of them; without names, any job */
export const listSynchronizations = (
  { caller }: Context,
  source: Source,
  query: SynchronizationQuery,
  containers: readonly string[] | undefined,
): Promise<ResourceList<SynchronizationJob>> =>
  listed(synchronizationJobs, caller.domain.id, query, {
    served: jobsOf(sourceOf(source), isKeymgrAdmin(caller) ? undefined : caller.sub),
    order: 'newest first',
    filters: { id: query.id, overall_status: query.overall_status, containers },
    present: (stored) => present(source, stored).item,
  })

/**
 * Aborts a job: places that have not begun are skipped, the others end at their next page. @throws Refusal NOT_FOUND,
 * STATE_CONFLICT
 */
export async function cancelSynchronization(
  context: Context,
  source: Source,
  id: string,
): Promise<Stored<SynchronizationJob>> {
  const { caller, changes, now } = context
  const stored = await findJob(context, id, source)
  if (stored.item.overall_status !== 'in_progress')
    throw new Refusal('STATE_CONFLICT', `The job is ${stored.item.overall_status} already.`)
  const job = { ...stored.item, abort: true, updatedAt: now.toISOString() }
  changes.update(synchronizationJobs, caller.domain.id, stored, job)
  context.about({ uri: job.uri, name: id, after: { abort: true }, record: stored.item })
  return present(source, { item: job, rev: stored.rev + 1 })
}
