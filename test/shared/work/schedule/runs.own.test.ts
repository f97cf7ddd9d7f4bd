import '../../../../shared/wiring.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FLOWS } from '../../../../infra/flows.ts'
import { startStepFunctions, type StepFunctions } from '../../../../infra/local/stand-ins/step-functions.ts'
import { atOnce } from '../../../../shared/base/at-once.ts'
import { RUN } from '../../../../shared/work/schedule/runs/run.ts'
import { OpenSubJob } from '../../../../shared/work/schedule/runs/open-sub-job.ts'
import { newJob } from '../../../../shared/work/schedule/runs/new-job.ts'
import { planRun } from '../../../../shared/work/schedule/runs/plan-run.ts'
import { SYNCHRONIZATION } from '../../../../shared/work/synchronize/synchronization.ts'
import { commonFields, ROOT_DOMAIN_ID, uuid } from '../../../../shared/base/ids.ts'
import { auditRecords } from '../../../../shared/http/audit/store.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import type { Entity } from '../../../../shared/store/entity.ts'
import { jobConfigStates, type StoredJobConfig } from '../../../../shared/work/schedule/configs/store.ts'
import { jobs, subJobs, type StoredJob, type StoredSubJob } from '../../../../shared/work/schedule/runs/store.ts'
import { pageOf } from '../../../../shared/store/list.ts'
import { synchronizationJobs, type StoredSynchronizationJob } from '../../../../shared/work/synchronize/store.ts'
import { useTable } from '../../../support/store.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

const NOW = new Date('2026-05-04T03:02:01.000Z')
const DOMAIN = ROOT_DOMAIN_ID

useTable()
let flows: StepFunctions
beforeAll(async () => {
  flows = await startStepFunctions({
    flows: FLOWS,
    invoke: (_name, payload) => Promise.resolve((payload as { step: string }).step === 'begin' ? '' : { parts: [] }),
    now: () => NOW,
    pauseMs: () => 0,
  })
  pointProcessAt({
    AWS_ENDPOINT_URL_SFN: flows.endpoint,
    KEYMGR_FLOW_SYNCHRONIZE: flows.arnOf('synchronize'),
  })
})
afterAll(() => flows.stop())

const initiator = {
  sub: 'local|a',
  username: 'admin',
  domain: { id: DOMAIN, name: 'root' },
  homeDomainId: DOMAIN,
  groups: ['admin'],
}
const config = (operation: StoredJobConfig['operation']): StoredJobConfig => {
  const id = uuid(NOW)
  return {
    ...commonFields(DOMAIN, id, 'uri', NOW),
    name: 'nightly',
    operation,
    run_at: '0 3 * * *',
    run_on: 'any',
    disabled: false,
    job_config_params: { cloud_name: 'cloud-a' },
    initiator,
  }
}
async function create<T, R>(entity: Entity<T, R>, items: readonly T[]): Promise<void> {
  const batches = [...Map.groupBy(items, (_item, at) => Math.floor(at / 20)).values()]
  await atOnce(batches, 8, async (batch) => {
    const changes = new Changes()
    for (const item of batch) changes.create(entity, DOMAIN, item)
    await changes.commit(NOW)
  })
}

/** Plans a run, with its configuration's state. */
async function run(more: Partial<StoredJob>, operation: StoredJobConfig['operation'] = 'keymgr_key_rotation') {
  const of = config(operation)
  const dueAt = NOW.toISOString()
  const particulars = {
    id: uuid(NOW),
    status: 'in_progress',
    triggered_by: 'schedule',
    traceId: 't',
    clientIp: '',
    dueAt,
  } as const
  const job: StoredJob = { ...newJob(DOMAIN, of, particulars, NOW), ...more }
  await create(jobs, [job])
  await create(jobConfigStates, [{ id: of.id, job: job.id, last_status: 'in_progress', dueAt }])
  return job
}
const piece = (job: StoredJob, more: Partial<StoredSubJob> = {}): StoredSubJob => {
  const id = uuid(NOW)
  return {
    id,
    job_id: job.id,
    cloud: 'cloud-a',
    resource_type: 'key',
    resource_id: id,
    resource_name: 'a key',
    container: 'main',
    quotaGroup: 'eu',
    seconds: 0,
    failures: 0,
    status: 'scheduled',
    ...more,
  }
}
const after = async (job: StoredJob): Promise<StoredJob | undefined> => (await jobs.get(DOMAIN, job.id))?.item
const planned = { plan: { end: true }, quotaGroups: ['eu'] }

test('a run whose planning failed permanently ends: its open sub-jobs fail, finished ones stay', async () => {
  const job = await run({ plan: { end: false, cursor: 'there' }, quotaGroups: ['eu'] })
  await create(subJobs, [piece(job), piece(job, { status: 'completed' })])
  await RUN.giveUp(DOMAIN, job.id, undefined, NOW)
  const over = await after(job)
  expect(over).toMatchObject({
    status: 'failed',
    total_count: 2,
    success_count: 1,
    error_count: 2,
    errors: [expect.stringContaining('found out'), expect.stringContaining('a key: ')],
    completed_at: NOW.toISOString(),
  })
  const state = await jobConfigStates.get(DOMAIN, job.job_config_id)
  expect(state?.item).toMatchObject({ last_status: 'failed' })
  expect(state?.item.job).toBeUndefined()
  const { items } = await pageOf(auditRecords, DOMAIN, 'all', { skip: 0, limit: 10, descending: true })
  expect(items.map(({ item }) => item)).toContainEqual(expect.objectContaining({ message: 'Finish Job' }))
  await RUN.giveUp(DOMAIN, job.id, undefined, NOW)
  expect(await after(job)).toEqual(over)
})

test('a run without sub-jobs whose planning failed has failed too, for that reason', async () => {
  const job = await run({})
  await RUN.giveUp(DOMAIN, job.id, undefined, NOW)
  expect(await after(job)).toMatchObject({ status: 'failed', total_count: 0, error_count: 1 })
})

test('a run is abandoned after eight executions without progress, and counts each sub-job once', async () => {
  const job = await run({ ...planned, left_before: 2, resumes: 7 })
  await create(subJobs, [piece(job), piece(job), piece(job, { status: 'completed' })])
  await RUN.finish(DOMAIN, job.id, 0, NOW)
  const over = await after(job)
  expect(over).toMatchObject({ status: 'failed', total_count: 3, success_count: 1, error_count: 2 })
  expect(over?.errors).toHaveLength(2)
})

const synchronization = (more: Partial<StoredSynchronizationJob>): StoredSynchronizationJob => {
  const id = uuid(NOW)
  return {
    ...commonFields(DOMAIN, id, 'uri', NOW),
    cloud_name: 'cloud-a',
    initiator: initiator.sub,
    containers: [],
    synchronize_all: false,
    overall_status: 'in_progress',
    detailed_status: {},
    abort: false,
    added: 0,
    updated: 0,
    gone: 0,
    unread: 0,
    errors: [],
    container_ids: [],
    places: [],
    generation: 0,
    dueAt: NOW.toISOString(),
    ...more,
  }
}

test('a container that was read in to its end before its run was cancelled counts as read in', async () => {
  const child = synchronization({ overall_status: 'completed' })
  await create(synchronizationJobs, [child])
  const job = await run({ ...planned, abort: true }, 'keymgr_synchronization')
  const begun = piece(job, { resource_type: 'container', status: 'in_progress', result_id: child.id })
  await create(subJobs, [begun])
  const stored = await subJobs.get(DOMAIN, begun.id)
  if (stored === undefined) throw new Error('It was just written')
  await new OpenSubJob(job, stored, NOW).leave()
  expect((await subJobs.get(DOMAIN, begun.id))?.item).toMatchObject({ status: 'completed', result_id: child.id })
})

test('an execution works on quota groups with open sub-jobs, and on no more than its history permits', async () => {
  const quotaGroups = Array.from({ length: 1_010 }, (_, at) => `group-${at}`)
  const job = await run({ plan: { end: true }, quotaGroups })
  const pieces = quotaGroups.map((quotaGroup, at) =>
    piece(job, { quotaGroup, status: at < 5 ? 'completed' : 'scheduled' }),
  )
  await create(subJobs, pieces)
  const answer = await planRun(DOMAIN, job.id, { now: NOW, hasTime: () => true })
  expect(answer).toEqual({ next: 'run', quota_groups: quotaGroups.slice(5, 1_005) })
})

test('a recorded execution without a start is started when the previous one ends again', async () => {
  const places = [{ container: 'c', name: 'main', region: 'eu' }]
  const job = synchronization({ places, generation: 1 })
  await create(synchronizationJobs, [job])
  await SYNCHRONIZATION.finish(DOMAIN, job.id, 0, NOW)
  await SYNCHRONIZATION.finish(DOMAIN, job.id, 0, NOW)
  await flows.idle()
  expect(flows.executions().map(({ name }) => name)).toEqual([`${job.id}-1`])
})
