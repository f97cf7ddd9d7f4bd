import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID, uuid } from '../../../../shared/base/ids.ts'
import { cloudAKeys } from '../../../../shared/clouds/cloud-a/keys/store.ts'
import { cloudAKms } from '../../../../shared/clouds/cloud-a/kms/store.ts'
import { policyTemplates, templatesOf } from '../../../../shared/clouds/cloud-a/templates/store.ts'
import { containerPurges } from '../../../../shared/clouds/cloud-a/kms/purge-store.ts'
import { accountAt, CONNECTIONS, connectionTo, KMS, knowKeys } from '../accounts.ts'
import { made, now, commit, OWN, cloud, ask, keysIn, countOf, sweepLater, service, token, OPERATOR } from './set-up.ts'

test('deleting an entry deletes the records of its keys and templates, and changes nothing in the cloud', async () => {
  const [kms, neighbour] = [await made('leaving'), await made('staying')]
  await knowKeys(ROOT_DOMAIN_ID, kms, 'us-east-1', 50, now())
  await knowKeys(ROOT_DOMAIN_ID, kms, 'eu-west-1', 1, now())
  await knowKeys(ROOT_DOMAIN_ID, neighbour, 'us-east-1', 2, now())
  const at = now().toISOString()
  await commit((changes) => {
    for (const { id: kms_id, name: kms_name } of [kms, neighbour]) {
      const id = uuid(now())
      changes.create(policyTemplates, ROOT_DOMAIN_ID, {
        id,
        uri: `keymgr:${ROOT_DOMAIN_ID}:keymgr:cloud-a-templates:${id}`,
        account: `keymgr:keymgr:admin:accounts:${ROOT_DOMAIN_ID}`,
        createdAt: at,
        updatedAt: at,
        name: `template of ${kms_name}`,
        kms: kms_name,
        kms_id,
        account_id: OWN,
        policy: {},
        is_verified: false,
      })
    }
  })
  cloud().reset()
  expect(await ask('DELETE', `${KMS}/${kms.id}`)).toMatchObject({ status: 200, body: { status: 204 } })
  expect(cloud().calls()).toEqual([])
  expect(await ask('GET', `${KMS}/${kms.id}`)).toMatchObject({ status: 404, body: { code: 5 } })
  expect(await ask('DELETE', `${KMS}/${kms.id}`)).toMatchObject({ status: 404, body: { code: 5 } })
  for (const region of ['us-east-1', 'eu-west-1']) expect(await keysIn(kms, region)).toEqual([])
  expect(await countOf(cloudAKeys, ROOT_DOMAIN_ID, `kms:${kms.id}`)).toBe(0)
  expect(await templatesOf(ROOT_DOMAIN_ID, kms.id)).toEqual([])
  expect(await keysIn(neighbour, 'us-east-1')).toHaveLength(2)
  expect(await templatesOf(ROOT_DOMAIN_ID, neighbour.id)).toHaveLength(1)
  const records = await ask('GET', '/v1/audit/records?message=Delete%20Cloud-a%20KMS&success=true')
  expect(records.body.resources[0].details).toMatchObject({ resource_uri: kms.uri, before: { name: 'leaving' } })
  await made('leaving')
})

test('the sweeper removes the remains of deleted regions and entries, and nothing of a region that exists again', async () => {
  const kms = await made('swept', { regions: ['us-east-1'] })
  for (const region of ['us-east-1', 'eu-west-1']) await knowKeys(ROOT_DOMAIN_ID, kms, region, 20, now())
  const whole = await made('swept-whole')
  expect((await ask('DELETE', `${KMS}/${whole.id}`)).status).toBe(200)
  await knowKeys(ROOT_DOMAIN_ID, whole, 'us-east-1', 2, now()) // written by a request in progress
  const regions = ['eu-west-1', 'us-east-1']
  const startAt = now().toISOString()
  await commit((changes) =>
    changes.create(containerPurges, ROOT_DOMAIN_ID, { id: uuid(now()), kms_id: kms.id, regions, startAt }),
  )
  await sweepLater()
  expect(await keysIn(kms, 'eu-west-1')).toEqual([])
  expect(await keysIn(kms, 'us-east-1')).toHaveLength(20)
  expect(await keysIn(whole, 'us-east-1')).toEqual([])
  expect(await countOf(containerPurges, ROOT_DOMAIN_ID)).toBe(0)
})

test('the time of the last synchronization is the earliest of its regions, once each has one', async () => {
  const kms = await made('read')
  const synchronized = async (times: Record<string, string>): Promise<unknown> => {
    const stored = await cloudAKms.get(ROOT_DOMAIN_ID, kms.id)
    if (stored)
      await commit((changes) =>
        changes.update(cloudAKms, ROOT_DOMAIN_ID, stored, { ...stored.item, synchronized: times }),
      )
    return (await ask('GET', `${KMS}/${kms.id}`)).body.last_synchronized_at
  }
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
  expect(await synchronized({ 'us-east-1': late })).toBeUndefined()
  expect(await synchronized({ 'us-east-1': late, 'eu-west-1': early })).toBe(early)
  const dropped = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1'] })
  expect(dropped.body.last_synchronized_at).toBe(late)
  const added = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1', 'eu-west-1'] })
  expect(added.body).not.toHaveProperty('last_synchronized_at')
})

test('an entry whose connection was deleted by force permits nothing until it gets another', async () => {
  const connection = await connectionTo(service(), token, 'leaving', accountAt(service(), 0))
  const kms = await made('left-behind', { connection })
  const inUse = await ask('DELETE', `${CONNECTIONS}/leaving`)
  expect(inUse).toMatchObject({ status: 409, body: { code: 9 } })
  expect(inUse.body.detail).toMatch(/^1 record uses the connection: .*connection=leaving/)
  const forced = await ask('POST', `/v1/connectionmgmt/connections/${connection}/delete`, { force: true })
  expect(forced.status, JSON.stringify(forced.body)).toBe(200)
  const left = (await ask('GET', `${KMS}/${kms.id}`)).body
  expect(left).not.toHaveProperty('connection')
  const path = `${KMS}/${kms.id}`
  const lost = { status: 409, body: { code: 8 } }
  expect(await ask('POST', '/v1/keymgr/cloud-a/get-iam-roles', { kms: kms.id })).toMatchObject(lost)
  expect(await ask('PATCH', path, { assume_role_arn: OPERATOR })).toMatchObject(lost)
  expect((await ask('PATCH', path, { regions: ['us-east-1'] })).status).toBe(200)
  expect(await ask('PATCH', path, { connection: 'own' })).toMatchObject({ status: 200, body: { connection: 'own' } })
  expect((await ask('POST', '/v1/keymgr/cloud-a/get-iam-roles', { kms: kms.id })).status).toBe(200)
})
