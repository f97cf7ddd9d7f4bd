import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService, type Answered, type CallOptions } from '../../support/service.ts'

const service = useService()
const ROOT_ACCOUNT = 'keymgr:keymgr:admin:accounts:00000000-0000-7000-8000-000000000000'
let root = ''
let child = ''
let childId = ''
let userToken = ''

beforeAll(async () => {
  root = await service().logIn()
  ;({ child, childId } = await childAdmin(service(), 'branch', { allow_user_management: true }))
  const body = { username: 'local', password: 'Local-User-1' }
  const made = await service().call('POST', '/v1/usermgmt/users', { token: child, body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await service().call('POST', `/v1/usermgmt/groups/Key%20Users/users/${made.body.user_id}`, { token: child })
  userToken = await service().logIn('local', 'Local-User-1', { domain: 'branch' })
})

const as = (token: string, method: string, path: string, options: CallOptions = {}): Promise<Answered> =>
  service().call(method, path, { token, ...options })
const keys = async (token: string): Promise<number> => (await as(token, 'GET', '/v1/vault/keys2')).status

let count = 0
async function attached(token: string, policy: object, attachment: object): Promise<{ id: string; policy: string }> {
  const body = { name: `policy ${++count}`, actions: ['ReadKey'], resources: ['*'], effect: 'deny', ...policy }
  const made = await as(token, 'POST', '/v1/admin/policies', { body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const held = await as(token, 'POST', '/v1/admin/policy-attachments', {
    body: { policy: made.body.id, ...attachment },
  })
  expect(held.status, JSON.stringify(held.body)).toBe(201)
  service().deployment.clock.advance(5_000)
  return { id: held.body.id as string, policy: made.body.id as string }
}
async function detach(token: string, id: string): Promise<void> {
  expect((await as(token, 'DELETE', `/v1/admin/policy-attachments/${id}`)).status).toBe(200)
  service().deployment.clock.advance(5_000)
}

test('policies of another domain do not exist here and have no effect', async () => {
  const { id, policy } = await attached(root, {}, { principalSelector: { groups: ['Key Users', 'admin'] } })
  expect(await keys(root)).toBe(403)
  expect(await keys(child)).toBe(200)
  for (const path of [`/v1/admin/policies/${policy}`, `/v1/admin/policy-attachments/${id}`])
    for (const method of ['GET', 'DELETE']) expect((await as(child, method, path)).status).toBe(404)
  expect((await as(child, 'GET', '/v1/admin/policies')).body.total).toBe(0)
  const body = { policy, principalSelector: { groups: ['Key Users'] } }
  const refused = await as(child, 'POST', '/v1/admin/policy-attachments', { body })
  expect(refused).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/policy' }] } })
  await detach(root, id)
})

test('a policy of the root domain applies to child domains on request', async () => {
  const below = { include_descendant_accounts: true }
  const { id } = await attached(root, below, { principalSelector: { groups: ['Key Users'] } })
  expect(await keys(userToken)).toBe(403)
  expect(await keys(child)).toBe(200)
  // the child's administrators can neither remove nor see it
  expect((await as(child, 'GET', '/v1/admin/policy-attachments')).body.total).toBe(0)
  await attached(child, { effect: 'allow' }, { principalSelector: { groups: ['Key Users'] } })
  expect(await keys(userToken)).toBe(403)
  await detach(root, id)
  expect(await keys(userToken)).toBe(200)
})

test('an attachment applies only in the account that it names', async () => {
  const branch = `keymgr:keymgr:admin:accounts:${childId}`
  const below = { include_descendant_accounts: true }
  for (const attachment of [
    { principalSelector: { groups: ['admin'] }, jurisdiction: branch },
    { principalSelector: { groups: ['admin'], acct: branch } },
  ]) {
    const { id } = await attached(root, below, attachment)
    expect([await keys(root), await keys(child)]).toEqual([200, 403])
    await detach(root, id)
  }
  const { id, policy } = await attached(root, {}, { principalSelector: { acct: ROOT_ACCOUNT } })
  expect([await keys(root), await keys(child)]).toEqual([403, 200])
  await detach(root, id)
  const body = { policy, principalSelector: { groups: ['admin'] }, jurisdiction: branch }
  expect(await as(root, 'POST', '/v1/admin/policy-attachments', { body })).toMatchObject({ status: 422 })
  const above = { policy: 'none', principalSelector: { groups: ['admin'] }, jurisdiction: ROOT_ACCOUNT }
  expect((await as(child, 'POST', '/v1/admin/policy-attachments', { body: above })).status).toBe(404)
})
