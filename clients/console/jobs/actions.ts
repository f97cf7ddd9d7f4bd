import type { Action } from '../forms/actions.tsx'
import { callTo, type Call } from '../calls.ts'
import { isUnderWay } from '../words/work-states.ts'
import type { Job, JobConfig } from './fields.ts'

const change = (id: string, body: Record<string, unknown>): Call =>
  callTo('patch', '/v1/scheduler/job-configs/{id}', { path: { id }, body })

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
    ...{ name: 'delete', title: 'Delete', done: 'The configuration is deleted.', isDangerous: true },
    about:
      'Removes the configuration; its runs stay on record. Keys, containers, endpoints and key stores that joined it must leave it first.',
    applies: () => true,
    call: ({ id }) => callTo('delete', '/v1/scheduler/job-configs/{id}', { path: { id } }),
  },
]

export const JOB_ACTIONS: readonly Action<Job>[] = [
  {
    ...{ name: 'cancel', title: 'Cancel', done: 'The run ends soon.', isDangerous: true },
    about: 'Ends the run. What it did already stays done.',
    applies: ({ status }) => isUnderWay(status),
    call: ({ id }) => callTo('post', '/v1/scheduler/jobs/{id}/cancel', { path: { id } }),
  },
  {
    ...{ name: 'delete', title: 'Delete', done: 'The record of the run is deleted.', isDangerous: true },
    about: 'Removes the record of this run.',
    applies: ({ status }) => !isUnderWay(status),
    call: ({ id }) => callTo('delete', '/v1/scheduler/jobs/{id}', { path: { id } }),
  },
]
