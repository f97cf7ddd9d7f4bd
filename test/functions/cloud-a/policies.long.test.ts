import { ListKeysCommand } from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { CLOUD_A, KEYS, keysOf, REGION, useCloudA } from './cloud-a.ts'

const cloudA = useCloudA()
const EVERYBODY = { groups: ['admin'] }

/** Runs `work` while a policy denies something to administrators. */
async function under(policy: object, work: () => Promise<void>): Promise<void> {
  const { admin, service } = cloudA()
  const { id } = await admin.ok('POST', '/v1/admin/policies', { name: 'here', effect: 'deny', ...policy })
  const held = await admin.ok('POST', '/v1/admin/policy-attachments', { policy: id, principalSelector: EVERYBODY })
  service.deployment.clock.advance(5_000)
  try {
    await work()
  } finally {
    await admin.ok('DELETE', `/v1/admin/policy-attachments/${held.id}`)
    await admin.ok('DELETE', `/v1/admin/policies/${id}`)
    service.deployment.clock.advance(5_000)
  }
}

const keysThere = async (): Promise<number> =>
  (await cloudA().client(REGION).send(new ListKeysCommand({}))).Keys?.length ?? 0

const DENIED = { status: 403, body: { code: 4, detail: 'Policies do not permit this call.' } }

test('a denied change of a key does not reach the cloud, by its uri or by its fields', async () => {
  const { admin, seen } = cloudA()
  const keys = keysOf(admin)
  const key = await keys.create({ cloud_a_param: { Tags: [{ TagKey: 'stage', TagValue: 'prod' }] } })
  const other = await keys.create({})
  const fields = { resources: ['*'], conditions: [{ path: 'region', op: 'equals', values: [REGION] }] }
  for (const which of [{ resources: [key.uri] }, fields])
    await under({ actions: ['DisableCloudAKey', 'RotateCloudAKey'], ...which }, async () => {
      expect(await admin.call('POST', `${KEYS}/${key.id}/disable`)).toMatchObject(DENIED)
      const before = await keysThere()
      expect(await admin.call('POST', `${KEYS}/${key.id}/rotate`, {})).toMatchObject(DENIED)
      expect(await keysThere()).toBe(before)
    })
  expect(seen(key)).toMatchObject({ state: 'Enabled' })
  expect(await keys.get(key.id as string)).toEqual(key)
  await under({ actions: ['DisableCloudAKey'], resources: [key.uri] }, async () => {
    expect((await admin.call('POST', `${KEYS}/${other.id}/disable`)).status).toBe(200)
  })
})

test('a denied key is not made at the cloud', async () => {
  const { admin } = cloudA()
  const body = { kms: 'main', region: REGION, cloud_a_param: { Alias: 'denied' } }
  const before = await keysThere()
  const named = { resources: ['keymgr:*:keymgr:cloud-a-key:*'] }
  const fields = { resources: ['*'], conditions: [{ path: 'region', op: 'startsWith', values: ['eu-'] }] }
  for (const which of [named, fields])
    await under({ actions: ['CreateCloudAKey'], ...which }, async () => {
      expect(await admin.call('POST', KEYS, body)).toMatchObject(DENIED)
    })
  expect(await keysThere()).toBe(before)
  await under({ actions: ['*'], resources: ['keymgr:*:vault:keys:*'] }, async () => {
    expect((await admin.call('POST', KEYS, { ...body, cloud_a_param: { Alias: 'made' } })).status).toBe(201)
  })
  expect(await keysThere()).toBe(before + 1)
  expect((await admin.call('GET', `${CLOUD_A}/keys`)).status).toBe(200)
})
