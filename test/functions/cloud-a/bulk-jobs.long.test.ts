import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import type { Answered } from '../../support/service.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { CLOUD_A, keysOf, useCloudA } from './cloud-a.ts'

/** Bulk jobs: one action on many keys, performed after the request on behalf of the caller. */
const tests = useCloudA()
let keys: ReturnType<typeof keysOf>

const JOBS = `${CLOUD_A}/bulkjob`
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

beforeAll(() => {
  keys = keysOf(tests().admin)
})
beforeEach(() => tests().cloud.reset())

const someKeys = async (count: number, more: object = {}): Promise<string[]> => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await keys.create(more)).id as string)
  return ids
}
const start = (operation: string, ids: readonly string[], more: object = {}): Promise<any> =>
  tests().admin.ok('POST', JOBS, { operation, keys: ids, ...more })
const tryStart = (body: object): Promise<Answered> => tests().admin.call('POST', JOBS, body)
const get = (id: string): Promise<any> => tests().admin.ok('GET', `${JOBS}/${id}`)
const cancel = (id: string): Promise<Answered> => tests().admin.call('POST', `${JOBS}/${id}/cancel`)
const statesOf = (ids: readonly string[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => (await keys.get(id)).cloud_a_param.KeyState as string))
const idOf = ({ id }: any): string => id as string
/** After the time limit of a job, runs the sweeper. */
const aMinuteLater = async (): Promise<void> => {
  tests().advance(61_000)
  await tests().sweep()
}

describe('a bulk job', () => {
  test('begins with the request, and reports the result of each key', async () => {
    const ids = await someKeys(3)
    const job = await start('disablekey', ids)
    const { id, uri, account, application, devAccount, createdAt, updatedAt, ...rest } = job
    expect(rest).toEqual({
      keys: ids,
      operation: 'disablekey',
      cloud_name: 'cloud-a',
      overall_status: 'in_progress',
      detailed_status: {},
      abort: false,
    })
    expect(uri).toMatch(new RegExp(`^keymgr:[0-9a-f-]+:keymgr:cloud-a-bulk-job:${id}$`))
    expect([account, application, devAccount].every((text) => String(text).startsWith('keymgr:'))).toBe(true)
    expect(createdAt).toBe(updatedAt)
    const done = await get(idOf(job))
    expect(done).toEqual({
      ...job,
      updatedAt: expect.any(String),
      overall_status: 'completed',
      detailed_status: Object.fromEntries(ids.map((key) => [key, 'Success'])),
      completed_at: expect.stringMatching(/Z$/),
    })
    expect(await statesOf(ids)).toEqual(['Disabled', 'Disabled', 'Disabled'])
    expectRefused(await cancel(idOf(job)), 409, 8)
  })

  test.each([
    ['disablekey', {}, 'Disabled', 'Disable Cloud-a Key'],
    ['enablekey', {}, 'Enabled', 'Enable Cloud-a Key'],
    ['schedulekeydeletion', { days: 9 }, 'PendingDeletion', 'Schedule Cloud-a Key Deletion'],
    ['cancelkeydeletion', {}, 'Disabled', 'Cancel Cloud-a Key Deletion'],
  ])('does %s, with an audit record for each key', async (operation, more, state, message) => {
    const known = (await keys.list('?alias=in-bulk-*')).resources.map(idOf) as string[]
    const ids = known.length > 0 ? known : [...(await named('in-bulk-1')), ...(await named('in-bulk-2'))]
    const job = await start(operation, ids, more)
    expect((await get(idOf(job))).overall_status).toBe('completed')
    expect(await statesOf(ids)).toEqual([state, state])
    if (operation === 'schedulekeydeletion') {
      const [first = ''] = ids
      const wait = Date.parse((await keys.get(first)).deletion_date as string) - Date.parse(tests().at(9 * DAY))
      expect(Math.abs(wait)).toBeLessThan(60_000)
    }
    const records = (await tests().records(`message=${encodeURIComponent(message)}`)).filter(
      ({ details }) => details.after?.Alias?.[0]?.startsWith('in-bulk-') === true,
    )
    expect(records).toHaveLength(2)
    for (const record of records) expect(record).toMatchObject({ success: true, username: 'admin' })
    const [asked] = (await tests().records('message=Create%20Cloud-a%20Bulk%20Job')).slice(-1)
    expect(new Set(records.map(({ requestId }) => requestId as string))).toEqual(new Set([asked.requestId]))
  })

  const named = (Alias: string): Promise<string[]> => someKeys(1, { cloud_a_param: { Alias } })

  test('applies the policy of a template to keys, which then carry its tag', async () => {
    const template = await tests().admin.ok('POST', `${CLOUD_A}/templates`, {
      name: 'in bulk',
      kms: 'main',
      key_users: ['bob'],
    })
    const ids = await someKeys(2)
    const job = await start('applypolicytemplate', ids, { policy_template_id: template.id })
    expect(await get(idOf(job))).toMatchObject({ overall_status: 'completed', policy_template_id: template.id })
    for (const id of ids)
      expect(await keys.get(id)).toMatchObject({
        policy_template_id: template.id,
        cloud_a_param: { Policy: template.policy },
      })
  })

  test('continues after a failed key, reports the reason, and ends as failed', async () => {
    const ids = await someKeys(3)
    const [first = '', second = '', third = ''] = ids
    await keys.act(second, 'schedule-deletion', { days: 7 })
    const job = await start('disablekey', ids)
    const done = await get(idOf(job))
    expect(done).toMatchObject({
      overall_status: 'failed',
      detailed_status: { [first]: 'Success', [third]: 'Success' },
    })
    expect(done.detailed_status[second]).toContain('KMSInvalidStateException')
    expect(await statesOf(ids)).toEqual(['Disabled', 'PendingDeletion', 'Disabled'])
    const failed = (await tests().records('message=Disable%20Cloud-a%20Key')).filter(({ success }) => !success)
    expect(failed).toMatchObject([{ severity: 'warning', errorMessage: done.detailed_status[second] }])
  })

  test('that outlasts its request is finished by the sweeper', async () => {
    const ids = await someKeys(3)
    tests().cloud.inject({ fault: 'delay', operation: 'DisableKey', delayMs: 1_200 })
    const job = await start('disablekey', ids)
    const begun = await get(idOf(job))
    expect(begun.overall_status).toBe('in_progress')
    expect(Object.keys(begun.detailed_status as object)).toHaveLength(2)
    tests().cloud.reset()
    await tests().sweep()
    expect((await get(idOf(job))).overall_status).toBe('completed')
    expect(tests().cloud.counts().DisableKey).toBe(1)
    expect(await statesOf(ids)).toEqual(['Disabled', 'Disabled', 'Disabled'])
  })

  test('is worked on by one instance at a time, which does no key twice', async () => {
    const ids = await someKeys(3)
    tests().cloud.inject({ fault: 'observe', operation: 'DisableKey', calls: [1], after: () => tests().sweep() })
    const job = await start('disablekey', ids)
    expect((await get(idOf(job))).overall_status).toBe('completed')
    expect(tests().cloud.counts().DisableKey).toBe(3)
  })

  test('shows when it will be over, once it has changed a key', async () => {
    const ids = await someKeys(3)
    const seen: any[] = []
    const after = async (): Promise<void> => {
      const { resources } = await tests().admin.ok('GET', `${JOBS}?overall_status=in_progress&limit=1`)
      seen.push(resources[0])
    }
    tests().cloud.inject({ fault: 'observe', operation: 'DisableKey', calls: [1, 3], after })
    const job = await start('disablekey', ids)
    const [first, third] = seen
    expect(first).not.toHaveProperty('expected_end_at')
    expect(Date.parse(third.expected_end_at as string)).toBeGreaterThanOrEqual(Date.parse(job.createdAt as string))
    expect(await get(idOf(job))).not.toHaveProperty('expected_end_at')
  })

  test('that is cancelled ends after the present key', async () => {
    const ids = await someKeys(3)
    let cancelled: Answered | undefined
    tests().cloud.inject({
      fault: 'observe',
      operation: 'DisableKey',
      calls: [1],
      after: async () => {
        const running = await tests().admin.ok('GET', `${JOBS}?overall_status=in_progress&operation=disablekey&limit=1`)
        cancelled = await cancel(idOf(running.resources[0]))
      },
    })
    const job = await start('disablekey', ids)
    expect(cancelled).toMatchObject({ status: 200, body: { id: job.id, abort: true, overall_status: 'in_progress' } })
    const [first = '', ...others] = ids
    expect(await get(idOf(job))).toMatchObject({
      overall_status: 'aborted',
      abort: true,
      detailed_status: { [first]: 'Success' },
      completed_at: expect.stringMatching(/Z$/),
    })
    expect(await statesOf(others)).toEqual(['Enabled', 'Enabled'])
    expect(tests().cloud.counts().DisableKey).toBe(1)
  })

  test('retries keys that the cloud throttles; meanwhile their container stays', async () => {
    const ids = await someKeys(2)
    const [first = '', second = ''] = ids
    const { KeyID } = (await keys.get(first)).cloud_a_param
    tests().cloud.inject({ fault: 'server-error', operation: 'DisableKey', when: ({ KeyId }) => KeyId === KeyID })
    const job = await start('disablekey', ids)
    expect(await get(idOf(job))).toMatchObject({
      overall_status: 'in_progress',
      detailed_status: { [second]: 'Success' },
    })
    const entry = `${CLOUD_A}/kms/${tests().kms.id}`
    expectRefused(await tests().admin.call('DELETE', entry), 409, 9)
    await tests().sweep()
    expect(Object.keys((await get(idOf(job))).detailed_status as object)).toEqual([second])
    tests().cloud.reset()
    await aMinuteLater()
    expect(await get(idOf(job))).toMatchObject({ overall_status: 'completed', detailed_status: { [first]: 'Success' } })
    expect(await statesOf(ids)).toEqual(['Disabled', 'Disabled'])
    expect(tests().cloud.counts().DisableKey).toBe(1)
  })

  test('abandons a key after several rounds without progress', async () => {
    const [id = ''] = await someKeys(1)
    tests().cloud.inject({ fault: 'server-error', operation: 'DisableKey' })
    const job = await start('disablekey', [id])
    for (let round = 0; round < 5; round++) {
      expect((await get(idOf(job))).overall_status).toBe('in_progress')
      tests().advance(17 * 60_000)
      await tests().sweep()
    }
    const done = await get(idOf(job))
    expect(done.overall_status).toBe('failed')
    expect(done.detailed_status[id]).toContain('KMSInternalException')
    tests().cloud.reset()
    await aMinuteLater()
    expect(await statesOf([id])).toEqual(['Enabled'])
    expect((await keys.act(id, 'disable')).cloud_a_param.KeyState).toBe('Disabled')
  })

  test('that has not begun is cancelled at once, and its keys stay unchanged', async () => {
    const [id = ''] = await someKeys(1)
    tests().cloud.inject({ fault: 'server-error', operation: 'ScheduleKeyDeletion' })
    const job = await start('schedulekeydeletion', [id], { days: 7 })
    tests().cloud.reset()
    expect(await cancel(idOf(job))).toMatchObject({ status: 200, body: { id: job.id, abort: true } })
    expectRefused(await cancel(idOf(job)), 409, 8)
    await aMinuteLater()
    expect(await statesOf([id])).toEqual(['Enabled'])
    expect(tests().cloud.counts().ScheduleKeyDeletion).toBeUndefined()
    expect(await get(idOf(job))).toMatchObject({ overall_status: 'aborted', detailed_status: {} })
    const [record] = (await tests().records('message=Cancel%20Cloud-a%20Bulk%20Job')).filter(({ success }) => success)
    expect(record).toBeDefined()
  })

  test('asked for twice under one Idempotency-Key is one', async () => {
    const ids = await someKeys(1)
    const ask = () =>
      tests().admin.ok('POST', JOBS, { operation: 'disablekey', keys: ids }, { 'idempotency-key': 'bulk-once' })
    expect((await ask()).id).toBe((await ask()).id)
    expect(tests().cloud.counts().DisableKey).toBe(1)
  })

  test('is found by id, state and operation, the newest first', async () => {
    const job = await start('enablekey', await someKeys(1))
    const list = (query: string): Promise<any> => tests().admin.ok('GET', `${JOBS}?${query}`)
    expect((await list('limit=1')).resources).toEqual([await get(idOf(job))])
    expect((await list(`id=${job.id}`)).total).toBe(1)
    expect((await list(`id=${job.id}&overall_status=completed&operation=enablekey`)).total).toBe(1)
    expect((await list(`id=${job.id}&overall_status=failed,aborted,in_progress`)).total).toBe(0)
    const sorted = (await list('sort=operation,-createdAt&limit=1000')).resources.map(({ operation }: any) => operation)
    expect(sorted).toEqual([...sorted].sort())
    expectRefused(await tests().admin.call('GET', `${JOBS}?state=failed`), 400, 1, 'state')
    expectRefused(await tests().admin.call('GET', `${JOBS}/${NOTHING}`), 404, 5)
    expectRefused(await cancel(NOTHING), 404, 5)
  })

  test('is forgotten after ninety days', async () => {
    const job = await start('enablekey', await someKeys(1))
    tests().advance(89 * DAY)
    await tests().sweep()
    expect((await get(idOf(job))).overall_status).toBe('completed')
    tests().advance(2 * DAY)
    await tests().sweep()
    expectRefused(await tests().admin.call('GET', `${JOBS}/${job.id}`), 404, 5)
  })
})

describe('a bulk job is refused', () => {
  const [one, two] = [NOTHING, '01890000-0000-7000-8000-00000000fffe']
  const many = Array.from({ length: 101 }, (_, n) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`)

  test.each([
    ['without keys', { operation: 'enablekey', keys: [] }, 422, ['#/keys']],
    ['with too many', { operation: 'enablekey', keys: many }, 422, ['#/keys']],
    ['with a key twice', { operation: 'enablekey', keys: [one, one] }, 422, ['#/keys']],
    ['with what is no id', { operation: 'enablekey', keys: ['one'] }, 422, ['#/keys/0']],
    ['without an operation', { keys: [one] }, 422, ['#/operation']],
    ['for what cannot be done in bulk', { operation: 'rotatekey', keys: [one] }, 422, ['#/operation']],
    ['without days for a deletion', { operation: 'schedulekeydeletion', keys: [one] }, 422, ['#/days']],
    ['with too few days', { operation: 'schedulekeydeletion', keys: [one], days: 6 }, 422, ['#/days']],
    ['with too many days', { operation: 'schedulekeydeletion', keys: [one], days: 31 }, 422, ['#/days']],
    ['with days for nothing', { operation: 'enablekey', keys: [one], days: 7 }, 422, ['#/days']],
    ['without the template', { operation: 'applypolicytemplate', keys: [one] }, 422, ['#/policy_template_id']],
    [
      'with a template for nothing',
      { operation: 'enablekey', keys: [one], policy_template_id: two },
      422,
      ['#/policy_template_id'],
    ],
    ['with an unknown field', { operation: 'enablekey', keys: [one], force: true }, 400, ['#/force']],
    ['for keys that are not there', { operation: 'enablekey', keys: [one, two] }, 404, ['#/keys/0', '#/keys/1']],
  ])('%s', async (_what, body, status, fields) => {
    expectRefused(await tryStart(body), status, { 400: 1, 404: 5, 422: 2 }[status] ?? 0, ...fields)
  })

  test('with a template that does not exist, or is for another account', async () => {
    const ids = await someKeys(1)
    const apply = (id: string) => tryStart({ operation: 'applypolicytemplate', keys: ids, policy_template_id: id })
    expectRefused(await apply(NOTHING), 404, 5, '#/policy_template_id')
    const [, account] = tests().cloud.accounts
    await tests().entry('elsewhere', { account })
    const body = { name: 'of elsewhere', kms: 'elsewhere', key_users: ['bob'] }
    const { id } = await tests().admin.ok('POST', `${CLOUD_A}/templates`, body)
    expectRefused(await apply(id as string), 422, 2, '#/policy_template_id')
  })

  test('for keys of an archived entry', async () => {
    const entry = await tests().entry('to be archived')
    const ids = await someKeys(1, { kms: 'to be archived' })
    await tests().admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/archive`)
    expectRefused(await tryStart({ operation: 'disablekey', keys: ids }), 409, 8)
  })

  test('unless every container permits both the job and its action; its creator can see it', async () => {
    const { admin, user, service } = tests()
    const { holder, sub } = await user('bulk-worker', ['keymgr Users'])
    const { holder: stranger } = await user('bulk-stranger', ['keymgr Users'])
    const [open, closed] = [await tests().entry('open'), await tests().entry('closed')]
    const ids = [...(await someKeys(1, { kms: 'open' })), ...(await someKeys(1, { kms: 'closed' }))]
    const permit = (entry: any, ...actions: string[]) =>
      admin.ok('POST', `${CLOUD_A}/kms/${entry.id}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
    const ask = (operation: string, more: object = {}) => holder.call('POST', JOBS, { operation, keys: ids, ...more })
    expectRefused(await ask('disablekey'), 404, 5, '#/keys/0', '#/keys/1')
    await permit(open, 'keybulkoperation', 'keyupdate')
    expectRefused(await ask('disablekey'), 404, 5, '#/keys/1')
    await permit(closed, 'keyupdate')
    const refused = await ask('disablekey')
    expectRefused(refused, 403, 4)
    expect(refused.body.detail).toContain('keybulkoperation')
    await permit(closed, 'keybulkoperation')
    const deletion = await ask('schedulekeydeletion', { days: 7 })
    expectRefused(deletion, 403, 4)
    expect(deletion.body.detail).toContain('keydelete')
    const job = (await ask('disablekey')).body
    expect(await holder.ok('GET', `${JOBS}/${job.id}`)).toMatchObject({ overall_status: 'completed' })
    expect((await holder.ok('GET', JOBS)).resources.map(idOf)).toEqual([job.id])
    const [record] = (await tests().records('message=Disable%20Cloud-a%20Key&username=bulk-worker')).slice(-1)
    expect(record).toMatchObject({ success: true, principal: { sub } })
    expect((await stranger.ok('GET', JOBS)).total).toBe(0)
    expectRefused(await stranger.call('GET', `${JOBS}/${job.id}`), 404, 5)
    expectRefused(await stranger.call('POST', `${JOBS}/${job.id}/cancel`), 404, 5)
    expect((await get(idOf(job))).id).toBe(job.id)
    const { child } = await childAdmin(service, 'bulk-child')
    expect((await service.call('GET', `${JOBS}/${job.id}`, { token: child })).status).toBe(404)
    const theirs = await service.call('POST', JOBS, { token: child, body: { operation: 'enablekey', keys: ids } })
    expect(theirs.status).toBe(404)
  })
})
