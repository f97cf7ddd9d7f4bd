import type { Action } from '../forms/actions.tsx'
import { CLOUDS } from '../clouds.ts'
import type { Use } from '../clouds/uses.ts'
import { callTo, type Call } from '../calls.ts'
import { isUnderWay } from '../words/work-states.ts'
import type { Job, JobConfig } from './fields.ts'

const change = (id: string, body: Record<string, unknown>): Call =>
  callTo('patch', '/v1/scheduler/job-configs/{id}', { path: { id }, body })

const NAMED_MOST = 5

/** Keys that joined a configuration, cloud by cloud. */
async function joinedKeys({ id, job_config_params }: JobConfig, signal: AbortSignal): Promise<readonly Use[]> {
  const { cloud_name: of } = job_config_params as { readonly cloud_name?: string } // absent for local keys
  const cloud = CLOUDS.find(({ name }) => name === of)
  if (cloud === undefined) return []
  const { total, resources } = await cloud.keys.list({ job_config_id: id, limit: NAMED_MOST }, signal)
  const names = resources.map((key) => cloud.keys.summary(key).name)
  return total === 0 ? [] : [{ kind: `${cloud.name} key`, count: total, names, effect: 'must leave it first' }]
}

export const CONFIG_ACTIONS: readonly Action<JobConfig>[] = [
  {
    ...{ name: 'run', title: 'Run now', done: 'The run begins.' },
    about: 'Does now what the configuration does at its times. Its schedule stays as it is.',
    applies: () => true,
    call: ({ id }) => callTo('post', '/v1/scheduler/job-configs/{id}/run-now', { path: { id } }),
  },
  {
    ...{ name: 'enable', title: 'Enable', done: 'The configuration runs at its times again.' },
    about: 'Lets it run at its times again.',
    applies: ({ disabled }) => disabled,
    call: ({ id }) => change(id, { disabled: false }),
  },
  {
    ...{ name: 'disable', title: 'Disable', done: 'The configuration is disabled.' },
    about: 'It runs by hand alone until it is enabled again.',
    applies: ({ disabled }) => !disabled,
    call: ({ id }) => change(id, { disabled: true }),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The configuration is deleted.' },
    about:
      'Removes the configuration; its runs stay on record. Keys, containers, endpoints and key stores that joined it must leave it first.',
    applies: () => true,
    ends: { nameOf: ({ name }) => name, uses: joinedKeys },
    call: ({ id }) => callTo('delete', '/v1/scheduler/job-configs/{id}', { path: { id } }),
  },
]

export const JOB_ACTIONS: readonly Action<Job>[] = [
  {
    ...{ name: 'cancel', title: 'Cancel', done: 'The run ends soon.' },
    about: 'Ends the run. What it did already stays done.',
    applies: ({ status }) => isUnderWay(status),
    call: ({ id }) => callTo('post', '/v1/scheduler/jobs/{id}/cancel', { path: { id } }),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The record of the run is deleted.' },
    about: 'Removes the record of this run.',
    applies: ({ status }) => !isUnderWay(status),
    call: ({ id }) => callTo('delete', '/v1/scheduler/jobs/{id}', { path: { id } }),
  },
]
