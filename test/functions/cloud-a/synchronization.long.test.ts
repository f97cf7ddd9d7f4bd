import { CreateKeyCommand } from '@aws-sdk/client-kms'
import { beforeEach, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { CLOUD_A, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'

const JOBS = `${CLOUD_A}/synchronization-jobs`
const tests = useCloudA({ flowPauseMs: () => 1 })

beforeEach(() => tests().cloud.reset())

/** Starts a job and waits for the end of its flow; returns the job at that time. */
async function synchronize(body: object = { kms: ['main'] }): Promise<any> {
  const { admin, service } = tests()
  const { id } = await admin.ok('POST', JOBS, body)
  await service.deployment.flows.idle()
  return admin.ok('GET', `${JOBS}/${id}`)
}
const refused = async (body: object) => tests().admin.call('POST', JOBS, body)
const recordOf = async (keyId: string): Promise<any> =>
  (await keysOf(tests().admin).list(`?keyid=${keyId}`)).resources[0]

test('keys are recorded as the cloud describes them, and a second synchronization changes nothing', async () => {
  const { cloud, account } = tests()
  const seeded = cloud.seed({
    account: account.id,
    region: REGION,
    count: 120,
    describe: (n) => ({ description: `seeded ${n}`, aliases: [`alias/seeded-${n}`], tags: { number: String(n) } }),
  })
  const first = await synchronize()
  expect(first).toMatchObject({
    overall_status: 'completed',
    detailed_status: {
      [`main/${REGION}`]: 'synchronized successfully',
      [`main/${OTHER_REGION}`]: 'synchronized successfully',
    },
    added: 120,
    updated: 0,
    gone: 0,
    abort: false,
    kms: ['main'],
    synchronize_all: false,
  })
  expect(first.completed_at).toBeDefined()
  expect(first).not.toHaveProperty('places')
  const key = await recordOf(seeded[7] ?? '')
  expect(key).toMatchObject({
    region: REGION,
    kms: 'main',
    gone: false,
    key_material_origin: 'native',
    rotation_status: '',
    cloud_a_param: {
      AccountId: account.id,
      Description: 'seeded 7',
      Alias: ['seeded-7'],
      Tags: [{ TagKey: 'number', TagValue: '7' }],
      KeyState: 'Enabled',
      Enabled: true,
      Origin: 'CLOUD_A_KMS',
      KeyManager: 'CUSTOMER',
    },
  })
  const second = await synchronize()
  expect(second).toMatchObject({ overall_status: 'completed', added: 0, updated: 0, gone: 0 })
  const again = await keysOf(tests().admin).get(key.id)
  expect({ ...again, synced_at: '' }).toEqual({ ...key, synced_at: '' })
  expect(Date.parse(again.synced_at)).toBeGreaterThan(Date.parse(key.synced_at))
})

test('changed, removed and restored keys of the cloud change here too; our own links stay', async () => {
  const { cloud, account, admin } = tests()
  await admin.create({ name: 'sync-source', algorithm: 'aes', size: 256 })
  const ours = await keysOf(admin).upload({
    source_key_identifier: 'sync-source',
    cloud_a_param: { Alias: 'sync-ours' },
  })
  const ref = ours.cloud_a_param.KeyID
  const [gone = '', stays = ''] = cloud.seed({ account: account.id, region: OTHER_REGION, count: 2 })
  await synchronize()
  cloud.alter(account.id, REGION, ref, { description: 'altered', enabled: false, tags: { by: 'another' } })
  cloud.forget(account.id, OTHER_REGION, gone)
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', added: 0, updated: 1, gone: 1 })
  expect(await keysOf(admin).get(ours.id)).toMatchObject({
    local_key_name: 'sync-source',
    key_material_origin: 'keymgr',
    cloud_a_param: { Description: 'altered', KeyState: 'Disabled', Enabled: false },
  })
  expect(await recordOf(gone)).toMatchObject({ gone: true })
  expect(await recordOf(stays)).toMatchObject({ gone: false })
  expect(await synchronize()).toMatchObject({ added: 0, updated: 0, gone: 0 })
  cloud.seed({ account: account.id, region: OTHER_REGION, count: 2 }) // the same ids, created again
  expect(await synchronize()).toMatchObject({ added: 0, updated: 2, gone: 0 })
  expect(await recordOf(gone)).toMatchObject({ gone: false })
})

test('tags and a policy that may not be read stay as they were, and the record names them', async () => {
  const { cloud, admin } = tests()
  const Tags = [{ TagKey: 'team', TagValue: 'one' }]
  const key = await keysOf(admin).create({ cloud_a_param: { Description: 'before', Tags } })
  cloud.alter(tests().account.id, REGION, key.cloud_a_param.KeyID, { description: 'after' })
  for (const operation of ['GetKeyPolicy', 'ListResourceTags']) cloud.inject({ fault: 'access-denied', operation })
  const expected = { ...key.cloud_a_param, Description: 'after' }
  expect(await keysOf(admin).act(key.id, 'refresh')).toMatchObject({
    cloud_a_param: expected,
    unread: ['Tags', 'Policy'],
  })
  expect(await synchronize({ kms: ['main'], regions: [REGION] })).toMatchObject({ overall_status: 'completed' })
  expect((await keysOf(admin).get(key.id)).cloud_a_param).toEqual(expected)
  cloud.reset()
  expect(await synchronize({ kms: ['main'], regions: [REGION] })).toMatchObject({ overall_status: 'completed' })
  expect(await keysOf(admin).get(key.id)).not.toHaveProperty('unread')
})

/** A policy that names only another user of the account. */
const othersOnly = (account: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${account}:user/alice` }, Action: 'kms:*', Resource: '*' },
    ],
  })

test('a key that may not be read is named in the job, its record stays with a mark, and all others are read', async () => {
  const { cloud, account, admin } = tests()
  const at = { account: account.id, region: REGION }
  const [known = '', changed = '', unknown = ''] = cloud.seed({ ...at, count: 130 }).slice(-3)
  cloud.alter(account.id, REGION, unknown, { policy: othersOnly(account.id) })
  const first = await synchronize({ kms: ['main'], regions: [REGION] })
  expect(first).toMatchObject({ overall_status: 'completed', unread: 1, errors: [expect.stringContaining(unknown)] })
  expect(first.errors[0]).toMatch(/^main\/eu-west-1 .*AccessDeniedException/)
  expect(first.detailed_status[`main/${REGION}`]).toContain('1 that could not be read')
  expect(await recordOf(unknown)).toBeUndefined()
  const before = await recordOf(known)
  cloud.alter(account.id, REGION, known, { policy: othersOnly(account.id), description: 'unseen' })
  cloud.alter(account.id, REGION, changed, { description: 'seen' })
  const second = await synchronize({ kms: ['main'], regions: [REGION] })
  expect(second).toMatchObject({ overall_status: 'completed', updated: 1, gone: 0, unread: 2 })
  expect((await recordOf(changed)).cloud_a_param.Description).toBe('seen')
  const marked = await recordOf(known)
  expect(marked).toEqual({ ...before, unread: ['key'], updatedAt: expect.any(String), synced_at: expect.any(String) })
  expect(await synchronize({ kms: ['main'], regions: [REGION] })).toMatchObject({ updated: 0, unread: 2 })
  expect((await recordOf(known)).updatedAt).toBe(marked.updatedAt)
  for (const ref of [known, unknown]) cloud.forget(account.id, REGION, ref)
  cloud.seed({ ...at, count: 130 })
  expect(await synchronize({ kms: ['main'], regions: [REGION] })).toMatchObject({ added: 1, unread: 0, errors: [] })
  expect(await keysOf(admin).get(marked.id)).not.toHaveProperty('unread')
})

test('a region whose keys cannot be listed fails, and counts none of them as unread', async () => {
  const { cloud, admin } = tests()
  const { id } = await keysOf(admin).create({})
  cloud.inject({ fault: 'access-denied', operation: 'DescribeKey' })
  cloud.inject({ fault: 'access-denied', operation: 'ListKeys' })
  expect(await synchronize({ kms: ['main'], regions: [REGION] })).toMatchObject({ overall_status: 'failed', unread: 0 })
  cloud.reset()
  expect(await synchronize({ kms: ['main'], regions: [REGION] })).toMatchObject({ overall_status: 'completed' })
  expect(await keysOf(admin).get(id)).not.toHaveProperty('unread')
})

test('an alias that a key gets while its region is being read stays on its record', async () => {
  const { cloud, admin } = tests()
  const key = await keysOf(admin).create({})
  cloud.inject({
    fault: 'observe',
    operation: 'ListAliases',
    region: REGION,
    calls: [1],
    after: async () => {
      await keysOf(admin).act(key.id, 'add-alias', { alias: 'sync-meanwhile' })
    },
  })
  expect(await synchronize({ kms: ['main'], regions: [REGION] })).toMatchObject({ updated: 0, gone: 0 })
  expect((await keysOf(admin).get(key.id)).cloud_a_param.Alias).toEqual(['sync-meanwhile'])
})

test('a connection that now reaches another account is not used, and no record of a key changes', async () => {
  const { cloud, admin, account, entry } = tests()
  const [, , third] = cloud.accounts
  await entry('moved', { account: third })
  const key = await keysOf(admin).create({ kms: 'moved' })
  cloud.reset()
  await keysOf(admin).act(key.id, 'disable')
  expect(cloud.counts().GetCallerIdentity).toBeUndefined() // cached since the key was created
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account.credentials
  const connection = '/v1/connectionmgmt/services/cloud-a/connections/moved'
  await admin.ok('PATCH', connection, { access_key_id, secret_access_key })
  const before = cloud.keysIn(account.id, REGION).length
  await admin.create({ name: 'sync-foreign', algorithm: 'aes', size: 256 })
  for (const answered of [
    await keysOf(admin).tryUpload({ kms: 'moved', source_key_identifier: 'sync-foreign' }),
    await keysOf(admin).tryAct(key.id, 'enable'),
    await admin.call('POST', `${CLOUD_A}/get-iam-roles`, { kms: 'moved' }),
  ]) {
    expect(answered, JSON.stringify(answered.body)).toMatchObject({ status: 409, body: { code: 8 } })
    expect(answered.body.detail).toContain(`leads to another account, ${account.id}`)
  }
  const job = await synchronize({ kms: ['moved'] })
  expect(job).toMatchObject({ overall_status: 'failed', added: 0, updated: 0, gone: 0 })
  expect(job.detailed_status[`moved/${REGION}`]).toContain('leads to another account')
  expect(cloud.keysIn(account.id, REGION)).toHaveLength(before)
  const kept = await keysOf(admin).get(key.id)
  expect(kept).toMatchObject({ gone: false, cloud_a_param: { KeyState: 'Disabled' } })
  const { resources } = await admin.ok('GET', `${CLOUD_A}/kms`)
  await admin.ok('DELETE', `${CLOUD_A}/kms/${resources.find(({ name }: any) => name === 'moved').id}`)
})

test('a key that we created is synchronized through another entry of its account, and rotated once', async () => {
  const { admin, entry } = tests()
  await entry('beside')
  await admin.create({ name: 'beside-source', algorithm: 'aes', size: 256 })
  const upload = () => keysOf(admin).upload({ source_key_identifier: 'beside-source' })
  const [ours, second] = [await upload(), await upload()]
  const job = { kms: ['beside'], regions: [REGION] }
  await synchronize(job)
  const beside = async ({ cloud_a_param: { KeyID } }: any): Promise<any> =>
    (await keysOf(admin).list(`?keyid=${KeyID}&kms=beside`)).resources[0]
  const other = await beside(ours)
  const { local_key_id, local_key_name, key_source } = ours
  expect(other).toMatchObject({
    key_material_origin: 'keymgr',
    local_key_id,
    local_key_name,
    key_source,
    kms: 'beside',
  })
  const { id: rotated_to } = await keysOf(admin).act(ours.id, 'rotate', {})
  expect(await keysOf(admin).tryAct(other.id, 'rotate', {})).toMatchObject({ status: 409, body: { code: 8 } })
  await synchronize(job)
  expect(await keysOf(admin).get(other.id)).toMatchObject({ rotated_to, rotation_status: 'ROTATED' })
  const { id: successor } = await keysOf(admin).act((await beside(second)).id, 'rotate', {})
  expect(await keysOf(admin).get(second.id)).toMatchObject({ rotated_to: successor, rotation_status: 'ROTATED' })
  expect(await keysOf(admin).tryAct(second.id, 'rotate', {})).toMatchObject({ status: 409, body: { code: 8 } })
})

test('material that another party imported is of unknown origin', async () => {
  const { admin, client } = tests()
  const { KeyMetadata } = await client().send(new CreateKeyCommand({ Origin: 'EXTERNAL' }))
  await synchronize({ kms: ['main'], regions: [REGION] })
  expect(await recordOf(KeyMetadata?.KeyId ?? '')).toMatchObject({ key_material_origin: 'unknown' })
  expect((await admin.ok('GET', `${CLOUD_A}/keys?key_material_origin=unknown&limit=1`)).total).toBeGreaterThan(0)
})

test('only the given regions are read', async () => {
  const { cloud } = tests()
  const job = await synchronize({ kms: ['main'], regions: [OTHER_REGION] })
  expect(job).toMatchObject({
    regions: [OTHER_REGION],
    detailed_status: { [`main/${OTHER_REGION}`]: 'synchronized successfully' },
  })
  expect(new Set(cloud.calls().map(({ region }) => region))).toEqual(new Set([OTHER_REGION]))
})

test('throttling slows a run and does not fail it', async () => {
  const { cloud } = tests()
  cloud.inject({ fault: 'throttle', service: 'kms', times: 6 })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed' })
  expect(cloud.calls().filter(({ refused: by }) => by === 'ThrottlingException')).toHaveLength(6)
})

test('a region that is refused fails alone, with the reason and nothing secret', async () => {
  const { cloud, account } = tests()
  cloud.inject({ fault: 'access-denied', operation: 'ListKeys', region: OTHER_REGION })
  const job = await synchronize()
  expect(job).toMatchObject({
    overall_status: 'failed',
    detailed_status: { [`main/${REGION}`]: 'synchronized successfully' },
  })
  expect(job.detailed_status[`main/${OTHER_REGION}`]).toContain('AccessDenied')
  expect(JSON.stringify(job)).not.toContain(account.credentials.secretAccessKey)
})

test('an empty page with a token for the next one is not the end', async () => {
  const { cloud, account } = tests()
  const [found = ''] = cloud.seed({ account: account.id, region: 'us-west-2', count: 1 })
  await tests().entry('west', { regions: ['us-west-2'] })
  cloud.inject({ fault: 'empty-page', operation: 'ListKeys', times: 2 })
  expect(await synchronize({ kms: ['west'] })).toMatchObject({ overall_status: 'completed', added: 1 })
  expect(await recordOf(found)).toMatchObject({ kms: 'west' })
})

test('a second job for a container that is being read is refused; cancelled, the job ends as aborted', async () => {
  const { cloud, admin, service } = tests()
  const seen = new Promise<void>((resolve) => {
    let cancelled: Promise<unknown> | undefined
    cloud.inject({
      fault: 'observe',
      operation: 'DescribeKey',
      calls: [1],
      after: async () => {
        const { resources } = await admin.ok('GET', `${JOBS}?overall_status=in_progress`)
        expect(await refused({ kms: ['main'] })).toMatchObject({ status: 409, body: { code: 8 } })
        cancelled ??= admin.ok('POST', `${JOBS}/${resources[0].id}/cancel`)
        await cancelled
        resolve()
      },
    })
  })
  const { id } = await admin.ok('POST', JOBS, { kms: ['main'] })
  await seen
  await service.deployment.flows.idle()
  const job = await admin.ok('GET', `${JOBS}/${id}`)
  expect(job).toMatchObject({ overall_status: 'aborted', abort: true })
  expect(Object.values(job.detailed_status)).toContain('aborted')
  expect(await admin.call('POST', `${JOBS}/${id}/cancel`)).toMatchObject({ status: 409 })
  expect(await synchronize()).toMatchObject({ overall_status: 'completed' })
})

test('a job whose flow was never started is started by the sweeper', async () => {
  const { admin, service } = tests()
  const { deployment } = service
  const { id } = await admin.ok('POST', JOBS, { kms: ['main'] })
  await deployment.kill('triggers') // interrupts the current step
  await deployment.flows.idle()
  deployment.clock.advance(60 * 60_000)
  await deployment.fire('sweep-due')
  await deployment.flows.idle()
  expect(await admin.ok('GET', `${JOBS}/${id}`)).toMatchObject({ overall_status: 'completed' })
})

test('everything means every container that is not archived', async () => {
  const { admin, kms } = tests()
  const { resources } = await admin.ok('GET', `${CLOUD_A}/kms`)
  const west = resources.find(({ name }: any) => name === 'west')
  await admin.ok('POST', `${CLOUD_A}/kms/${west.id}/archive`)
  const job = await synchronize({ synchronize_all: true })
  expect(job).toMatchObject({ overall_status: 'completed', synchronize_all: true })
  expect(job.kms.toSorted()).toEqual(['beside', 'main'])
  expect(await refused({ kms: [west.id] })).toMatchObject({ status: 409 })
  expect((await admin.ok('GET', `${CLOUD_A}/kms/${kms.id}`)).last_synchronized_at).toBe(job.completed_at)
})

test.each([
  ['neither list nor all', {}, 422, '#/kms'],
  ['both', { kms: ['main'], synchronize_all: true }, 422, '#/kms'],
  ['all, but not so', { synchronize_all: false }, 422, '#/kms'],
  ['an unknown container', { kms: ['main', 'nowhere'] }, 404, '#/kms/1'],
  ['a region nobody has', { kms: ['main'], regions: [REGION, 'ap-south-1'] }, 422, '#/regions/1'],
  ['an empty list', { kms: [] }, 422, '#/kms'],
  ['an unknown field', { kms: ['main'], key_vaults: ['x'] }, 400, '#/key_vaults'],
])('%s is refused', async (_what, body, status, pointer) => {
  const answered = await refused(body)
  expect(answered, JSON.stringify(answered.body)).toMatchObject({ status, body: { errors: [{ pointer }] } })
})

test("a caller without permission cannot synchronize, and another domain's job does not exist", async () => {
  const { admin, service, kms } = tests()
  const token = await admin.token()
  const { token: user, userId } = await service.userIn(token, 'sync-user', ['keymgr Users'])
  const acls = [{ user_id: userId, permit: true, actions: ['viewnative'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
  expect(await service.call('POST', JOBS, { token: user, body: { kms: ['main'] } })).toMatchObject({ status: 403 })
  const { id } = await synchronize()
  const { child } = await childAdmin(service, 'sync-child')
  expect(await service.call('GET', `${JOBS}/${id}`, { token: child })).toMatchObject({ status: 404 })
  const { body } = await service.call('GET', JOBS, { token: child })
  expect(body).toMatchObject({ total: 0 })
})

test('users see and cancel only the jobs that they started; administrators all jobs', async () => {
  const { admin, service, kms } = tests()
  const root = await admin.token()
  const { token: starter, userId } = await service.userIn(root, 'sync-starter', ['keymgr Users'])
  const { token: stranger } = await service.userIn(root, 'sync-stranger', ['keymgr Users'])
  const { token: other } = await service.userIn(root, 'sync-admin', ['keymgr Admins'])
  const acls = [{ user_id: userId, permit: true, actions: ['keysynchronize'] }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
  const as = (token: string, method: string, path = '', body?: object) =>
    service.call(method, `${JOBS}${path}`, { token, body })
  const theirs = await synchronize()
  const started = await as(starter, 'POST', '', { kms: ['main'] })
  expect(started.status, JSON.stringify(started.body)).toBe(201)
  expect(started.body).not.toHaveProperty('initiator')
  const own = `/${started.body.id}`
  expect((await as(starter, 'GET')).body).toMatchObject({ total: 1, resources: [{ id: started.body.id }] })
  expect((await as(starter, 'GET', `?id=${theirs.id}`)).body.total).toBe(0)
  for (const [token, path] of [
    [starter, `/${theirs.id}`],
    [stranger, `/${theirs.id}`],
    [stranger, own],
  ] as const) {
    expect(await as(token, 'GET', path)).toMatchObject({ status: 404, body: { code: 5 } })
    expect(await as(token, 'POST', `${path}/cancel`)).toMatchObject({ status: 404, body: { code: 5 } })
  }
  expect((await as(stranger, 'GET')).body).toEqual({ skip: 0, limit: 10, total: 0, resources: [] })
  expect(await as(other, 'GET', own)).toMatchObject({ status: 200, body: { abort: false } })
  await service.deployment.flows.idle()
  const over = { status: 409, body: { code: 8 } } // callers who may cancel it are informed that it has ended
  expect(await as(starter, 'GET', own)).toMatchObject({ status: 200, body: { overall_status: 'completed' } })
  expect(await as(starter, 'POST', `${own}/cancel`)).toMatchObject(over)
  expect(await as(other, 'POST', `${own}/cancel`)).toMatchObject(over)
  expect((await as(other, 'GET', '?limit=1')).body.total).toBe((await admin.ok('GET', JOBS)).total)
})

test('jobs are listed newest first, by status and by container', async () => {
  const { admin } = tests()
  const all = await admin.ok('GET', `${JOBS}?limit=-1`)
  expect(all.total).toBe(all.resources.length)
  const times = all.resources.map(({ createdAt }: any) => createdAt)
  expect(times).toEqual(times.toSorted().toReversed())
  const failed = await admin.ok('GET', `${JOBS}?overall_status=failed`)
  expect(failed.total).toBe(all.resources.filter((job: any) => job.overall_status === 'failed').length)
  const west = await admin.ok('GET', `${JOBS}?kms=west`)
  expect(west.resources.map(({ kms }: any) => kms)).toEqual([['west']])
})
