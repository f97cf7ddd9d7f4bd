import { ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { SimulatedKeyView } from '../../../infra/simulators/cloud-a/simulator.ts'
import { keysOf, REGION, useCloudA } from './cloud-a.ts'

/** The cloud refuses a later call, or does not answer it, during work of several calls. */
const tests = useCloudA()

beforeAll(async () => {
  await tests().admin.create({ name: 'midway', algorithm: 'aes', size: 256 })
})
beforeEach(() => tests().cloud.reset())

const keys = (): SimulatedKeyView[] => [...tests().cloud.keysIn(tests().account.id, REGION)]
const withAlias = (alias: string): SimulatedKeyView | undefined =>
  keys().find(({ aliases }) => aliases.includes(`alias/${alias}`))
const recordOf = async (key: SimulatedKeyView | undefined): Promise<any> =>
  (await keysOf(tests().admin).list(`?keyid=${key?.id}`)).resources[0]
const upload = (alias: string) =>
  keysOf(tests().admin).tryUpload({ source_key_identifier: 'midway', cloud_a_param: { Alias: alias } })
const newOnes = (before: readonly SimulatedKeyView[]): SimulatedKeyView[] =>
  keys().filter(({ id }) => before.every((key) => key.id !== id))

test('a key whose material the cloud refuses waits for its deletion, on record', async () => {
  const { cloud } = tests()
  const before = keys()
  cloud.inject({ fault: 'quota', operation: 'ImportKeyMaterial' })
  const refused = await upload('denied')
  expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 409, body: { code: 16 } })
  expect(refused.body.detail).toContain('LimitExceeded')
  const [left, ...others] = newOnes(before)
  expect(others).toEqual([])
  expect(left).toMatchObject({ state: 'PendingDeletion' })
  expect(await recordOf(left)).toMatchObject({ cloud_a_param: { KeyState: 'PendingDeletion' }, gone: false })
  cloud.reset()
  expect((await upload('denied')).status).toBe(201)
})

test('a concurrent change of an alias leaves no key without a record', async () => {
  const { cloud, account } = tests()
  const [other = ''] = cloud.seed({ account: account.id, region: REGION, count: 1 })
  const before = keys()
  cloud.inject({
    fault: 'observe',
    operation: 'CreateKey',
    times: 1,
    after: () => cloud.alter(account.id, REGION, other, { aliases: ['alias/contended'] }),
  })
  const refused = await upload('contended')
  expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 409, body: { code: 16 } })
  expect(withAlias('contended')?.id).toBe(other)
  for (const key of newOnes(before)) {
    expect(key.state).toBe('PendingDeletion')
    expect(await recordOf(key)).toBeDefined()
  }
})

test('a rotation that the cloud refuses at its end is undone: names and policy return to the old key', async () => {
  const { cloud, admin } = tests()
  const old = await keysOf(admin).create({ cloud_a_param: { Alias: 'steady', Description: 'stays' } })
  const before = keys()
  cloud.inject({ fault: 'quota', operation: 'PutKeyPolicy', times: 1 })
  const refused = await keysOf(admin).tryAct(old.id, 'rotate', { retain_alias: true, disable_encrypt: true })
  expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 409, body: { code: 16 } })
  expect(withAlias('steady')).toMatchObject({ id: old.cloud_a_param.KeyID, aliases: ['alias/steady'] })
  const [made, ...others] = newOnes(before)
  expect(others).toEqual([])
  expect(made).toMatchObject({ state: 'PendingDeletion', aliases: [] })
  expect(await recordOf(made)).toBeDefined()
  const kept = await keysOf(admin).act(old.id, 'refresh')
  expect(kept).toMatchObject({ rotation_status: 'FAILED', cloud_a_param: { Alias: ['steady'], KeyState: 'Enabled' } })
  expect(kept).not.toHaveProperty('rotated_to')
  expect(JSON.stringify(kept.cloud_a_param.Policy)).not.toContain('keymgrDenyEncryption')
  expect((await keysOf(admin).act(old.id, 'rotate', { retain_alias: true })).rotated_from).toBe(old.id)
})

test('while one operation on a key is under way another one is refused, and nothing is lost', async () => {
  const { cloud, admin } = tests()
  const key = await keysOf(admin).create({})
  let beside: Promise<any> | undefined
  cloud.inject({
    fault: 'observe',
    operation: 'DisableKey',
    times: 1,
    after: async () => {
      beside = keysOf(admin).tryAct(key.id, 'update-description', { description: 'beside' })
      await beside
    },
  })
  expect(await keysOf(admin).act(key.id, 'disable')).toMatchObject({ cloud_a_param: { KeyState: 'Disabled' } })
  expect(await beside).toMatchObject({ status: 409, body: { code: 8 } })
  expect(await keysOf(admin).act(key.id, 'update-description', { description: 'after' })).toMatchObject({
    cloud_a_param: { KeyState: 'Disabled', Description: 'after' },
  })
})

test('a request that the sweeper finished does not answer a later one', async () => {
  const { cloud, admin, service } = tests()
  const key = await keysOf(admin).create({})
  cloud.inject({ fault: 'server-error', operation: 'DisableKey' })
  expect(await keysOf(admin).tryAct(key.id, 'disable')).toMatchObject({ status: 503, body: { code: 16 } })
  cloud.reset()
  service.deployment.clock.advance(5 * 60_000)
  await service.deployment.fire('sweep-due')
  expect(await keysOf(admin).get(key.id)).toMatchObject({ cloud_a_param: { KeyState: 'Disabled' } })
  await keysOf(admin).act(key.id, 'enable')
  await keysOf(admin).act(key.id, 'disable')
  expect(tests().seen(key).state).toBe('Disabled')
})

test('a key that cannot be deleted again is on record, and blocks no other work', async () => {
  const { cloud, admin } = tests()
  const old = await keysOf(admin).create({ cloud_a_param: { Alias: 'held' } })
  const before = keys()
  cloud.inject({ fault: 'quota', operation: 'ImportKeyMaterial' })
  cloud.inject({ fault: 'access-denied', operation: 'ScheduleKeyDeletion' })
  expect(await keysOf(admin).tryAct(old.id, 'rotate', {})).toMatchObject({ status: 409, body: { code: 16 } })
  cloud.reset()
  const [left] = newOnes(before)
  expect(await recordOf(left)).toMatchObject({ cloud_a_param: { KeyState: 'PendingImport' } })
  expect((await keysOf(admin).act(old.id, 'rotate', {})).rotated_from).toBe(old.id)
})

/** Like another user of the cloud. */
const scheduleDeletion = (key: any) =>
  tests()
    .client()
    .send(new ScheduleKeyDeletionCommand({ KeyId: key.cloud_a_param.KeyID, PendingWindowInDays: 7 }))

test('a key that another party scheduled for deletion keeps its name, and its record says so', async () => {
  const { admin } = tests()
  const old = await keysOf(admin).create({ cloud_a_param: { Alias: 'leaving' } })
  await scheduleDeletion(old)
  const before = keys()
  const refused = await keysOf(admin).tryAct(old.id, 'rotate', { retain_alias: true })
  expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 409, body: { code: 8 } })
  expect(refused.body.detail).toContain('PendingDeletion')
  expect(newOnes(before)).toEqual([])
  expect(withAlias('leaving')).toMatchObject({ id: old.cloud_a_param.KeyID, aliases: ['alias/leaving'] })
  expect(await keysOf(admin).get(old.id)).toMatchObject({ cloud_a_param: { KeyState: 'PendingDeletion' } })
})

test('a name that cannot return to a key scheduled for deletion meanwhile stays with the successor, which stays too', async () => {
  const { cloud, admin } = tests()
  const old = await keysOf(admin).create({ cloud_a_param: { Alias: 'orphan' } })
  const before = keys()
  const after = () => scheduleDeletion(old).then(() => undefined)
  cloud.inject({ fault: 'observe', operation: 'UpdateAlias', times: 1, after })
  const refused = await keysOf(admin).tryAct(old.id, 'rotate', { retain_alias: true })
  expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 409, body: { code: 16 } })
  const [successor, ...others] = newOnes(before)
  expect(others).toEqual([])
  expect(successor).toMatchObject({ state: 'Enabled', aliases: ['alias/orphan'] })
  const record = await recordOf(successor)
  expect(record).toMatchObject({
    rotated_from: old.id,
    rotation_status: 'ACTIVE',
    key_material_origin: 'keymgr',
    cloud_a_param: { KeyState: 'Enabled', Alias: ['orphan'] },
  })
  expect(await keysOf(admin).get(old.id)).toMatchObject({
    rotated_to: record.id,
    rotation_status: 'ROTATED',
    cloud_a_param: { KeyState: 'PendingDeletion', Alias: [] },
  })
})

/** From the end of the next call of an operation, the cloud refuses all calls. */
function revokeAfter(operation: string, fault: 'access-denied' | 'expired-credentials'): void {
  const { cloud } = tests()
  cloud.inject({ fault: 'observe', operation, times: 1, after: () => void cloud.inject({ fault }) })
}
async function sweepAfter(ms: number): Promise<void> {
  const { deployment } = tests().service
  deployment.clock.advance(ms)
  await deployment.fire('sweep-due')
}
const HOUR_MS = 3_600_000

test.each(['access-denied', 'expired-credentials'] as const)(
  'a rotation whose credentials are revoked (%s) is kept, waits, and makes no other key',
  async (fault) => {
    const { cloud, admin } = tests()
    const old = await keysOf(admin).create({ cloud_a_param: { Alias: `revoked-${fault}` } })
    const before = keys()
    const rotate = (body: object = {}) => keysOf(admin).tryAct(old.id, 'rotate', body)
    revokeAfter('UpdateAlias', fault)
    for (const refused of [await rotate(), await rotate()]) {
      expect(refused, JSON.stringify(refused.body)).toMatchObject({ status: 502, body: { code: 16 } })
      expect(refused.body.detail).toContain('kept')
    }
    const beside = await rotate({ description: 'another request' })
    expect(beside, JSON.stringify(beside.body)).toMatchObject({ status: 409, body: { code: 8 } })
    expect(beside.body.detail).toContain('waits for its connection')
    await sweepAfter(HOUR_MS)
    expect(newOnes(before)).toMatchObject([{ state: 'Enabled', aliases: [`alias/revoked-${fault}`] }])
    cloud.reset()
    await sweepAfter(HOUR_MS)
    const made = await rotate()
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, body: { rotated_from: old.id } })
    expect(newOnes(before)).toMatchObject([{ id: made.body.cloud_a_param.KeyID, state: 'Enabled' }])
    expect(await keysOf(admin).get(old.id)).toMatchObject({ rotated_to: made.body.id, rotation_status: 'ROTATED' })
  },
)

test('an upload that waits for its credentials continues as soon as its connection is ready again', async () => {
  const { cloud, admin, service } = tests()
  const before = keys()
  revokeAfter('CreateKey', 'access-denied')
  expect(await upload('ready-again')).toMatchObject({ status: 502, body: { code: 16 } })
  await sweepAfter(HOUR_MS) // the next run would be later
  cloud.reset()
  const test = '/v1/connectionmgmt/services/cloud-a/connections/main/test'
  expect(await admin.ok('POST', test, {})).toMatchObject({ connection_ok: true })
  await service.deployment.fire('sweep-due')
  const [made, ...others] = newOnes(before)
  expect(others).toEqual([])
  expect(made).toMatchObject({ state: 'Enabled', aliases: ['alias/ready-again'] })
  expect(await recordOf(made)).toMatchObject({ local_key_name: 'midway' })
  expect((await upload('ready-again')).body.cloud_a_param.KeyID).toBe(made?.id)
})

test('an undo that the credentials do not permit is done when they permit it', async () => {
  const { cloud } = tests()
  const before = keys()
  cloud.inject({ fault: 'quota', operation: 'ImportKeyMaterial' })
  revokeAfter('GetParametersForImport', 'expired-credentials')
  expect(await upload('undone-later')).toMatchObject({ status: 409, body: { code: 16 } })
  expect(await upload('undone-later')).toMatchObject({ status: 503, body: { code: 17 } })
  expect(newOnes(before)).toMatchObject([{ state: 'PendingImport' }])
  cloud.reset()
  await sweepAfter(HOUR_MS)
  const [left] = newOnes(before)
  expect(left?.state).toBe('PendingDeletion')
  expect(await recordOf(left)).toMatchObject({ cloud_a_param: { KeyState: 'PendingDeletion' } })
})

test('work whose credentials stay revoked is abandoned after days: the new key is recorded and blocks nothing', async () => {
  const { cloud, admin } = tests()
  const old = await keysOf(admin).create({ cloud_a_param: { Alias: 'given-up' } })
  const before = keys()
  revokeAfter('UpdateAlias', 'access-denied')
  await keysOf(admin).tryAct(old.id, 'rotate', {})
  for (let run = 0; run < 60; run++) await sweepAfter(2 * HOUR_MS)
  cloud.reset()
  const [made] = newOnes(before)
  const record = await recordOf(made)
  expect(record).toMatchObject({
    rotated_from: old.id,
    unread: ['key'],
    local_key_name: `cloud-a-${record.id}`,
    cloud_a_param: { KeyState: 'Unknown' },
  })
  expect((await keysOf(admin).get(old.id)).rotated_to).toBe(record.id)
  expect(await keysOf(admin).act(record.id, 'refresh')).toMatchObject({
    cloud_a_param: { KeyState: 'Enabled', Alias: ['given-up'] },
  })
})
