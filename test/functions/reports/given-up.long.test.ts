import { beforeAll, expect, test } from 'vitest'
import { MINUTE_MS } from '../../../shared/base/time.ts'
import { REGION, useCloudA } from '../cloud-a/cloud-a.ts'
import { expectRefused, HOUR } from '../vault/vault.ts'
import { AT_ONCE, onMain, reportsOf, seedTrail } from './reports.ts'

/** An address without a server: the object store is down, so long texts cannot be stored. */
const NOWHERE = { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9', AWS_MAX_ATTEMPTS: '1' }
const tests = useCloudA({ ...AT_ONCE, environment: NOWHERE })
const reports = (): ReturnType<typeof reportsOf> => reportsOf(tests(), tests().admin)

const COUNT = 1_700
let id = ''

beforeAll(async () => {
  const { account, cloud, at, service } = tests()
  const from = new Date(at(-3 * HOUR))
  const users = ['c'.repeat(2_000)]
  seedTrail(cloud, account.id, REGION, { count: COUNT, from, keyIds: ['11111111-1111-4111-8111-111111111111'], users })
  const span = { start_time: from.toISOString(), end_time: at(-HOUR) }
  id = (await reports().create(onMain(tests(), 'long', span))).id as string
  await service.deployment.flows.idle()
})

test('a report that can never be finished fails after some hours, and its results stay readable', async () => {
  const { advance, sweep, service } = tests()
  expect((await reports().get(id)).overall_status).toBe('in_progress')
  for (let halfHours = 0; halfHours < 9; halfHours++) {
    advance(31 * MINUTE_MS)
    await sweep()
    await service.deployment.flows.idle()
  }
  const report = await reports().get(id)
  expect(report).toMatchObject({ overall_status: 'failed', detailed_status: { [`main/${REGION}`]: 'completed' } })
  expect(report.completed_at).toBeUndefined()
  expect((await reports().contents(id)).total).toBe(COUNT)
  expectRefused(await reports().download(id), 409, 8)
  expect((await reports().remove(id)).status).toBe(200)
})
