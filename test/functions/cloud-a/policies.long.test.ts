import { ListKeysCommand } from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { CLOUD_A, KEYS, keysOf, OTHER_REGION, REGION, useCloudA } from './cloud-a.ts'

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

test('a denied key is not created at the cloud', async () => {
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

test.each([
  ['disablekey', 'DisableCloudAKey', 'disable', {}],
  ['enablekey', 'EnableCloudAKey', 'enable', {}],
  ['schedulekeydeletion', 'ScheduleCloudAKeyDeletion', 'schedule-deletion', { days: 7 }],
])(
  'a key on which policies deny an action fails in a bulk job of it (%s), and stops no other',
  async (operation, action, path, body) => {
    const { admin, seen } = cloudA()
    const keys = keysOf(admin)
    const [denied, other] = [await keys.create({}), await keys.create({})]
    const before = seen(denied)
    await under({ actions: [action], resources: [denied.uri] }, async () => {
      expect(await admin.call('POST', `${KEYS}/${denied.id}/${path}`, body)).toMatchObject(DENIED)
      const job = await admin.ok('POST', `${CLOUD_A}/bulkjob`, { operation, keys: [denied.id, other.id], ...body })
      expect(job).toMatchObject({ detailed_status: { [denied.id as string]: DENIED.body.detail } })
      expect(await admin.ok('GET', `${CLOUD_A}/bulkjob/${job.id}`)).toMatchObject({
        overall_status: 'failed',
        detailed_status: { [denied.id as string]: DENIED.body.detail, [other.id as string]: 'Success' },
      })
    })
    expect(seen(denied)).toEqual(before)
  },
)

test('a pushed template skips a key whose policy may not be set', async () => {
  const { admin } = cloudA()
  const keys = keysOf(admin)
  const template = await admin.ok('POST', `${CLOUD_A}/templates`, { name: 'pushed', kms: 'main', key_users: ['bob'] })
  const [denied, other] = [await keys.create({}), await keys.create({})]
  const body = { operation: 'applypolicytemplate', keys: [denied.id, other.id], policy_template_id: template.id }
  const policies = async () => [await keys.get(denied.id as string), await keys.get(other.id as string)]
  await admin.ok('POST', `${CLOUD_A}/bulkjob`, body)
  const [kept] = await policies()
  await under({ actions: ['SetCloudAKeyPolicy'], resources: [denied.uri] }, async () => {
    await admin.ok('PATCH', `${CLOUD_A}/templates/${template.id}`, { key_admins: ['bob'], auto_push: true })
  })
  const [after, pushed] = await policies()
  expect(after).toEqual(kept)
  expect(pushed.cloud_a_param.Policy).not.toEqual(after.cloud_a_param.Policy)
})

test('records whose deletion policies deny do not go with their region or their entry', async () => {
  const { admin, entry } = cloudA()
  const kms = await entry('guarded')
  const keys = keysOf(admin)
  const key = await keys.create({ kms: 'guarded', region: OTHER_REGION })
  const at = `${CLOUD_A}/kms/${kms.id}`
  await under({ actions: ['DeleteCloudAKey'], resources: [key.uri] }, async () => {
    expect(await admin.call('PATCH', at, { regions: [REGION] })).toMatchObject(DENIED)
    expect(await admin.call('DELETE', at)).toMatchObject(DENIED)
    expect(await keys.get(key.id as string)).toEqual(key)
  })
  expect((await admin.call('PATCH', at, { regions: [REGION] })).status).toBe(200)
})

test('a key whose reading policies deny is the source of no virtual key, and the target of no link', async () => {
  const { admin } = cloudA()
  const hidden = await admin.create({ name: 'hidden', algorithm: 'aes' })
  const other = await admin.create({ name: 'not hidden', algorithm: 'aes' })
  await under({ actions: ['ReadKey'], resources: [hidden.uri] }, async () => {
    for (const source_key_id of [hidden.id, hidden.name])
      expect(await admin.call('POST', '/v1/keymgr/virtual/keys', { source_key_id })).toMatchObject(DENIED)
    const link = { type: 'child', source: other.id, target: hidden.id }
    expect(await admin.call('POST', '/v1/vault/links', link)).toMatchObject(DENIED)
    const clone = { newKeyName: 'seen through a clone' }
    expect(await admin.call('POST', `/v1/vault/keys2/${hidden.id}/clone`, clone)).toMatchObject(DENIED)
  })
})
