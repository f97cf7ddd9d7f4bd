import { assertOffered } from '../work-facts.ts'
import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { containerLists, OWN_PARAMS, type SynchronizationParams } from './config-params.ts'
import { Stale } from '../../store/changes.ts'
import { synchronizationJobs } from '../synchronize/store.ts'
import { synchronizedCloud } from '../synchronize/clouds.ts'
import {
  cancelSynchronization,
  getSynchronization,
  NoRoom,
  startSynchronization,
  type Source,
} from '../synchronize/jobs.ts'
import type { ContainerPlaces } from '../synchronize/synchronized.ts'
import type { JobParams } from './config-params.ts'
import type { Act, Operation, SubJobPlan } from './operation.ts'

const paramsOf = (params: JobParams): SynchronizationParams => params as SynchronizationParams // of this operation

/** The keys of a cloud: a sub-job names one that a configuration was made for. */
const sourceOf = (cloud: string): Source => ({ cloud_name: cloud })

/** The containers that parameters name under the field of their cloud. */
const listOf = (cloud: string, params: Readonly<Record<string, unknown>>): readonly string[] =>
  (params[containerLists()[cloud] ?? ''] ?? []) as readonly string[] // checked when the configuration was made

const planOf = (cloud: string, { id, name }: ContainerPlaces): SubJobPlan => ({
  cloud,
  resource_type: 'container',
  resource_id: id,
  resource_name: name,
  container: name,
  lane: cloud,
  // Each is read in by a job of its own, which paces itself.
  seconds: 0,
})

/** The containers a configuration names, as they are now; one that is gone or archived is left to `act` to be refused. */
async function containersOf(context: Context, params: JobParams): Promise<readonly ContainerPlaces[]> {
  const { cloud_name, synchronize_all, ...lists } = paramsOf(params)
  const cloud = await synchronizedCloud(cloud_name)
  if (synchronize_all === true) return cloud.all(context)
  const references = listOf(cloud_name, lists)
  const found = await Promise.all(
    references.map(async (reference) => {
      const here = await cloud.named(context, [reference]).catch((error: unknown) => {
        if (error instanceof Refusal) return [{ id: reference, name: reference, regions: [] }]
        throw error
      })
      return here
    }),
  )
  return [...new Map(found.flat().map((container) => [container.id, container])).values()]
}

/** Another began at the same moment: the sub-job is checked again, and finds it. */
const lookAgain = (): Stale => new Stale('A synchronization of the container began')

/** Synchronizes containers: each by a job of its own, which the run waits for. */
export const synchronization: Operation = {
  description: 'Reads the keys of containers in, as a refresh by hand does.',
  summary: 'Start Synchronization Job',
  check: async (context, params) => {
    const { cloud_name, synchronize_all, ...lists } = paramsOf(params)
    assertOffered(cloud_name)
    if (synchronize_all === true) return
    const cloud = await synchronizedCloud(cloud_name)
    try {
      await cloud.named(context, listOf(cloud_name, lists))
    } catch (error) {
      throw error instanceof Refusal ? withinParams(error) : error
    }
  },
  find: async ({ context, params }) => {
    const { cloud_name } = paramsOf(params)
    return { plans: (await containersOf(context, params)).map((container) => planOf(cloud_name, container)) }
  },
  act: async (context, { cloud, resource_id: id, resource_name: name }): Promise<Act> => {
    if ((await synchronizationJobs.holder(context.caller.domain.id, 'container', id)) !== undefined)
      return { end: 'skipped', reason: `A synchronization of ${name} is under way already.` }
    try {
      const { item } = await startSynchronization(context, sourceOf(cloud), { containers: [id] }, lookAgain)
      return { end: 'begun', result: item.id }
    } catch (error) {
      if (error instanceof NoRoom) return { end: 'later' } // others of the domain have to end first, of this run or not
      throw error
    }
  },
  look: async (context, { cloud, resource_name: name, result_id: job = '' }): Promise<Act> => {
    const { item } = await getSynchronization(context, sourceOf(cloud), job)
    const { overall_status: status } = item
    if (status === 'in_progress') return { end: 'begun', result: job }
    if (status === 'completed') return { end: 'done', result: job }
    if (status === 'aborted') return { end: 'skipped', reason: `The synchronization of ${name} was cancelled.` }
    throw new Refusal('STATE_CONFLICT', `The synchronization of ${name} failed: see its job.`)
  },
  cancel: async (context, { cloud, result_id: job = '' }) => {
    await cancelSynchronization(context, sourceOf(cloud), job)
  },
}

/** A refusal of the containers, pointing into the parameters. */
function withinParams({ reason, message, errors, cause }: Refusal): Refusal {
  const within = errors.map((error) =>
    'pointer' in error
      ? { ...error, pointer: error.pointer.replace('#/', `#/${OWN_PARAMS.keymgr_synchronization}/`) }
      : error,
  )
  return new Refusal(reason, message, { errors: within, cause })
}
