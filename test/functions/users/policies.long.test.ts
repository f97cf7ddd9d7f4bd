import { beforeAll, expect, test } from 'vitest'
import { useService, type Answered, type CallOptions } from '../../support/service.ts'

const service = useService()
const ROOT = '00000000-0000-7000-8000-000000000000'
const DENIED = { status: 403, body: { code: 4, detail: 'Policies do not permit this call.' } }
let admin = ''
let user = ''
let userId = ''
let outsider = ''
let outsiderId = ''

beforeAll(async () => {
  admin = await service().logIn()
  ;({ token: user, userId } = await service().userIn(admin, 'user', ['Key Users']))
  ;({ token: outsider, userId: outsiderId } = await service().userIn(admin, 'outsider', []))
})

const as = (token: string, method: string, path: string, options: CallOptions = {}): Promise<Answered> =>
  service().call(method, path, { token, ...options })

/** Changes apply in every instance after 5 seconds. */
const wait = (): void => service().deployment.clock.advance(5_000)

const made = async (path: string, body: object, token = admin): Promise<any> => {
  const answer = await as(token, 'POST', path, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const key = (name: string, more: object = {}, token = user) => made('/v1/vault/keys2', { name, ...more }, token)

let count = 0
/** Runs `work` while a policy holds for a principal. */
async function under(principalSelector: object, policies: readonly object[], work: () => Promise<void>): Promise<void> {
  const held: string[][] = []
  for (const policy of policies) {
    const { id } = await made('/v1/admin/policies', {
      name: `policy ${++count}`,
      effect: 'deny',
      resources: ['*'],
      ...policy,
    })
    held.push([(await made('/v1/admin/policy-attachments', { policy: id, principalSelector })).id, id])
  }
  wait()
  try {
    await work()
  } finally {
    for (const [attachment, policy] of held) {
      expect((await as(admin, 'DELETE', `/v1/admin/policy-attachments/${attachment}`)).status).toBe(200)
      expect((await as(admin, 'DELETE', `/v1/admin/policies/${policy}`)).status).toBe(200)
    }
    wait()
  }
}

const read = (reference: string, token = user) => as(token, 'GET', `/v1/vault/keys2/${encodeURIComponent(reference)}`)

test('a policy and its attachment are made, shown, listed, audited and deleted', async () => {
  const body = {
    name: 'first',
    actions: ['CreateKey', 'Read*'],
    resources: ['keymgr:root:vault:keys:*'],
    allow: false,
    conditions: [{ path: 'labels.env', op: 'equals', values: ['prod'] }],
  }
  const policy = await made('/v1/admin/policies', body)
  expect(policy).toMatchObject({
    ...body,
    effect: 'deny',
    include_descendant_accounts: false,
    conditions: [{ ...body.conditions[0], negate: false }],
    uri: `keymgr:${ROOT}:admin:policies:${policy.id}`,
  })
  expect((await as(admin, 'GET', `/v1/admin/policies/${policy.id}`)).body).toEqual(policy)
  const listed = await as(admin, 'GET', '/v1/admin/policies?name=fir*')
  expect(listed.body).toMatchObject({ total: 1, resources: [policy] })
  const selector = { groups: ['Key Users'], user_id: userId }
  const attachment = await made('/v1/admin/policy-attachments', { policy: policy.uri, principalSelector: selector })
  expect(attachment).toMatchObject({ policy: policy.uri, principalSelector: selector })
  expect((await as(admin, 'GET', `/v1/admin/policy-attachments/${attachment.id}`)).body).toEqual(attachment)
  for (const used of [policy.id, policy.uri])
    expect((await as(admin, 'GET', `/v1/admin/policy-attachments?policy=${used}`)).body.total).toBe(1)
  const inUse = await as(admin, 'DELETE', `/v1/admin/policies/${policy.id}`)
  expect(inUse).toMatchObject({ status: 409, body: { code: 9 } })
  expect((await as(admin, 'DELETE', `/v1/admin/policy-attachments/${attachment.id}`)).status).toBe(200)
  expect((await as(admin, 'DELETE', `/v1/admin/policies/${policy.id}`)).body).toEqual({ status: 204 })
  expect((await as(admin, 'GET', `/v1/admin/policies/${policy.id}`)).status).toBe(404)
  const records = await as(admin, 'GET', '/v1/audit/records?message=*Policy*&sort=createdAt&limit=-1')
  expect(records.body.resources.map(({ message, success }: any) => [message, success])).toEqual([
    ['Create Policy', true],
    ['Create Policy Attachment', true],
    ['Delete Policy', false],
    ['Delete Policy Attachment', true],
    ['Delete Policy', true],
  ])
  expect(records.body.resources[0].details.after).toMatchObject({ name: 'first', effect: 'deny' })
})

const GOOD = { name: 'refused', actions: ['ReadKey'], resources: ['*'], effect: 'deny' }
test.each([
  ['an action that no operation has', { ...GOOD, actions: ['ReadKey', 'ReadKeys'] }, 422, '#/actions/1'],
  ['a pattern that fits no action', { ...GOOD, actions: ['Nothing*'] }, 422, '#/actions/0'],
  ['an action without a token', { ...GOOD, actions: ['GenerateToken'] }, 422, '#/actions/0'],
  ['no actions', { ...GOOD, actions: [] }, 422, '#/actions'],
  ['neither allow nor effect', { ...GOOD, effect: undefined }, 422, '#/effect'],
  ['both', { ...GOOD, allow: false }, 422, '#/effect'],
  ['another effect', { ...GOOD, effect: 'maybe' }, 422, '#/effect'],
  ['another op', { ...GOOD, conditions: [{ path: 'name', op: 'like', values: ['x'] }] }, 422, '#/conditions/0/op'],
  ['a comparison with nothing', { ...GOOD, conditions: [{ path: 'a', op: 'equals' }] }, 422, '#/conditions/0/values'],
  ['an unknown field', { ...GOOD, principal: 'x' }, 400, '#/principal'],
])('a policy with %s is refused', async (_what, body, status, pointer) => {
  const refused = await as(admin, 'POST', '/v1/admin/policies', { body })
  expect(refused).toMatchObject({ status, body: { errors: [{ pointer }] } })
  expect((await as(admin, 'GET', '/v1/admin/policies?name=refused')).body.total).toBe(0)
})

test('the policy and the callers of an attachment must exist', async () => {
  const policy = await made('/v1/admin/policies', { ...GOOD, name: 'to be attached' })
  const again = await as(admin, 'POST', '/v1/admin/policies', { body: { ...GOOD, name: 'to be attached' } })
  expect(again).toMatchObject({ status: 409, body: { code: 7 } })
  const nobody = 'local|01890000-0000-7000-8000-00000000ffff'
  const elsewhere = 'keymgr:keymgr:admin:accounts:01890000-0000-7000-8000-00000000ffff'
  const good = { policy: 'to be attached', principalSelector: { user_id: userId } }
  for (const [body, status, pointer] of [
    [{ ...good, policy: 'not there' }, 404, '#/policy'],
    [{ ...good, principalSelector: {} }, 422, '#/principalSelector'],
    [{ ...good, principalSelector: { groups: ['Key Users', 'none'] } }, 404, '#/principalSelector/groups/1'],
    [{ ...good, principalSelector: { user_id: nobody } }, 404, '#/principalSelector/user_id'],
    [{ ...good, principalSelector: { sub: nobody } }, 404, '#/principalSelector/sub'],
    [{ ...good, principalSelector: { acct: elsewhere } }, 404, '#/principalSelector/acct'],
    [{ ...good, jurisdiction: elsewhere }, 404, '#/jurisdiction'],
  ] as const)
    expect(await as(admin, 'POST', '/v1/admin/policy-attachments', { body })).toMatchObject({
      status,
      body: { errors: [{ pointer }] },
    })
  expect((await as(admin, 'DELETE', `/v1/admin/policies/${policy.id}`)).status).toBe(200)
})

test('a denial wins over a group and over an allowance, and its policy is not named', async () => {
  await key('of the group')
  const both = [{ actions: ['ReadKey'], effect: 'allow' }, { actions: ['Read*'] }]
  await under({ user_id: userId }, both, async () => {
    const refused = await read('of the group')
    expect(refused).toMatchObject(DENIED)
    expect(JSON.stringify(refused.body)).not.toContain('policy ')
    expect((await as(user, 'GET', '/v1/vault/keys2')).status).toBe(403)
    expect((await as(user, 'POST', '/v1/vault/query-keys', { body: {} })).status).toBe(403)
    expect((await read('of the group', admin)).status).toBe(200)
  })
  expect((await read('of the group')).status).toBe(200)
  const { body } = await as(admin, 'GET', '/v1/audit/records?message=Get%20Key&success=false')
  expect(body.resources[0]).toMatchObject({ username: 'user', errorMessage: DENIED.body.detail })
})

test('a denial of everything precedes the check of the body', async () => {
  await under({ user_id: userId }, [{ actions: ['CreateKey'] }], async () => {
    expect(await as(user, 'POST', '/v1/vault/keys2', { body: '{"' })).toMatchObject(DENIED)
  })
})

test('a denied write stores nothing', async () => {
  const one = await key('kept', { labels: { env: 'prod' } })
  const [labels, created] = [{ env: 'dev' }, 'not made']
  const prod = {
    resources: ['keymgr:*:vault:keys:*'],
    conditions: [{ path: 'labels.env', op: 'equals', values: ['prod'] }],
  }
  await under(
    { groups: ['Key Users'] },
    [{ actions: ['UpdateKey', 'DeleteKey', 'CreateKey', 'RotateKey'], ...prod }],
    async () => {
      const headers = { 'idempotency-key': 'denied' }
      const body = { name: created, labels: { env: 'prod' } }
      expect(await as(user, 'POST', '/v1/vault/keys2', { body, headers })).toMatchObject(DENIED)
      expect((await read(created)).status).toBe(404)
      // the policy must allow the record both before and after the change
      expect(await as(user, 'PATCH', '/v1/vault/keys2/kept', { body: { labels } })).toMatchObject(DENIED)
      expect(await as(user, 'DELETE', '/v1/vault/keys2/kept')).toMatchObject(DENIED)
      expect(await as(user, 'POST', '/v1/vault/keys2/kept/versions', { body: {} })).toMatchObject(DENIED)
      const dev = await key('for development', { labels })
      const change = { body: { labels: { env: 'prod' } } }
      expect(await as(user, 'PATCH', `/v1/vault/keys2/${dev.id}`, change)).toMatchObject(DENIED)
      expect((await read('for development')).body).toEqual(dev)
    },
  )
  expect((await read('kept')).body).toEqual(one)
  expect((await as(user, 'GET', '/v1/vault/keys2/kept/versions')).body.total).toBe(1)
  const body = { name: created, labels: { env: 'prod' } }
  expect((await as(user, 'POST', '/v1/vault/keys2', { body, headers: { 'idempotency-key': 'denied' } })).status).toBe(
    201,
  )
})

test('a stored answer is checked against policies again', async () => {
  const send = () =>
    as(user, 'POST', '/v1/vault/keys2', { body: { name: 'repeated' }, headers: { 'idempotency-key': 'again' } })
  const first = await send()
  expect(first.status).toBe(201)
  await under({ user_id: userId }, [{ actions: ['CreateKey'], resources: ['*:repeated-v?'] }], async () => {
    expect(await send()).toMatchObject(DENIED)
  })
  expect((await send()).body).toEqual(first.body)
})

test('a denied record is left out of lists', async () => {
  await key('seen-1')
  await key('seen-2')
  await under({ user_id: userId }, [{ actions: ['ReadKey'], resources: ['*:seen-1-v*'] }], async () => {
    for (const { body } of [
      await as(user, 'GET', '/v1/vault/keys2?name=seen-*'),
      await as(user, 'POST', '/v1/vault/query-keys', { body: { nameContains: 'seen-' } }),
    ])
      expect(body.resources.map(({ name }: any) => name as string)).toEqual(['seen-2'])
    expect(await read('seen-1')).toMatchObject(DENIED)
    expect((await read('seen-2')).status).toBe(200)
  })
})

test('a denied key is not exported, alone, among others, or under a wrapping key', async () => {
  const secret = await key('secret', { unexportable: false })
  await key('kek', { unexportable: false })
  const exported = (body: object = {}) => as(user, 'POST', '/v1/vault/keys2/secret/export', { body })
  expect((await exported()).body.material).toBeDefined()
  await under({ user_id: userId }, [{ actions: ['ExportKey'], resources: [secret.uri] }], async () => {
    const refused = await exported()
    expect(refused).toMatchObject(DENIED)
    expect(refused.body.material).toBeUndefined()
    const several = await as(user, 'POST', '/v1/vault/keys-bulk-export', { body: { ids: [secret.id] } })
    expect(several.body).toEqual([{ id: secret.id, error: expect.objectContaining({ status: 403 }) }])
    expect(await as(user, 'POST', '/v1/vault/keys2/secret/clone', { body: { newKeyName: 'copy' } })).toMatchObject(
      DENIED,
    )
  })
  await under({ user_id: userId }, [{ actions: ['EncryptWithKey'], resources: ['*:kek-v0'] }], async () => {
    expect(await exported({ wrapKeyName: 'kek' })).toMatchObject(DENIED)
    expect((await exported()).status).toBe(200)
  })
  expect((await exported({ wrapKeyName: 'kek' })).status).toBe(200)
})

test('an allowance opens a call to a user without the group, for its record only', async () => {
  const { uri } = await made('/v1/usermgmt/pwdpolicies', { policy_name: 'shown' }).then(async () => ({
    uri: (await key('opened', { labels: { env: 'dev' } }, admin)).uri as string,
  }))
  await key('closed', { labels: { env: 'dev' } }, admin)
  const grant = { permissions: { ReadKey: ['of outsiders'] } }
  await made('/v1/usermgmt/groups', { name: 'of outsiders' })
  expect((await as(admin, 'POST', `/v1/usermgmt/groups/of%20outsiders/users/${outsiderId}`)).status).toBe(200)
  for (const name of ['opened', 'closed'])
    expect((await as(admin, 'PATCH', `/v1/vault/keys2/${name}`, { body: { meta: grant } })).status).toBe(200)
  outsider = await service().logIn('outsider', 'Pass-word-8x')
  expect((await read('opened', outsider)).status).toBe(403)
  await under(
    { user_id: outsiderId },
    [{ actions: ['ReadKey', 'CreateKey'], effect: 'allow', resources: [uri] }],
    async () => {
      expect((await read('opened', outsider)).body.uri).toBe(uri)
      expect(await read('closed', outsider)).toMatchObject(DENIED)
      expect(await as(outsider, 'GET', '/v1/vault/keys2')).toMatchObject(DENIED)
      expect(await as(outsider, 'POST', '/v1/vault/keys2', { body: { name: 'mine' } })).toMatchObject(DENIED)
      expect((await read('mine', admin)).status).toBe(404)
      expect((await as(outsider, 'DELETE', '/v1/vault/keys2/opened')).body.detail).toContain('groups')
    },
  )
  // the operation's own checks of the caller still apply
  await under({ user_id: outsiderId }, [{ actions: ['DeleteKey'], effect: 'allow', resources: ['*'] }], async () => {
    expect((await as(outsider, 'DELETE', '/v1/vault/keys2/opened')).body.detail).toContain('owner')
  })
  expect((await read('opened', outsider)).status).toBe(403)
})

test('a change cannot bring a record under an allowance', async () => {
  await key('of production', { labels: { env: 'prod' } }, admin)
  const dev = await key('of development', { labels: { env: 'dev' } }, admin)
  for (const { name } of [{ name: 'of production' }, dev])
    await as(admin, 'PATCH', `/v1/vault/keys2/${encodeURIComponent(name as string)}`, {
      body: { meta: { ownerId: outsiderId } },
    })
  const conditions = [{ path: 'labels.env', op: 'equals', values: ['dev'] }]
  const allow = { actions: ['UpdateKey'], effect: 'allow', conditions }
  await under({ sub: outsiderId }, [allow], async () => {
    const change = (name: string, labels: object) =>
      as(outsider, 'PATCH', `/v1/vault/keys2/${encodeURIComponent(name)}`, { body: { labels } })
    expect(await change('of production', { env: 'dev' })).toMatchObject(DENIED)
    expect((await change('of development', { env: 'dev', team: 'two' })).status).toBe(200)
  })
  expect((await read('of production', admin)).body.labels).toEqual({ env: 'prod' })
})

test('an attachment follows a renamed group, and no later group of its former name', async () => {
  await made('/v1/usermgmt/groups', { name: 'before' })
  await as(admin, 'POST', `/v1/usermgmt/groups/before/users/${userId}`)
  const logIn = () => service().logIn('user', 'Pass-word-4x')
  await under({ groups: ['before'] }, [{ actions: ['ReadKey'] }], async () => {
    expect(await as(await logIn(), 'GET', '/v1/vault/keys2')).toMatchObject(DENIED)
    expect((await as(admin, 'PATCH', '/v1/usermgmt/groups/before', { body: { name: 'after' } })).status).toBe(200)
    expect(await as(await logIn(), 'GET', '/v1/vault/keys2')).toMatchObject(DENIED)
    const shown = await as(admin, 'GET', '/v1/admin/policy-attachments')
    expect(shown.body.resources[0].principalSelector).toEqual({ groups: ['after'] })
    await as(admin, 'DELETE', `/v1/usermgmt/groups/after/users/${userId}`)
    await made('/v1/usermgmt/groups', { name: 'before' })
    await as(admin, 'POST', `/v1/usermgmt/groups/before/users/${userId}`)
    expect((await as(await logIn(), 'GET', '/v1/vault/keys2')).status).toBe(200)
  })
})

test('a change takes effect after 5 seconds at the latest', async () => {
  expect((await read('kept')).status).toBe(200)
  const policy = await made('/v1/admin/policies', { ...GOOD, name: 'in a moment' })
  const attached = await made('/v1/admin/policy-attachments', { policy: policy.id, principalSelector: { sub: userId } })
  service().deployment.clock.advance(5_000)
  expect(await read('kept')).toMatchObject(DENIED)
  expect((await as(admin, 'DELETE', `/v1/admin/policy-attachments/${attached.id}`)).status).toBe(200)
  service().deployment.clock.advance(5_000)
  expect((await read('kept')).status).toBe(200)
})

test('administrators can be denied anything but the policies themselves', async () => {
  const everyone = { acct: `keymgr:keymgr:admin:accounts:${ROOT}` }
  await under(everyone, [{ actions: ['*'] }], async () => {
    expect(await as(admin, 'GET', '/v1/vault/keys2')).toMatchObject(DENIED)
    expect(await as(user, 'GET', '/v1/admin/policies')).toMatchObject({ status: 403 })
    expect((await as(admin, 'GET', '/v1/admin/policies')).status).toBe(200)
  })
  expect((await as(admin, 'GET', '/v1/vault/keys2')).status).toBe(200)
})
