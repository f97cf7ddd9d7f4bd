import { expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { cloudAKeys } from '../../../../shared/clouds/cloud-a/keys/store.ts'
import { CONNECTIONS, KMS, knowKeys } from '../accounts.ts'
import {
  made,
  now,
  ask,
  keysIn,
  countOf,
  cloud,
  refused,
  OTHER,
  VISITOR,
  GUARDED,
  EXTERNAL_ID,
  connections,
  NOTHING,
  jobOn,
  endJob,
} from './set-up.ts'

test('regions are replaced as a whole, and the keys of a removed one are forgotten', async () => {
  const kms = await made('regions')
  await knowKeys(ROOT_DOMAIN_ID, kms, 'us-east-1', 3, now())
  await knowKeys(ROOT_DOMAIN_ID, kms, 'eu-west-1', 40, now())
  const changed = await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1', 'us-west-2'] })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  expect(changed.headers.get('etag')).toBe('"2"')
  expect(changed.body).toEqual({ ...kms, regions: ['us-east-1', 'us-west-2'], updatedAt: changed.body.updatedAt })
  expect(await keysIn(kms, 'eu-west-1')).toEqual([])
  expect(await keysIn(kms, 'us-east-1')).toHaveLength(3)
  expect(await countOf(cloudAKeys, ROOT_DOMAIN_ID, `kms:${kms.id}`)).toBe(3)
  const records = await ask('GET', '/v1/audit/records?message=Update%20Cloud-a%20KMS')
  expect(records.body.resources[0].details).toMatchObject({
    before: { regions: ['us-east-1', 'eu-west-1'] },
    after: { regions: ['us-east-1', 'us-west-2'] },
  })
})

test('regions are removed without a call to the cloud, and added only when they are enabled for the account', async () => {
  const kms = await made('regions-asked')
  cloud().reset()
  expect((await ask('PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1'] })).status).toBe(200)
  expect(cloud().calls()).toEqual([])
  const unknown = { regions: ['us-east-1', 'ap-east-1'] }
  await refused(ask('PATCH', `${KMS}/${kms.id}`, unknown), 422, 2, ['#/regions/1'])
  expect((await ask('GET', `${KMS}/${kms.id}`)).body.regions).toEqual(['us-east-1'])
})

test('another connection to the same account is accepted, with a role and without', async () => {
  const kms = await made('way-in', { account_id: OTHER, assume_role_arn: VISITOR })
  const path = `${KMS}/${kms.id}`
  const role = { assume_role_arn: GUARDED, assume_role_external_id: EXTERNAL_ID }
  expect(await ask('PATCH', path, role)).toMatchObject({ status: 200, body: { ...role, arn: kms.arn } })
  const direct = await ask('PATCH', path, { connection: 'other', assume_role_arn: null })
  expect(direct.status, JSON.stringify(direct.body)).toBe(200)
  expect(direct.body).toMatchObject({ connection: 'other', arn: `arn:aws:iam::${OTHER}:user/keymgr-admin` })
  expect(direct.body).not.toHaveProperty('assume_role_arn')
  expect(direct.body).not.toHaveProperty('assume_role_external_id')
  const third = { connection: connections.third, ...role }
  expect(await ask('PATCH', path, third)).toMatchObject({ status: 200, body: { connection: 'third', ...role } })
  const inUse = await ask('DELETE', `${CONNECTIONS}/third`)
  expect(inUse).toMatchObject({ status: 409, body: { code: 9 } })
})

test.each([
  ['a connection to another account', { connection: 'other' }, 422, 2, ['#/connection']],
  ['a role in another account', { assume_role_arn: VISITOR }, 422, 2, ['#/assume_role_arn']],
  ['an external id without a role', { assume_role_external_id: 'x-1' }, 422, 2, ['#/assume_role_external_id']],
  [
    'an external id while the role is taken away',
    { assume_role_arn: null, assume_role_external_id: 'x-1' },
    422,
    2,
    ['#/assume_role_external_id'],
  ],
  ['a connection that is not there', { connection: 'none' }, 404, 5, ['#/connection']],
  ['a connection of another edition', { connection: 'cn' }, 422, 2, ['#/connection']],
  ['another name', { name: 'renamed' }, 400, 1, ['#/name']],
  ['another account', { account_id: OTHER }, 400, 1, ['#/account_id']],
  ['no regions', { regions: [] }, 422, 2, ['#/regions']],
])('a change refuses %s', async (_what, body, status, code, pointers) => {
  const { body: found } = await ask('GET', `${KMS}?name=unchanged`)
  const kms = found.resources[0] ?? (await made('unchanged'))
  await refused(ask('PATCH', `${KMS}/${kms.id}`, body), status, code, pointers)
  expect((await ask('GET', `${KMS}/${kms.id}`)).body).toEqual(kms)
})

test('a stale revision is neither changed nor deleted, and a missing entry answers 404', async () => {
  const kms = await made('stale')
  const stale = { 'if-match': '"7"' }
  for (const [method, path, body] of [
    ['PATCH', '', { regions: ['us-east-1'] }],
    ['DELETE', '', undefined],
    ['POST', '/archive', undefined],
  ] as const) {
    const answer = await ask(method, `${KMS}/${kms.id}${path}`, body, stale)
    expect(answer, `${method} ${path}`).toMatchObject({ status: 412, body: { code: 8 } })
    const gone = await ask(method, `${KMS}/${NOTHING}${path}`, body)
    expect(gone, `${method} ${path}`).toMatchObject({ status: 404, body: { code: 5 } })
  }
  expect((await ask('GET', `${KMS}/no-id`)).status).toBe(400)
  expect(await ask('DELETE', `${KMS}/${kms.id}`, undefined, { 'if-match': '"1"' })).toMatchObject({ status: 200 })
})

test('an archived entry can be read, permits nothing else, and can be recovered', async () => {
  const kms = await made('archived')
  const path = `${KMS}/${kms.id}`
  const already = { status: 409, body: { code: 8 } }
  expect(await ask('POST', `${path}/recover`)).toMatchObject(already)
  const archived = await ask('POST', `${path}/archive`)
  expect(archived).toMatchObject({ status: 200, body: { status: 'archived' } })
  expect((await ask('GET', path)).body).toEqual(archived.body)
  expect((await ask('GET', `${KMS}?status=archived`)).body.resources).toEqual([archived.body])
  cloud().reset()
  for (const [method, at, body] of [
    ['POST', `${path}/archive`, undefined],
    ['PATCH', path, { regions: ['us-east-1'] }],
    ['POST', `${path}/update-acls`, { acls: [{ group: 'admin', permit: true, actions: ['view'] }] }],
    ['POST', '/v1/keymgr/cloud-a/get-iam-users', { kms: 'archived' }],
    ['POST', '/v1/keymgr/cloud-a/get-log-groups', { kms: kms.id, region: 'us-east-1' }],
    ['POST', '/v1/keymgr/cloud-a/alias/verify', { kms: kms.id, region: 'us-east-1', alias: 'any' }],
  ] as const)
    expect(await ask(method, at, body), `${method} ${at}`).toMatchObject(already)
  expect(cloud().calls()).toEqual([])
  const recovered = await ask('POST', `${path}/recover`)
  expect(recovered.body).toEqual({ ...kms, updatedAt: recovered.body.updatedAt })
  expect((await ask('PATCH', path, { regions: ['us-east-1'] })).status).toBe(200)
  await ask('POST', `${path}/archive`)
  expect(await ask('DELETE', path)).toMatchObject({ status: 200, body: { status: 204 } })
})

test('an entry cannot change while it is synchronized', async () => {
  const kms = await made('busy')
  const path = `${KMS}/${kms.id}`
  const job = await jobOn(kms)
  for (const [method, at, body] of [
    ['PATCH', path, { regions: ['us-east-1'] }],
    ['DELETE', path, undefined],
    ['POST', `${path}/archive`, undefined],
  ] as const)
    expect(await ask(method, at, body), method).toMatchObject({ status: 409, body: { code: 9 } })
  expect((await ask('GET', path)).body).toEqual(kms)
  await endJob(job)
  expect((await ask('DELETE', path)).status).toBe(200)
})
