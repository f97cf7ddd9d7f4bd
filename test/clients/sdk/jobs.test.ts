import { beforeAll, expect, test } from 'vitest'
import { createKeymgr, type Keymgr } from '../../../clients/sdk/client.ts'
import { JOBS } from '../../../clients/sdk/described.ts'
import {
  JobFailed,
  jobBegunBy,
  progressOf,
  statusOf,
  waitFor,
  type JobPath,
  type JobRow,
} from '../../../clients/sdk/jobs.ts'
import { WaitedTooLong } from '../../../clients/sdk/until.ts'
import { openApiDocument } from '../../../infra/openapi.ts'
import { CLOUDS } from '../../../shared/clouds/all.ts'
import { useService } from '../../support/service.ts'
import { countedTime, useRefusingServer } from './refusing-server.ts'
import { thrownBy } from './thrown-by.ts'

const service = useService()
const serve = useRefusingServer()
let keymgr: Keymgr
let document: any
beforeAll(async () => {
  const token = await service().logIn()
  keymgr = createKeymgr({ baseUrl: `${service().deployment.baseUrl}/api`, token: () => token })
  document = await openApiDocument()
})

const SYNCHRONIZATION = '/v1/keymgr/cloud-a/synchronization-jobs/{id}'

/** Adds an account of the simulated cloud-a, with a KMS entry of the same name. */
async function kmsOfCloudA(name: string, at = 0): Promise<void> {
  const account = service().deployment.cloudA.accounts[at]
  const { accessKeyId = '', secretAccessKey = '' } = account?.credentials ?? {}
  await keymgr.post('/v1/connectionmgmt/services/cloud-a/connections', {
    body: { name, access_key_id: accessKeyId, secret_access_key: secretAccessKey },
  })
  await keymgr.post('/v1/keymgr/cloud-a/kms', {
    body: { name, account_id: account?.id ?? '', connection: name, regions: ['eu-west-1'] },
  })
}

test('a synchronization and a report of cloud-a are waited for, with progress on the way', async () => {
  await kmsOfCloudA('shop')
  const begun = await keymgr.post('/v1/keymgr/cloud-a/synchronization-jobs', { body: { kms: ['shop'] } })
  const seen: string[] = []
  const onProgress = ({ overall_status }: { overall_status: string }) => seen.push(overall_status)
  const done = await waitFor(keymgr, SYNCHRONIZATION, { path: { id: begun.id } }, { everyMs: 50, onProgress })
  expect(done).toMatchObject({ id: begun.id, overall_status: 'completed' })
  expect(seen.at(-1)).toBe('completed')

  const report = await keymgr.post('/v1/keymgr/cloud-a/reports', {
    body: {
      name: 'ages',
      report_type: 'key-aging',
      cloud_a_params: [{ kms: 'shop' }],
    },
  })
  const job = jobBegunBy('/v1/keymgr/cloud-a/reports', report)
  expect(job).toEqual({ path: '/v1/keymgr/cloud-a/reports/{id}', init: { path: { id: report.id } } })
  const written = await waitFor(keymgr, '/v1/keymgr/cloud-a/reports/{id}', { path: { id: report.id } }, { everyMs: 50 })
  expect(progressOf('/v1/keymgr/cloud-a/reports/{id}', written)).toEqual({ done: 1, total: 1 })
})

test('a synchronization that the cloud refuses is an error with the reason', async () => {
  await kmsOfCloudA('closed', 1)
  await keymgr.patch('/v1/connectionmgmt/services/cloud-a/connections/{id}', {
    path: { id: 'closed' },
    body: { secret_access_key: 'of somebody else' },
  })
  const begun = await keymgr.post('/v1/keymgr/cloud-a/synchronization-jobs', { body: { kms: ['closed'] } })
  const error = await thrownBy(waitFor(keymgr, SYNCHRONIZATION, { path: { id: begun.id } }, { everyMs: 50 }))
  expect(error).toBeInstanceOf(JobFailed)
  expect(error).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/^The job ended as failed\.\nclosed.*: /) as string,
  })
})

const JOB = { path: { id: '018f0000-0000-7000-8000-000000000000' } }
const record = (overall_status: string, more: object = {}) => ({
  status: 200,
  body: { id: JOB.path.id, overall_status, detailed_status: {}, errors: [], ...more },
})

test('a job that failed is an error with its reasons and its last record', async () => {
  const errors = ['key 7 cannot be read']
  const detailed_status = { 'shop/eu-west-1': 'completed', 'shop/us-east-1': 'the cloud refused the credentials' }
  const { baseUrl } = await serve(record('in_progress'), record('failed', { errors, detailed_status }))
  const jobs = createKeymgr({ baseUrl, timing: countedTime() })
  const error = await thrownBy(waitFor(jobs, SYNCHRONIZATION, JOB))
  expect(error).toBeInstanceOf(JobFailed)
  expect(error).toMatchObject({
    status: 'failed',
    record: { overall_status: 'failed' },
    message: 'The job ended as failed.\nkey 7 cannot be read\nshop/us-east-1: the cloud refused the credentials',
  })
})

test('pauses between two looks grow, up to their limit and the time limit', async () => {
  const timing = countedTime()
  const { baseUrl, received } = await serve(record('in_progress'))
  const jobs = createKeymgr({ baseUrl, timing })
  const error = await thrownBy(
    waitFor(jobs, SYNCHRONIZATION, JOB, { withinMs: 10_000, everyMs: 1_000, longestMs: 2_000 }),
  )
  expect(error).toBeInstanceOf(WaitedTooLong)
  expect(error).toMatchObject({ last: { overall_status: 'in_progress' } })
  expect(timing.waits).toEqual([1_000, 1_500, 2_000, 2_000, 2_000])
  expect(received).toHaveLength(6)
})

test('a signal ends the wait, and so does a refusal', async () => {
  const controller = new AbortController()
  const { baseUrl } = await serve(record('in_progress'))
  const onProgress = () => controller.abort(new Error('enough'))
  const waiting = { signal: controller.signal, onProgress }
  expect(await thrownBy(waitFor(createKeymgr({ baseUrl }), SYNCHRONIZATION, JOB, waiting))).toMatchObject({
    message: 'enough',
  })
  expect(await thrownBy(waitFor(keymgr, SYNCHRONIZATION, JOB))).toMatchObject({ kind: 'not-found' })
})

test('anything can be waited for', async () => {
  const { id } = await keymgr.post('/v1/vault/keys2', { body: { name: 'waited for', algorithm: 'aes' } })
  let looks = 0
  const seen = await keymgr.until('/v1/vault/keys2/{id}', { path: { id } }, () => ++looks === 3, { everyMs: 1 })
  expect([looks, seen.name]).toEqual([3, 'waited for'])
})

const resolved = (node: any): any => (node?.$ref === undefined ? node : resolved(at(document, String(node.$ref))))
const at = (from: any, ref: string): any =>
  ref
    .slice(2)
    .split('/')
    .reduce((node, name) => node[name], from)

/** A property of a schema, or of one of its parts. */
const propertyOf = (schema: any, name: string): any =>
  [schema, ...((schema?.allOf ?? []) as any[]).map(resolved)].map((part) => part?.properties?.[name]).find(Boolean)

/** The schema of a property in the answer of a path. */
function schemaOf(path: string, property: string): any {
  const { responses } = document.paths[path].get
  const { schema } = resolved(responses[200]).content['application/json']
  return property.split('.').reduce((outer, name) => resolved(propertyOf(resolved(outer), name)), schema)
}

/** The values that the description lists for such a property. */
const valuesOf = (path: string, property: string): string[] | undefined => schemaOf(path, property)?.enum

test('every job of the description is a row, whose values, calls and names are those of the description', () => {
  const paths = Object.keys(document.paths).filter((path) => path.includes('{') && document.paths[path].get)
  const isJob = (path: string): boolean =>
    ['status', 'overall_status'].some((name) => valuesOf(path, name)?.includes('in_progress'))
  const jobs = paths.filter(
    (path) => resolved(document.paths[path].get.responses[200])?.content?.['application/json'] && isJob(path),
  )
  expect(jobs.filter((path) => !Object.hasOwn(JOBS, path))).toEqual([])
  for (const [path, row] of Object.entries<JobRow>(JOBS)) {
    const values = valuesOf(path, row.status)
    // States of a cloud are an open set: the description has them as text.
    if (values === undefined) expect(schemaOf(path, row.status), path).toMatchObject({ type: 'string' })
    else
      for (const value of [...row.pending, ...row.failed])
        if (value !== 'aborted') expect(values, path).toContain(value)
    for (const begun of row.begunBy) expect(document.paths[begun], begun).toHaveProperty('post')
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const name of Object.keys(row.ids)) expect(names).toContain(name)
    for (const counted of [row.done, row.left, row.total, ...(row.reasons ?? [])])
      if (counted !== undefined) expect(schemaOf(path, counted), `${path} ${counted}`).toBeDefined()
  }
})

test('reports of every cloud are counted by their containers', () => {
  const reports = Object.keys(document.paths).filter((path) => path.endsWith('/reports/{id}')) as JobPath[]
  const clouds = CLOUDS.filter(({ report }) => report !== undefined)
  expect(reports.toSorted()).toEqual(clouds.map(({ name }) => `/v1/keymgr/${name}/reports/{id}`).toSorted())
  for (const path of reports) {
    const { total = '' }: JobRow = JOBS[path]
    expect(schemaOf(path, total), path).toMatchObject({ type: 'array' })
    const report = { [total]: ['one', 'two'], detailed_status: { one: 'completed', two: 'in_progress' } }
    expect(progressOf(path, report), path).toEqual({ done: 1, total: 2 })
  }
})

test.each([
  [
    '/v1/scheduler/job-configs/{id}/run-now',
    { job_id: 'run', job_config_id: 'c' },
    { id: 'c' },
    '/v1/scheduler/jobs/{id}',
    { id: 'run' },
  ],
  [
    '/v1/domains/{id}/retry-kek-rotation',
    { id: 'k' },
    { id: 'd' },
    '/v1/domains/{id}/keks/{kekID}',
    { id: 'd', kekID: 'k' },
  ],
  [
    '/v1/keymgr/cloud-a/keys/{id}/rotate-material',
    {},
    { id: 'k' },
    '/v1/keymgr/cloud-a/keys/{id}/rotate-material/status',
    { id: 'k' },
  ],
])('%s begins a job', (path, answer, inPath, job, where) => {
  expect(jobBegunBy(path, answer, inPath)).toEqual({ path: job, init: { path: where } })
})

test('other calls start no jobs, nor does a run that was not started', () => {
  expect(jobBegunBy('/v1/vault/keys2', { id: 'key' })).toBeUndefined()
  expect(jobBegunBy('/v1/scheduler/job-configs/{id}/run-now', { job_config_id: 'c' }, { id: 'c' })).toBeUndefined()
})

test('progress is reported as far as a record contains it', () => {
  const job: JobPath = '/v1/scheduler/jobs/{id}'
  expect(progressOf(job, { left_count: 3, total_count: 10 })).toEqual({ done: 7, total: 10 })
  expect(progressOf(SYNCHRONIZATION, {})).toEqual({})
  const expected_end_at = '2030-01-01T00:00:00.000Z'
  expect(progressOf(job, { left_count: 3, total_count: 10, expected_end_at })).toMatchObject({ ends: expected_end_at })
  expect(statusOf(job, { status: 'scheduled' })).toBe('scheduled')
})
