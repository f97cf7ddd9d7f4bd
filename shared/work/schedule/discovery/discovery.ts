import { counted } from '../../../base/counted.ts'
import { notThere, Refusal, ruleBroken } from '../../../base/errors.ts'
import type { Context } from '../../../http/context.ts'
import { workRowNamed } from '../../work-row.ts'
import { OWN_PARAMS, type AddContainersParams, type JobParams } from '../configs/params.ts'
import { discoveredCloud, discoveringClouds } from './clouds.ts'
import type { Searched } from './discovered.ts'
import type { Act, Operation, SubJobPlan } from '../job-operations/operation.ts'
import type { Discovery } from '../runs/model.ts'
import { SearchStep } from './search-step.ts'

const PARAMS = OWN_PARAMS['add-containers']

// Only this operation calls it, with its own params.
const paramsOf = (params: JobParams): AddContainersParams => params

const noConnection = (): Refusal =>
  notThere('There is no such connection.', {
    pointer: `#/${PARAMS}/connection_id`,
    detail: 'is no connection of this domain whose cloud has containers to find',
  })

/** The cloud of a connection. @throws Refusal NOT_FOUND */
async function cloudOf(context: Context, connection: string): Promise<string> {
  for (const cloud of discoveringClouds()) {
    const [found] = await (await discoveredCloud(cloud)).connections(context, connection)
    if (found !== undefined) return cloud
  }
  throw noConnection()
}

const cloudIn = ({ cloud_name = '' }: AddContainersParams): string => cloud_name // `complete` has set it

/** @throws Refusal RULE_BROKEN for parameters that the cloud does not have */
function assertFits({ regions, role, ...params }: AddContainersParams): void {
  const cloud = cloudIn(params)
  const facts = workRowNamed(cloud)?.discovery
  if (regions !== undefined && facts?.byRegion !== true)
    throw ruleBroken(`${PARAMS}/regions`, `is not for ${cloud}, whose containers have no region`)
  if (role === undefined) return
  if (facts?.role === undefined) throw ruleBroken(`${PARAMS}/role`, `is not for ${cloud}, which has no roles to assume`)
  const checked = facts.role().safeParse(role)
  if (!checked.success) throw ruleBroken(`${PARAMS}/role`, checked.error.issues[0]?.message ?? 'is no role')
}

const planOf = (cloud: string, { id, name }: Pick<Searched, 'id' | 'name'>): SubJobPlan => ({
  cloud,
  resource_type: 'connection',
  resource_id: id,
  resource_name: name,
  container: name,
  quotaGroup: cloud,
  seconds: 0,
})

/** The end of a search: it fails if anything was refused. */
function ended(discovered: Discovery): Act {
  const { refused_count, found_count, errors } = discovered
  if (refused_count === 0) return { end: 'done', progress: { discovered } }
  const text = `${counted(refused_count, 'refusal')} among ${counted(found_count, 'container')}. ${errors[0] ?? ''}`
  return { end: 'failed', refusal: new Refusal('STATE_CONFLICT', text), progress: { discovered } }
}

/**
 * Finds the containers that connections reach, and adds those that are new, each as by hand. Ours: each connection is a
 * sub-job, because only its cloud knows the containers.
 */
export const discovery: Operation = {
  description: 'Finds the containers that connections reach, and adds those that the domain does not have yet.',
  summary: 'Find Containers',
  complete: async (context, given) => {
    const { cloud_name, connection_id = '' } = paramsOf(given)
    return cloud_name === undefined ? { cloud_name: await cloudOf(context, connection_id), ...given } : given
  },
  check: async (context, given) => {
    const params = paramsOf(given)
    const { connection_id } = params
    const found = await (await discoveredCloud(cloudIn(params))).connections(context, connection_id)
    if (connection_id !== undefined && found.length === 0) throw noConnection()
    assertFits(params)
  },
  find: async ({ context, params: given }) => {
    const params = paramsOf(given)
    const { connection_id } = params
    const cloud = cloudIn(params)
    const found = await (await discoveredCloud(cloud)).connections(context, connection_id)
    const isGone = connection_id !== undefined && found.length === 0 // `act` refuses it
    const searched = isGone ? [{ id: connection_id, name: connection_id }] : found
    return { plans: searched.map((connection) => planOf(cloud, connection)) }
  },
  single: async (_domain, { cloud }) => (await discoveredCloud(cloud)).find,
  act: async (context, subJob, { name, job_config_params }): Promise<Act> => {
    const row = await discoveredCloud(subJob.cloud)
    const [connection] = await row.connections(context, subJob.resource_id)
    if (connection === undefined) throw new Refusal('NOT_FOUND', 'The connection is not there any more.')
    const subject = { uri: connection.uri, name: connection.name }
    context.about(subject)
    const params = paramsOf(job_config_params)
    const search = { connection: connection.id, regions: params.regions, role: params.role }
    const step = new SearchStep({ context, row, search, params, job: name }, subJob)
    const isOver = await step.take()
    const { progress } = step
    context.about({ ...subject, after: { ...progress.discovered } })
    return isOver ? ended(progress.discovered) : { end: 'begun', progress }
  },
}
