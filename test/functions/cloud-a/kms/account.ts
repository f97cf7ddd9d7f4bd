import { expect, test } from 'vitest'
import { uuid } from '../../../../shared/base/ids.ts'
import { cloudAKeys } from '../../../../shared/clouds/cloud-a/keys/store.ts'
import { cloudAKms } from '../../../../shared/clouds/cloud-a/kms/store.ts'
import { synchronizationJobs, synchronizationParts } from '../../../../shared/work/synchronize/store.ts'
import { childAdmin } from '../../../support/callers.ts'
import { accountAt, connectionTo, KMS, knowKeys } from '../accounts.ts'
import { made, OWN, ask, cloud, refused, service, entry, now, jobOn, commit, sweepLater, countOf } from './set-up.ts'

test('users, roles and log groups of the account are read page by page', async () => {
  const kms = await made('looked-into')
  const users = '/v1/keymgr/cloud-a/get-iam-users'
  const arnOf = (kind: string, name: string): string => `arn:aws:iam::${OWN}:${kind}/${name}`
  const first = await ask('POST', users, { kms: kms.id, max_items: 2 })
  expect(first.status, JSON.stringify(first.body)).toBe(200)
  expect(first.body).toEqual({
    users: ['alice', 'bob'].map((name) => ({ name, arn: arnOf('user', name) })),
    marker: expect.any(String),
    is_truncated: true,
  })
  const rest = await ask('POST', users, { kms: 'looked-into', max_items: 2, marker: first.body.marker })
  const administrator = { name: 'keymgr-admin', arn: arnOf('user', 'keymgr-admin') }
  expect(rest.body).toEqual({ users: [administrator], is_truncated: false })
  const roles = await ask('POST', '/v1/keymgr/cloud-a/get-iam-roles', { kms: kms.id, path_prefix: '/' })
  expect(roles.body).toEqual({
    roles: ['keymgr-operator', 'orders-service'].map((name) => ({ name, arn: arnOf('role', name) })),
    is_truncated: false,
  })
  const groups = '/v1/keymgr/cloud-a/get-log-groups'
  const where = { kms: kms.id, region: 'us-east-1' }
  const some = await ask('POST', groups, { ...where, limit: 2 })
  expect(some.body).toEqual({ log_groups: ['/aws/lambda/orders', 'application'], nextToken: expect.any(String) })
  const more = await ask('POST', groups, { ...where, limit: 2, nextToken: some.body.nextToken })
  expect(more.body).toEqual({ log_groups: [`trail-${OWN}`] })
  const prefixed = await ask('POST', groups, { ...where, logGroupNamePrefix: 'app' })
  expect(prefixed.body).toEqual({ log_groups: ['application'] })
})

test('an alias is free until a key of the region has it', async () => {
  const kms = await made('aliased')
  const verify = (alias: string, region = 'us-east-1') =>
    ask('POST', '/v1/keymgr/cloud-a/alias/verify', { kms: kms.id, region, alias })
  cloud().seed({ account: OWN, region: 'us-east-1', count: 1, describe: () => ({ aliases: ['alias/payroll'] }) })
  expect((await verify('payroll')).body).toEqual({ available: false })
  expect((await verify('payroll', 'eu-west-1')).body).toEqual({ available: true })
  expect((await verify('payroll-2')).body).toEqual({ available: true })
  for (const alias of ['alias/payroll', 'aws/kms', 'pay roll', ''])
    await refused(verify(alias), 422, 2, alias === '' ? ['#/alias', '#/alias'] : ['#/alias'])
  await refused(verify('payroll', 'us-west-2'), 422, 2, ['#/region'])
})

test.each([
  ['get-iam-users', {}],
  ['get-iam-roles', {}],
  ['get-log-groups', { region: 'us-east-1' }],
  ['alias/verify', { region: 'us-east-1', alias: 'any' }],
])('%s does not find an unknown entry', async (path, more) => {
  await refused(ask('POST', `/v1/keymgr/cloud-a/${path}`, { kms: 'none', ...more }), 404, 5, ['#/kms'])
})

test('a child domain sees none of it, cannot be deleted while it has an entry, and is deleted with the remains of entries', async () => {
  const kms = await made('of-the-root')
  const { child, childId } = await childAdmin(service())
  const asChild = (method: string, path: string, body?: unknown) => service().call(method, path, { token: child, body })
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { regions: ['us-east-1'] }],
    ['DELETE', '', undefined],
    ['POST', '/archive', undefined],
    ['POST', '/recover', undefined],
    ['POST', '/update-acls', { acls: [{ group: 'admin', permit: true, actions: ['view'] }] }],
  ] as const)
    expect((await asChild(method, `${KMS}/${kms.id}${path}`, body)).status, `${method} ${path}`).toBe(404)
  expect((await asChild('GET', KMS)).body.total).toBe(0)
  const borrowed = await asChild('POST', KMS, entry('of-the-child'))
  expect(borrowed).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/connection' }] } })
  await connectionTo(service(), child, 'own', accountAt(service(), 0))
  const own = await asChild('POST', KMS, entry('of-the-child'))
  expect(own.status, JSON.stringify(own.body)).toBe(201)
  expect((await ask('DELETE', `/v1/domains/${childId}`)).body).toMatchObject({
    status: 409,
    code: 9,
    detail: '1 container of the domain must be removed first.',
  })
  expect((await asChild('GET', `${KMS}/${own.body.id}`)).status).toBe(200)
  expect((await asChild('DELETE', `${KMS}/${own.body.id}`)).status).toBe(200)
  await knowKeys(childId, own.body, 'us-east-1', 30, now())
  const job = await jobOn(own.body, childId)
  await commit((changes) =>
    changes.create(synchronizationParts, childId, {
      id: uuid(now()),
      job,
      container: own.body.id,
      region: 'us-east-1',
      name: `${OWN}/us-east-1`,
      phase: 'known',
      added: 0,
      updated: 0,
      gone: 0,
      unread: 0,
      backups: 0,
      not_backed_up: 0,
      errors: [],
      generation: 0,
      turns: 0,
      failures: 0,
      leaseUntil: now().toISOString(),
    }),
  )
  expect((await ask('DELETE', `/v1/domains/${childId}`)).status).toBe(200)
  await sweepLater()
  expect(await countOf(cloudAKms, childId)).toBe(0)
  expect(await countOf(cloudAKeys, childId)).toBe(0)
  expect(await countOf(synchronizationJobs, childId, 'cloud:cloud-a')).toBe(0)
  expect(await synchronizationParts.members(childId, `job:${job}`)).toEqual([])
  expect((await ask('GET', `${KMS}/${kms.id}`)).status).toBe(200)
})
