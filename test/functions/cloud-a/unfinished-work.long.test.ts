import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { SimulatedKeyView } from '../../../infra/simulators/cloud-a/simulator.ts'
import { childAdmin } from '../../support/callers.ts'
import type { Answered } from '../../support/service.ts'
import { CLOUD_A, keysOf, REGION, useCloudA } from './cloud-a.ts'

/** Work that waits for credentials is listed, and ends when its caller cancels it. */
const tests = useCloudA()
const WORK = `${CLOUD_A}/unfinished-work`
const HOUR_MS = 3_600_000

beforeAll(async () => {
  await tests().admin.create({ name: 'unfinished', algorithm: 'aes', size: 256 })
})
beforeEach(() => tests().cloud.reset())

const keys = (): SimulatedKeyView[] => [...tests().cloud.keysIn(tests().account.id, REGION)]
const newOnes = (before: readonly SimulatedKeyView[]): SimulatedKeyView[] =>
  keys().filter(({ id }) => before.every((key) => key.id !== id))
const recordOf = async (key: SimulatedKeyView | undefined): Promise<any> =>
  (await keysOf(tests().admin).list(`?keyid=${key?.id}`)).resources[0]

/** From the end of the next call of an operation, the cloud refuses all calls. */
function revokeAfter(operation: string): void {
  const { cloud } = tests()
  cloud.inject({ fault: 'observe', operation, times: 1, after: () => void cloud.inject({ fault: 'access-denied' }) })
}
const upload = (alias: string): Promise<Answered> =>
  keysOf(tests().admin).tryUpload({ source_key_identifier: 'unfinished', cloud_a_param: { Alias: alias } })

const openWork = async (): Promise<any[]> =>
  (await tests().admin.ok('GET', `${WORK}?limit=-1`)).resources.filter(({ state }: any) => state === 'open')

/** An upload whose key was created before the cloud refused the credentials. */
async function waitingUpload(alias: string): Promise<any> {
  revokeAfter('CreateKey')
  const refused = await upload(alias)
  expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 502, body: { code: 16 } })
  const [work, ...others] = (await openWork()).filter(({ id }: any) => refused.body.detail.includes(id))
  expect(others).toEqual([])
  return work
}
const giveUp = (id: string, headers?: Record<string, string>): Promise<Answered> =>
  tests().admin.call('POST', `${WORK}/${id}/give-up`, undefined, headers)
const recordsNamed = async (message: string): Promise<any[]> =>
  (await tests().admin.ok('GET', `/v1/audit/records?message=${encodeURIComponent(message)}&limit=-1`)).resources

test('a rotation that waits for its credentials can be abandoned: its key is recorded, and stays at the cloud', async () => {
  const { admin, service } = tests()
  const old = await keysOf(admin).create({ cloud_a_param: { Alias: 'left' } })
  const before = keys()
  revokeAfter('UpdateAlias')
  const refused = await keysOf(admin).tryAct(old.id, 'rotate', {})
  expect(refused).toMatchObject({ status: 502, body: { code: 16 } })
  const [made] = newOnes(before)
  const [work] = await openWork()
  expect(work).toMatchObject({
    operation: 'Rotate Cloud-a Key',
    state: 'open',
    subject_id: old.id,
    container_id: old.kms_id,
    waits_for: expect.stringContaining('AccessDenied'),
    left_at_cloud: { made: made?.id },
    username: 'admin',
  })
  expect(refused.body.detail).toContain(work.id)
  const given = await giveUp(work.id)
  expect(given, JSON.stringify(given.body)).toMatchObject({
    status: 200,
    body: { id: work.id, state: 'given_up', left_at_cloud: { made: made?.id } },
  })
  expect(await recordOf(made)).toMatchObject({ rotated_from: old.id, unread: ['key'] })
  expect(await keysOf(admin).get(old.id)).toMatchObject({ rotated_to: work.id })
  expect(await giveUp(work.id)).toMatchObject({ status: 409, body: { code: 8 } })
  const records = await recordsNamed('Give Up Cloud-a Unfinished Work')
  expect(records).toMatchObject([
    { success: false },
    { success: true, details: { after: { state: 'given_up', left_at_cloud: { made: made?.id } } } },
  ])
  tests().cloud.reset()
  await keysOf(admin).act(work.id, 'refresh')
  expect(await keysOf(admin).tryAct(work.id, 'rotate', {})).toMatchObject({ status: 201 })
  service.deployment.clock.advance(25 * HOUR_MS)
  await service.deployment.fire('sweep-due')
  expect(await admin.call('GET', `${WORK}/${work.id}`)).toMatchObject({ status: 404, body: { code: 5 } })
})

test('abandoned work is undone as far as the cloud permits, and the same request starts again', async () => {
  const { admin, cloud } = tests()
  const before = keys()
  const work = await waitingUpload('undone')
  cloud.reset()
  expect(await giveUp(work.id)).toMatchObject({ status: 200, body: { state: 'undone' } })
  const [left] = newOnes(before)
  expect(left?.state).toBe('PendingDeletion')
  expect(await recordOf(left)).toMatchObject({ cloud_a_param: { KeyState: 'PendingDeletion' } })
  const records = await recordsNamed('Upload Cloud-a Key')
  expect(records).toContainEqual(expect.objectContaining({ success: false, errorMessage: 'It was given up by admin.' }))
  expect(await admin.ok('GET', `${WORK}/${work.id}`)).toMatchObject({ state: 'undone' })
  expect(await upload('undone')).toMatchObject({ status: 201 })
})

test('only administrators and its initiator abandon work, in its own domain and cloud, with its present ETag', async () => {
  const { admin, service } = tests()
  const work = await waitingUpload('guarded')
  const root = await admin.token()
  const { token: stranger } = await service.userIn(root, 'work-stranger', ['keymgr Users'])
  const { child } = await childAdmin(service, 'work-child')
  const { token: outsider } = await service.userIn(root, 'work-outsider', [])
  const nowhere = { status: 404, body: { code: 5 } }
  for (const token of [stranger, child]) {
    expect(await service.call('GET', `${WORK}/${work.id}`, { token })).toMatchObject(nowhere)
    expect(await service.call('POST', `${WORK}/${work.id}/give-up`, { token })).toMatchObject(nowhere)
    expect((await service.call('GET', WORK, { token })).body).toMatchObject({ total: 0 })
  }
  expect(await service.call('POST', `${WORK}/${work.id}/give-up`, { token: outsider })).toMatchObject({ status: 403 })
  const elsewhere = `/v1/keymgr/cloud-b/unfinished-work/${work.id}/give-up`
  expect(await admin.call('POST', elsewhere)).toMatchObject(nowhere)
  const unknown = work.subject_id.replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0'))
  expect(await giveUp(unknown)).toMatchObject(nowhere)
  expect(await giveUp(work.id, { 'if-match': '"1"' })).toMatchObject({ status: 412 })
  const { token: other } = await service.userIn(root, 'work-admin', ['keymgr Admins'])
  expect(await service.call('POST', `${WORK}/${work.id}/give-up`, { token: other })).toMatchObject({ status: 200 })
})

test('work that an instance is doing now cannot be abandoned', async () => {
  const { cloud } = tests()
  let refused: Answered | undefined
  cloud.inject({
    fault: 'observe',
    operation: 'CreateKey',
    times: 1,
    after: async () => {
      refused = await giveUp((await openWork()).at(-1).id)
    },
  })
  expect(await upload('at-work')).toMatchObject({ status: 201 })
  expect(refused).toMatchObject({ status: 409, body: { code: 8 } })
  expect(await openWork()).toEqual([])
})
