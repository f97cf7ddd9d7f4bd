import { beforeAll, expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { useService } from '../../support/service.ts'

const service = useService()
let admin = ''
let user = ''
let userId = ''

beforeAll(async () => {
  admin = await service().logIn()
  ;({ token: user, userId } = await service().userIn(admin, 'user', ['Key Users']))
})

const KEY = 'keymgr:root:vault:keys:one-v0'

const ask = (permissions: readonly object[], token = user) =>
  service().call('POST', '/v1/auth/self/permissions', { token, body: { permissions } })
const asked = async (action: string, resource = KEY, token = user): Promise<boolean> => {
  const { status, body } = await ask([{ action, resource }], token)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.permissions[0].allowed as boolean
}
async function attach(policy: object, principalSelector: object): Promise<void> {
  const made = await service().call('POST', '/v1/admin/policies', { token: admin, body: policy })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const body = { policy: made.body.id as string, principalSelector }
  expect((await service().call('POST', '/v1/admin/policy-attachments', { token: admin, body })).status).toBe(201)
  service().deployment.clock.advance(5_000)
}

test('groups decide if no policy exists', async () => {
  const permissions = [
    { action: 'CreateKey', resource: '*' },
    { action: 'EncryptWithKey', resource: KEY },
    { action: 'CreateCloudAKMS', resource: '*' },
    { action: 'ReadSelf', resource: '*' },
  ]
  const { body } = await ask(permissions)
  expect(body.permissions).toEqual(permissions.map((one, at) => ({ ...one, allowed: at !== 2 })))
  expect(await asked('CreateCloudAKMS', '*', admin)).toBe(true)
})

test('policies decide before groups, as they do for the calls themselves', async () => {
  const only = { resources: [KEY] }
  await attach({ name: 'deny', effect: 'deny', actions: ['ReadKey'], ...only }, { groups: ['Key Users'] })
  await attach({ name: 'allow', effect: 'allow', actions: ['*CloudAKMS'], resources: ['*'] }, { user_id: userId })
  const conditions = [{ path: 'name', op: 'exists' }]
  await attach({ name: 'maybe', effect: 'deny', actions: ['ExportKey'], ...only, conditions }, { sub: userId })
  await attach({ name: 'maybe not', effect: 'allow', actions: ['ReadUser'], ...only, conditions }, { sub: userId })
  expect(await asked('ReadKey')).toBe(false)
  expect(await asked('ReadKey', '*')).toBe(true)
  expect(await asked('ReadKey', KEY, admin)).toBe(true)
  expect(await asked('CreateCloudAKMS', '*')).toBe(true)
  expect(await asked('ExportKey')).toBe(false)
  expect(await asked('ExportKey', '*')).toBe(true)
  expect(await asked('ReadUser')).toBe(false)
})

test("a root domain's policy counts in a child domain where it includes descendants", async () => {
  const { child, userId: childAdminId } = await childAdmin(service())
  const policy = { effect: 'deny', resources: ['*'] }
  const everywhere = { ...policy, name: 'below', actions: ['CreateKey'], include_descendant_accounts: true }
  await attach(everywhere, { user_id: childAdminId })
  await attach({ ...policy, name: 'here', actions: ['DeleteKey'] }, { user_id: childAdminId })
  expect(await asked('CreateKey', '*', child)).toBe(false)
  expect(await asked('DeleteKey', '*', child)).toBe(true)
})

test('an unknown action, too many entries and a call without a token are refused', async () => {
  const one = { action: 'ReadKey', resource: '*' }
  const unknown = await ask([one, { ...one, action: 'ReadKeys' }, { ...one, action: 'Read*' }])
  expect(unknown).toMatchObject({
    status: 422,
    body: {
      errors: [
        { pointer: '#/permissions/1/action', detail: 'is not an action (did you mean ReadKey?)' },
        { pointer: '#/permissions/2/action' },
      ],
    },
  })
  expect((await ask(Array.from({ length: 101 }, () => one))).status).toBe(422)
  expect((await ask(Array.from({ length: 100 }, () => one))).status).toBe(200)
  expect((await ask([])).status).toBe(422)
  const anonymous = await service().call('POST', '/v1/auth/self/permissions', { body: { permissions: [one] } })
  expect(anonymous.status).toBe(401)
})
