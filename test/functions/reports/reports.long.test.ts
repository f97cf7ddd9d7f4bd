import { CreateKeyCommand, DecryptCommand, DisableKeyCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { beforeAll, expect, test } from 'vitest'
import { CLOUD_A, keysOf, OTHER_REGION, REGION, useCloudA } from '../cloud-a/cloud-a.ts'
import { DAY, expectRefused, HOUR } from '../vault/vault.ts'
import { AT_ONCE, cellsOf, fieldsOf, holdLogs, onMain, REPORTS, reportsOf } from './reports.ts'

const tests = useCloudA(AT_ONCE)
const reports = (): ReturnType<typeof reportsOf> => reportsOf(tests(), tests().admin)
const idle = (): Promise<void> => tests().service.deployment.flows.idle()

const HEADER = [
  'key name',
  'kms',
  'key activity',
  'account',
  'region',
  'modified date',
  'user',
  'key arn',
  'key expiration',
  'origin',
  'cloud',
]
let key: any

beforeAll(async () => {
  const { admin, account } = tests()
  await admin.create({ name: 'source', algorithm: 'aes', usageMask: 76 })
  key = await keysOf(admin).upload({ source_key_identifier: 'source', cloud_a_param: { Alias: 'orders' } })
  const KeyId = key.cloud_a_param.KeyID
  const { CiphertextBlob } = await tests()
    .client()
    .send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('x') }))
  await tests().client().send(new DecryptCommand({ CiphertextBlob }))
  expect(account.logGroups).toContain(`trail-${account.id}`)
})

test('a report is under way after its creation, and lists the uses of keys when it is completed', async () => {
  const { account, at } = tests()
  const begun = await reports().create(onMain(tests(), 'activity'))
  expect(begun).toMatchObject({
    uri: expect.stringContaining(':keymgr:report:') as string,
    name: 'activity',
    cloud_name: 'cloud-a',
    report_type: 'key-report',
    overall_status: 'in_progress',
    detailed_status: { [`main/${REGION}`]: 'in_progress' },
    abort: false,
    kms: ['main'],
  })
  expect(begun.completed_at).toBeUndefined()
  const [from, to] = [Date.parse(begun.start_time as string), Date.parse(begun.end_time as string)]
  expect(to - from).toBe(DAY)
  expect(Math.abs(to - Date.parse(at(0)))).toBeLessThan(HOUR)
  await idle()
  const report = await reports().get(begun.id as string)
  expect(report).toMatchObject({
    overall_status: 'completed',
    detailed_status: { [`main/${REGION}`]: 'completed' },
    start_time: begun.start_time,
    completed_at: expect.any(String) as string,
  })
  const contents = await reports().contents(report.id as string, '?limit=1000')
  const used = contents.resources.filter(
    ({ user_name, keymgr_operation }: any) => user_name !== '' && !keymgr_operation,
  )
  expect(fieldsOf({ resources: used }, 'key_activity', 'origin')).toEqual([
    ['Encrypt', 'keymgr'],
    ['Decrypt', 'keymgr'],
  ])
  const ours = contents.resources.filter(({ keymgr_operation }: any) => keymgr_operation)
  expect(fieldsOf({ resources: ours }, 'key_activity')).toEqual(
    expect.arrayContaining(['CreateKey', 'GetParametersForImport', 'ImportKeyMaterial', 'CreateAlias']),
  )
  expect(used[0]).toMatchObject({
    account: report.account,
    createdAt: report.createdAt,
    key_name: 'orders',
    key_arn: key.cloud_a_param.Arn,
    kms: 'main',
    region: REGION,
    account_id: account.id,
    cloud_name: 'cloud-a',
    key_expiration: null,
    user_name: account.userArn,
  })
  expect(new Set(fieldsOf(contents, 'id')).size).toBe(contents.total)
})

test('the text to download has the header and a line for each record', async () => {
  const report = await reports().made(onMain(tests(), 'text'))
  const { total, resources } = await reports().contents(report.id as string, '?limit=1000')
  const { status, headers, body } = await reports().download(report.id as string)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const [header, ...lines] = cellsOf(body as string)
  expect(header).toEqual(HEADER)
  expect(lines).toHaveLength(total as number)
  expect(lines.map(([name, , activity]) => [name, activity])).toEqual(
    fieldsOf({ resources }, 'key_name', 'key_activity'),
  )
})

test('ages of keys need no log, and cover every region by default', async () => {
  const expiring = await keysOf(tests().admin).upload({
    source_key_identifier: 'source',
    key_expiration: true,
    region: OTHER_REGION,
    cloud_a_param: { Alias: 'expiring', ValidTo: tests().at(30 * DAY) },
  })
  const body = { name: 'ages', report_type: 'key-aging', cloud_a_params: [{ kms: 'main' }] }
  const report = await reports().made(body)
  expect(report).toMatchObject({
    overall_status: 'completed',
    kms: ['main'],
    detailed_status: { [`main/${REGION}`]: 'completed', [`main/${OTHER_REGION}`]: 'completed' },
  })
  const { total, resources } = await reports().contents(report.id as string)
  expect(total).toBe(2)
  expect(resources).toMatchObject([
    {
      key_name: 'orders',
      region: REGION,
      key_activity: 'Created',
      modified_time: key.cloud_a_param.CreationDate,
      key_expiration: null,
      origin: 'keymgr',
      user_name: '',
    },
    { key_name: 'expiring', region: OTHER_REGION, key_expiration: expiring.cloud_a_param.ValidTo },
  ])
})

test('calls to this service on the keys of a place are listed with their callers', async () => {
  const { admin } = tests()
  await admin.ok('POST', `${CLOUD_A}/keys/${key.id as string}/enable`)
  await keysOf(admin).create({ region: OTHER_REGION, cloud_a_param: { Alias: 'elsewhere' } })
  const report = await reports().made(onMain(tests(), 'calls', { report_type: 'service-report' }))
  expect(report).toMatchObject({ overall_status: 'completed', detailed_status: { [`main/${REGION}`]: 'completed' } })
  const { resources } = await reports().contents(report.id as string, '?limit=100')
  expect(fieldsOf({ resources }, 'key_name', 'key_activity', 'user_name', 'error_code')).toEqual([
    ['orders', 'Upload Cloud-a Key', 'admin', undefined],
    ['orders', 'Enable Cloud-a Key', 'admin', undefined],
  ])
  expect(resources[0]).toMatchObject({ kms: 'main', region: REGION, origin: 'keymgr', keymgr_operation: true })
})

test('records are compared with the cloud, and stay as they are', async () => {
  const { admin } = tests()
  const client = tests().client()
  const differs = await keysOf(admin).create({ cloud_a_param: { Alias: 'differs' } })
  const { KeyMetadata } = await client.send(new CreateKeyCommand({}))
  await client.send(new DisableKeyCommand({ KeyId: differs.cloud_a_param.KeyID }))
  const report = await reports().made(onMain(tests(), 'compared', { report_type: 'reconciliation-report' }))
  expect(report).toMatchObject({ overall_status: 'completed' })
  const { resources } = await reports().contents(report.id as string, '?limit=100')
  const outcomes = fieldsOf({ resources }, 'key_name', 'key_activity', 'origin')
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ['orders', 'Agrees', 'keymgr'],
      ['differs', 'Differs', 'Native'],
      [KeyMetadata?.KeyId, 'Not on record', null],
    ]),
  )
  expect(outcomes).toHaveLength(3)
  const { cloud_a_param } = await keysOf(admin).get(differs.id)
  expect(cloud_a_param).toMatchObject({ KeyState: 'Enabled' })
  expect((await keysOf(admin).list('?region=' + REGION)).total).toBe(2)
})

test('a report of ages, too, covers at most 90 days of the past', async () => {
  const ages = { name: 'ages of no time', report_type: 'key-aging', cloud_a_params: [{ kms: 'main' }] }
  const refused = async (span: object, field: string): Promise<void> =>
    expectRefused(await reports().tryCreate({ ...ages, ...span }), 422, 2, field)
  await refused({ end_time: '2100-01-01T00:00:00Z' }, '#/end_time')
  await refused({ start_time: '2024-01-01T00:00:00Z', end_time: '2025-01-01T00:00:00Z' }, '#/start_time')
  await refused({ start_time: '2025-01-01T00:00:00Z', end_time: '2024-01-01T00:00:00Z' }, '#/start_time')
})

test('a container without a log fails with its reason, and the others stay readable', async () => {
  const { account } = tests()
  const report = await reports().made({
    name: 'half',
    cloud_a_params: [
      { kms: 'main', region: OTHER_REGION },
      { kms: 'main', region: REGION, log_group: `trail-${account.id}` },
    ],
  })
  expect(report).toMatchObject({
    overall_status: 'failed',
    detailed_status: {
      [`main/${OTHER_REGION}`]: expect.stringContaining('No log group is named') as string,
      [`main/${REGION}`]: 'completed',
    },
  })
  expect(report.completed_at).toBeUndefined()
  const { total, resources } = await reports().contents(report.id as string)
  expect(total).toBeGreaterThan(3)
  expect(new Set(fieldsOf({ resources }, 'region'))).toEqual(new Set([REGION]))
  expect((await reports().download(report.id as string)).status).toBe(200)
})

test('a missing log fails its container with the cloud’s message', async () => {
  const cloud_a_params = [{ kms: 'main', region: REGION, log_group: 'nowhere' }]
  const report = await reports().made({ name: 'nowhere', cloud_a_params })
  expect(report).toMatchObject({
    overall_status: 'failed',
    detailed_status: { [`main/${REGION}`]: expect.stringContaining('ResourceNotFoundException') as string },
  })
})

const PAST = '2026-01-01T00:00:00Z'
test.each([
  ['no container', { cloud_a_params: [] }, 422, 2, '#/cloud_a_params'],
  ['no name', { name: undefined }, 422, 2, '#/name'],
  ['a kind there is none of', { report_type: 'key-gossip' }, 422, 2, '#/report_type'],
  ['a time that is none', { end_time: 'yesterday' }, 422, 2, '#/end_time'],
  ['a beginning after the end', { start_time: '2026-01-02T00:00:00Z', end_time: PAST }, 422, 2, '#/start_time'],
  ['a time without length', { start_time: PAST, end_time: PAST }, 422, 2, '#/start_time'],
  ['more than 90 days', { start_time: '2025-09-01T00:00:00Z', end_time: PAST }, 422, 2, '#/start_time'],
  ['a time to come', { end_time: '2100-01-01T00:00:00Z' }, 422, 2, '#/end_time'],
  ['an entry that is not there', { cloud_a_params: [{ kms: 'other' }] }, 404, 5, '#/cloud_a_params/0/kms'],
  [
    'a region that the entry has not',
    { cloud_a_params: [{ kms: 'main', region: 'eu-west-3' }] },
    422,
    2,
    '#/cloud_a_params/0/region',
  ],
  ['an unknown field', { start: PAST }, 400, 1, '#/start'],
])('%s is refused', async (_what, more, status, code, field) => {
  expectRefused(await reports().tryCreate(onMain(tests(), 'refused', more)), status, code, field)
})

test('a place can be named once, and a name used once', async () => {
  const twice = { cloud_a_params: [{ kms: 'main' }, { kms: 'main', region: REGION }] }
  expectRefused(await reports().tryCreate(onMain(tests(), 'twice', twice)), 422, 2)
  await reports().made(onMain(tests(), 'once'))
  expectRefused(await reports().tryCreate(onMain(tests(), 'once')), 409, 7)
})

test('the list finds reports by name, kind and status, in both spellings', async () => {
  const names = async (query: string): Promise<unknown[]> => fieldsOf(await reports().list(query), 'name')
  expect(await names('?name=act*')).toEqual(['activity'])
  expect(await names('?report_type=key-aging&sort=name')).toEqual(['ages'])
  expect(await names('?overall_status=failed&sort=name')).toEqual(['half', 'nowhere'])
  expect(await names('?overall_status=in_progress')).toEqual([])
  const resume = holdLogs(tests())
  const pending = await reports().create(onMain(tests(), 'pending'))
  for (const spelling of ['in%20progress', 'in_progress', 'in+progress,failed&name=pend*'])
    expect(await names(`?overall_status=${spelling}`)).toEqual(['pending'])
  resume()
  await idle()
  expect(await names('?overall_status=in_progress')).toEqual([])
  expect(await names(`?id=${pending.id as string}`)).toEqual(['pending'])
  const { total, resources } = await reports().list('?limit=2')
  expect(total).toBeGreaterThan(5)
  expect(fieldsOf({ resources }, 'name')).toEqual(['activity', 'text'])
  expectRefused(await tests().admin.call('GET', `${REPORTS}?overall_status=done`), 400, 1, 'overall_status')
})

test('while a report is under way it cannot be downloaded, and its container cannot be removed', async () => {
  const resume = holdLogs(tests())
  const { id } = await reports().create(onMain(tests(), 'held'))
  expectRefused(await reports().download(id as string), 409, 8)
  expect(await reports().contents(id as string)).toMatchObject({ total: 0, resources: [] })
  expectRefused(await tests().admin.call('DELETE', `${CLOUD_A}/kms/${tests().kms.id as string}`), 409, 9)
  resume()
  await idle()
  expect((await reports().get(id as string)).overall_status).toBe('completed')
  expect((await reports().download(id as string)).status).toBe(200)
})

test('a deleted report is removed with all its rows, under way or not', async () => {
  const resume = holdLogs(tests())
  const ages = { report_type: 'key-aging' }
  const done = await reports().made(onMain(tests(), 'done', ages))
  const begun = await reports().create(onMain(tests(), 'begun'))
  for (const { id } of [done, begun]) {
    const { status, body } = await reports().remove(id as string)
    expect([status, body]).toEqual([200, { status: 204 }])
    expectRefused(await reports().tryGet(id as string), 404, 5)
    expectRefused(await reports().tryContents(id as string), 404, 5)
    expectRefused(await reports().download(id as string), 404, 5)
    expectRefused(await reports().remove(id as string), 404, 5)
  }
  resume()
  await idle()
  expectRefused(await reports().tryGet(begun.id as string), 404, 5)
  const { purged } = await tests().sweep()
  expect(purged).toBe(2)
  expect((await reports().made(onMain(tests(), 'begun'))).overall_status).toBe('completed')
})

test('after 90 days a report is removed', async () => {
  const { id } = await reports().made(onMain(tests(), 'old'))
  tests().advance(89 * DAY)
  await tests().sweep()
  expect((await reports().get(id as string)).name).toBe('old')
  tests().advance(2 * DAY)
  await tests().sweep()
  expectRefused(await reports().tryGet(id as string), 404, 5)
  expect((await reports().list()).total).toBe(0)
})
