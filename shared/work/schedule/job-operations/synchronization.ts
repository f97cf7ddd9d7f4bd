import { defined } from '../../../base/fields.ts'
import { textsOf } from '../../../base/json.ts'
import { ALL_ITEMS } from '../../work-facts.ts'
import { assertOffered, workRowNamed } from '../../work-row.ts'
import type { Context } from '../../../http/context.ts'
import { Refusal, refusedWithin } from '../../../base/errors.ts'
import { containerLists, OWN_PARAMS, type SynchronizationParams } from '../configs/params.ts'
import { Stale } from '../../../store/changes.ts'
import { sourceOf, synchronizationJobs } from '../../synchronize/store.ts'
import { synchronizedCloud } from '../../synchronize/clouds.ts'
import {
  cancelSynchronization,
  getSynchronization,
  NoRoom,
  startSynchronization,
  type Source,
} from '../../synchronize/jobs.ts'
import type { AnySynchronized, ContainerPlaces } from '../../synchronize/synchronized.ts'
import type { StoredSubJob } from '../runs/store.ts'
import type { JobParams } from '../configs/params.ts'
import type { Act, Operation, SubJobPlan } from './operation.ts'

// Only this operation calls it, with its own params.
const paramsOf = (params: JobParams): SynchronizationParams => params as SynchronizationParams

/** The resources that a word of `sync_item` means; keys by default. */
function sourceFor(cloud_name: string, word: string | undefined): Source {
  const of = word === undefined ? undefined : workRowNamed(cloud_name)?.syncItems?.[word]
  return { cloud_name, ...(of !== undefined && of !== '' && { of }) }
}

/** The words in the parameters; each is a sub-job of every container. Empty for a cloud that has only keys. */
function wordsOf({ cloud_name, sync_item = [] }: SynchronizationParams): readonly (string | undefined)[] {
  const items = workRowNamed(cloud_name)?.syncItems
  if (items === undefined) return [undefined]
  return Object.keys(items).filter((word) => sync_item.includes(word) || sync_item.includes(ALL_ITEMS))
}

const synchronized = (cloud: string, word: string | undefined): Promise<AnySynchronized> =>
  synchronizedCloud(sourceOf(sourceFor(cloud, word)))

/** @throws Refusal NOT_SUPPORTED, naming the word */
function assertSynchronized(cloud: string, word: string | undefined): void {
  const { of = '' } = sourceFor(cloud, word)
  if (workRowNamed(cloud)?.synchronize?.[of] === undefined)
    throw new Refusal('NOT_SUPPORTED', `Synchronizing ${word ?? 'keys'} of ${cloud} is not offered yet.`)
}

/** The containers that the parameters list under the field of their cloud. */
const listOf = ({ cloud_name, ...lists }: SynchronizationParams): readonly string[] =>
  textsOf(lists[containerLists()[cloud_name] ?? ''])

const planOf = (cloud: string, sync_item: string | undefined, { id, name }: ContainerPlaces): SubJobPlan => ({
  cloud,
  resource_type: 'container',
  resource_id: id,
  resource_name: name,
  container: name,
  ...defined({ sync_item }),
  quotaGroup: cloud,
  // Each container is read by a job of its own, which paces itself.
  seconds: 0,
})

/** The containers that a configuration names, as they are now; `act` refuses a deleted or archived one. */
async function containersOf(
  context: Context,
  params: SynchronizationParams,
  word: string | undefined,
): Promise<readonly ContainerPlaces[]> {
  const cloud = await synchronized(params.cloud_name, word)
  if (params.synchronize_all === true) return cloud.all(context)
  const found = await Promise.all(
    listOf(params).map(async (reference) => {
      const here = await cloud.named(context, [reference]).catch((error: unknown) => {
        if (error instanceof Refusal) return [{ id: reference, name: reference, regions: [] }]
        throw error
      })
      return here
    }),
  )
  return [...new Map(found.flat().map((container) => [container.id, container])).values()]
}

/**
 * The outcome of a sub-job while another job reads its container: skipped, or postponed if that job reads other items
 * of the container. `undefined` when no job reads the container.
 */
async function whileRead(domain: string, { cloud, resource_id, resource_name, sync_item }: StoredSubJob) {
  const holder = await synchronizationJobs.holder(domain, 'container', resource_id)
  if (holder === undefined) return undefined
  const job = sync_item === undefined ? undefined : await synchronizationJobs.get(domain, holder)
  if (job !== undefined && job.item.of !== sourceFor(cloud, sync_item).of) return { end: 'later' } as const
  return { end: 'skipped', reason: `A synchronization of ${resource_name} is under way already.` } as const
}

/** Another job began at the same moment: the sub-job is checked again, and finds it. */
const lookAgain = (): Stale => new Stale('A synchronization of the container began')

/** Synchronizes containers: each by a job of its own, which the run waits for. */
export const synchronization: Operation = {
  description: 'Synchronizes the keys of containers, or the items in `sync_item`, like a manual refresh.',
  summary: 'Start Synchronization Job',
  check: async (context, given) => {
    const params = paramsOf(given)
    const { cloud_name, synchronize_all } = params
    assertOffered(cloud_name, 'synchronize')
    for (const word of wordsOf(params)) {
      assertSynchronized(cloud_name, word)
      if (synchronize_all === true) continue
      try {
        await (await synchronized(cloud_name, word)).named(context, listOf(params))
      } catch (error) {
        throw error instanceof Refusal ? refusedWithin(OWN_PARAMS.keymgr_synchronization, error) : error
      }
    }
  },
  find: async ({ context, params: given }) => {
    const params = paramsOf(given)
    const plans = await Promise.all(
      wordsOf(params).map(async (word) =>
        (await containersOf(context, params, word)).map((container) => planOf(params.cloud_name, word, container)),
      ),
    )
    return { plans: plans.flat() }
  },
  single: () => Promise.resolve({ action: 'StartSynchronization', may: 'keymgr-users' }),
  act: async (context, subJob): Promise<Act> => {
    const { cloud, resource_id: id, sync_item } = subJob
    const held = await whileRead(context.caller.domain.id, subJob)
    if (held !== undefined) return held
    try {
      const { item } = await startSynchronization(context, sourceFor(cloud, sync_item), { containers: [id] }, lookAgain)
      return { end: 'begun', result: item.id }
    } catch (error) {
      if (error instanceof NoRoom) return { end: 'later' } // other jobs of the domain, of any run, must end first
      throw error
    }
  },
  look: async (context, { cloud, resource_name: name, sync_item, result_id: job = '' }): Promise<Act> => {
    const { item } = await getSynchronization(context, sourceFor(cloud, sync_item), job)
    const { overall_status: status } = item
    if (status === 'in_progress') return { end: 'begun', result: job }
    if (status === 'completed') return { end: 'done', result: job }
    if (status === 'aborted') return { end: 'skipped', reason: `The synchronization of ${name} was cancelled.` }
    throw new Refusal('STATE_CONFLICT', `The synchronization of ${name} failed: see its job.`)
  },
  cancel: async (context, { cloud, sync_item, result_id: job = '' }) => {
    await cancelSynchronization(context, sourceFor(cloud, sync_item), job)
  },
}
