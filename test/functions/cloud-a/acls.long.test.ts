import { beforeAll, expect, test } from 'vitest'
import { CLOUD_A_ACTIONS } from '../../../shared/clouds/cloud-a/actions.ts'
import { childAdmin } from '../../support/callers.ts'
import { useService, type Answered } from '../../support/service.ts'
import { accountAt, connectionTo, KMS } from './accounts.ts'

const service = useService()
let admin = ''
/** A member of `keymgr Users`, one of `keymgr Admins`, and one whose group `crew` may receive permissions. */
let user = { token: '', userId: '' }
let keymgrAdmin = ''
let sailor = { token: '', userId: '' }
let count = 0

beforeAll(async () => {
  admin = await service().logIn()
  await connectionTo(service(), admin, 'own', accountAt(service(), 0))
  await service().call('POST', '/v1/usermgmt/groups', { token: admin, body: { name: 'crew' } })
  user = await service().userIn(admin, 'user', ['keymgr Users'])
  keymgrAdmin = (await service().userIn(admin, 'keymgr-admin', ['keymgr Admins'])).token
  sailor = await service().userIn(admin, 'sailor', ['keymgr Users', 'crew'])
})

const call = (token: string, method: string, path: string, body?: unknown): Promise<Answered> =>
  service().call(method, path, { token, body })

/** A fresh entry. */
async function made(): Promise<any> {
  const name = `entry-${++count}`
  const body = { name, account_id: '111122223333', connection: 'own', regions: ['us-east-1'] }
  const { status, body: kms } = await call(keymgrAdmin, 'POST', KMS, body)
  expect(status, JSON.stringify(kms)).toBe(201)
  return kms
}

const change = (kms: { id: string }, acls: unknown, token = keymgrAdmin): Promise<Answered> =>
  call(token, 'POST', `${KMS}/${kms.id}/update-acls`, { acls })

async function set(kms: { id: string }, ...acls: object[]): Promise<unknown> {
  const { status, body } = await change(kms, acls)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.acls
}

const seenBy = async (token: string): Promise<string[]> =>
  ((await call(token, 'GET', `${KMS}?limit=-1`)).body.resources as { id: string }[]).map(({ id }) => id)

test('a user sees only the entries with a view permission', async () => {
  const [hidden, seen] = [await made(), await made()]
  expect(await seenBy(user.token)).toEqual([])
  const shown = await change(seen, [{ user_id: user.userId, permit: true, actions: ['viewnative'] }])
  expect(shown.body).toMatchObject({ acls: [{ user_id: user.userId, actions: ['viewnative'] }] })
  expect((await call(user.token, 'GET', KMS)).body).toEqual({ skip: 0, limit: 10, total: 1, resources: [shown.body] })
  expect((await call(user.token, 'GET', `${KMS}/${seen.id}`)).body).toEqual(shown.body)
  expect(await call(user.token, 'GET', `${KMS}/${hidden.id}`)).toMatchObject({ status: 404, body: { code: 5 } })
  expect((await call(user.token, 'GET', `${KMS}?id=${hidden.id}`)).body.total).toBe(0)
  for (const [path, more] of [
    ['get-iam-users', {}],
    ['get-iam-roles', {}],
    ['get-log-groups', { region: 'us-east-1' }],
    ['alias/verify', { region: 'us-east-1', alias: 'free' }],
  ] as const) {
    const look = (kms: { id: string }) =>
      call(user.token, 'POST', `/v1/keymgr/cloud-a/${path}`, { kms: kms.id, ...more })
    expect((await look(seen)).status, path).toBe(200)
    expect(await look(hidden), path).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/kms' }] } })
  }
  await set(seen, { user_id: user.userId, permit: false, actions: ['viewnative'] })
  expect(await seenBy(user.token)).toEqual([])
})

test('permissions on keys permit nothing on the entry itself', async () => {
  const kms = await made()
  await set(kms, { user_id: user.userId, permit: true, actions: [...CLOUD_A_ACTIONS] })
  const acls = [{ user_id: user.userId, permit: true, actions: ['view'] }]
  for (const [method, path, body] of [
    ['POST', KMS, { name: 'mine' }],
    ['PATCH', `${KMS}/${kms.id}`, { regions: ['us-east-1'] }],
    ['DELETE', `${KMS}/${kms.id}`, undefined],
    ['POST', `${KMS}/${kms.id}/archive`, undefined],
    ['POST', `${KMS}/${kms.id}/recover`, undefined],
    ['POST', `${KMS}/${kms.id}/update-acls`, { acls }],
    ['POST', '/v1/keymgr/cloud-a/accounts', { connection: 'own' }],
    ['POST', '/v1/keymgr/cloud-a/get-all-regions', { connection: 'own' }],
  ] as const)
    expect(await call(user.token, method, path, body), `${method} ${path}`).toMatchObject({
      status: 403,
      body: { code: 4 },
    })
})

test.each([
  [['keycreate'], ['keycreate', 'viewnative']],
  [['keyupload'], ['keyupload', 'viewbyok']],
  [
    ['keymaterialimport', 'keymaterialdelete'],
    ['keymaterialdelete', 'keymaterialimport', 'viewbyok'],
  ],
  [['keyupdate'], ['keyupdate', 'viewbyok', 'viewnative']],
  [['keyrotate'], ['keyrotate', 'viewbyok', 'viewnative']],
  [
    ['keydelete', 'keycanceldelete'],
    ['keycanceldelete', 'keydelete', 'viewbyok', 'viewnative'],
  ],
  [['keysynchronize'], ['keysynchronize', 'viewbyok', 'viewnative']],
  [['keybulkoperation'], ['keybulkoperation', 'viewbyok', 'viewnative']],
  [['hyokkeylink'], ['hyokkeylink', 'viewhyokkey']],
  [['cloudhsmkeycreate'], ['cloudhsmkeycreate', 'viewcloudhsmkey']],
  [['keystoreblock'], ['keystoreblock', 'viewkeystore']],
  [['reportdownload'], ['reportdownload', 'reportview']],
  [['view'], ['viewbyok', 'viewnative']],
])('permission %j implies %j', async (given, kept) => {
  const kms = await made()
  expect(await set(kms, { group: 'crew', permit: true, actions: given })).toEqual([{ group: 'crew', actions: kept }])
  expect(await seenBy(sailor.token)).toContain(kms.id)
  expect(await seenBy(user.token)).not.toContain(kms.id)
})

test('every action implies a view with which its holder sees the entry', async () => {
  const kms = await made()
  for (const action of CLOUD_A_ACTIONS) {
    await set(kms, { user_id: user.userId, permit: true, actions: [action] })
    expect((await call(user.token, 'GET', `${KMS}/${kms.id}`)).status, action).toBe(200)
    const all = { user_id: user.userId, permit: false, actions: [...CLOUD_A_ACTIONS] }
    expect(await set(kms, all), action).toEqual([])
  }
})

test('actions add up, are removed one by one, and an empty entry is removed', async () => {
  const kms = await made()
  await set(kms, { user_id: user.userId, permit: true, actions: ['keycreate'] })
  expect(
    await set(
      kms,
      { user_id: user.userId, permit: true, actions: ['keyupload', 'keycreate'] },
      { group: 'crew', permit: true, actions: ['reportview'] },
      { user_id: user.userId, permit: false, actions: ['keycreate'] },
    ),
  ).toEqual([
    { user_id: user.userId, actions: ['keyupload', 'viewbyok', 'viewnative'] },
    { group: 'crew', actions: ['reportview'] },
  ])
  expect(await set(kms, { user_id: user.userId, permit: false, actions: ['view', 'keyupload'] })).toEqual([
    { group: 'crew', actions: ['reportview'] },
  ])
  expect(await set(kms, { group: 'crew', permit: false, actions: ['reportview'] })).toEqual([])
  const records = await call(admin, 'GET', '/v1/audit/records?message=Update%20Cloud-a%20KMS%20Permissions&limit=1')
  expect(records.body.resources[0].details).toMatchObject({
    resource_uri: kms.uri,
    before: { acls: [{ group: 'crew', actions: ['reportview'] }] },
    after: { acls: [] },
  })
})

test.each([
  ['an unknown action', [{ group: 'crew', permit: true, actions: ['view', 'fly'] }], 422, ['#/acls/0/actions/1']],
  ['an action of another cloud', [{ group: 'crew', permit: true, actions: ['keypurge'] }], 422, ['#/acls/0/actions/0']],
  ['no action', [{ group: 'crew', permit: true, actions: [] }], 422, ['#/acls/0/actions']],
  ['neither user nor group', [{ permit: true, actions: ['view'] }], 422, ['#/acls']],
  [
    'user and group at once',
    [{ user_id: 'local|01890000-0000-7000-8000-00000000ffff', group: 'crew', permit: true, actions: ['view'] }],
    422,
    ['#/acls'],
  ],
  ['no permit', [{ group: 'crew', actions: ['view'] }], 422, ['#/acls/0/permit']],
  ['nothing', [], 422, ['#/acls']],
  ['a user id that is none', [{ user_id: 'me', permit: true, actions: ['view'] }], 422, ['#/acls/0/user_id']],
  ['a wrong type', [{ group: 'crew', permit: 'yes', actions: ['view'] }], 400, ['#/acls/0/permit']],
  ['an unknown field', [{ group: 'crew', permit: true, actions: ['view'], until: 'now' }], 400, ['#/acls/0/until']],
  [
    'users and groups that are not there, all of them',
    [
      { group: 'crew', permit: true, actions: ['view'] },
      { user_id: 'local|01890000-0000-7000-8000-00000000ffff', permit: true, actions: ['view'] },
      { group: 'nobody', permit: false, actions: ['view'] },
    ],
    404,
    ['#/acls/1/user_id', '#/acls/2/group'],
  ],
])('permissions refuse %s', async (_what, acls, status, pointers) => {
  const kms = await made()
  const answer = await change(kms, acls)
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  expect((answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)).toEqual(pointers)
  expect((await call(admin, 'GET', `${KMS}/${kms.id}`)).body).toEqual(kms)
})

test('a list has room for 100 users and groups', async () => {
  const kms = await made()
  const names = Array.from({ length: 101 }, (_, n) => `squad-${n}`)
  for (let at = 0; at < names.length; at += 20)
    await Promise.all(names.slice(at, at + 20).map((name) => call(admin, 'POST', '/v1/usermgmt/groups', { name })))
  const acls = names.map((group) => ({ group, permit: true, actions: ['view'] }))
  expect(await set(kms, ...acls.slice(0, 100))).toHaveLength(100)
  const full = await change(kms, acls.slice(100))
  expect(full).toMatchObject({ status: 422, body: { code: 2, errors: [{ pointer: '#/acls' }] } })
})

const GROUPS = '/v1/usermgmt/groups'
const aclsOf = async (kms: { id: string }): Promise<unknown> =>
  (await call(keymgrAdmin, 'GET', `${KMS}/${kms.id}`)).body.acls
const makeGroup = async (name: string): Promise<void> => {
  expect((await call(admin, 'POST', GROUPS, { name })).status).toBe(201)
}

/** A KMS entry in the domain of a child's administrator. */
async function entryOf(child: string, name: string): Promise<any> {
  await connectionTo(service(), child, 'own', accountAt(service(), 0))
  const body = { name, account_id: '111122223333', connection: 'own', regions: ['us-east-1'] }
  return (await call(child, 'POST', KMS, body)).body
}

test('a new group with the name of a deleted one has none of its permissions', async () => {
  const kms = await made()
  await makeGroup('ops')
  const ops = { group: 'ops', permit: true, actions: ['keydelete'] }
  await set(kms, ops, { group: 'crew', permit: true, actions: ['view'] })
  const kept = await aclsOf(kms)
  const refused = await call(admin, 'DELETE', `${GROUPS}/ops`)
  expect(refused.body).toMatchObject({
    status: 409,
    code: 9,
    detail: 'The group has permissions on 1 container; force=true takes them away.',
  })
  expect(await aclsOf(kms)).toEqual(kept)
  expect((await call(admin, 'DELETE', `${GROUPS}/ops?force=true`)).body).toEqual({ status: 204 })
  expect(await aclsOf(kms)).toEqual([{ group: 'crew', actions: ['viewbyok', 'viewnative'] }])
  await makeGroup('ops')
  const { token } = await service().userIn(admin, 'new-in-ops', ['keymgr Users', 'ops'])
  expect(await call(token, 'GET', `${KMS}/${kms.id}`)).toMatchObject({ status: 404 })
})

test('a renamed group keeps its permissions, and its old name has none', async () => {
  const kms = await made()
  await makeGroup('deck')
  const deck = { group: 'deck', permit: true, actions: ['reportview'] }
  await set(kms, deck, { group: 'crew', permit: true, actions: ['view'] })
  expect((await call(admin, 'PATCH', `${GROUPS}/deck`, { name: 'bridge' })).status).toBe(200)
  expect(await aclsOf(kms)).toEqual([
    { group: 'bridge', actions: ['reportview'] },
    { group: 'crew', actions: ['viewbyok', 'viewnative'] },
  ])
  await makeGroup('deck')
  const onTheBridge = await service().userIn(admin, 'on-the-bridge', ['keymgr Users', 'bridge'])
  const onDeck = await service().userIn(admin, 'on-deck', ['keymgr Users', 'deck'])
  expect(await seenBy(onTheBridge.token)).toEqual([kms.id])
  expect(await seenBy(onDeck.token)).toEqual([])
})

test('a group that is deleted while it gets permissions keeps none', async () => {
  const kms = await made()
  for (let round = 0; round < 4; round++) {
    await makeGroup('brief')
    const [given, gone] = await Promise.all([
      change(kms, [{ group: 'brief', permit: true, actions: ['view'] }]),
      call(admin, 'DELETE', `${GROUPS}/brief?force=true`),
    ])
    expect([200, 404]).toContain(given.status)
    expect(gone.status).toBe(200)
    expect(await aclsOf(kms)).toEqual([])
  }
})

test('a deleted user keeps no permissions, also as a guest', async () => {
  const kms = await made()
  const { child } = await childAdmin(service(), 'left', { allow_user_management: true })
  const there = await entryOf(child, 'left')
  const leaver = await service().userIn(admin, 'leaver', ['keymgr Users'])
  const entry = { user_id: leaver.userId, permit: true, actions: ['viewbyok'] }
  await set(kms, entry, { user_id: user.userId, permit: true, actions: ['viewbyok'] })
  expect((await call(child, 'POST', `${GROUPS}/keymgr%20Users/users/${leaver.userId}`)).status).toBe(200)
  expect((await change(there, [entry], child)).body.acls).toHaveLength(1)
  expect((await call(admin, 'DELETE', `/v1/usermgmt/users/${leaver.userId}`)).status).toBe(200)
  expect(await aclsOf(kms)).toEqual([{ user_id: user.userId, actions: ['viewbyok'] }])
  expect((await call(child, 'GET', `${KMS}/${there.id}`)).body.acls).toEqual([])
  const more = await change(kms, [entry])
  expect(more).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/acls/0/user_id' }] } })
})

test('a former guest can be removed, and gets no further permissions', async () => {
  const { child } = await childAdmin(service(), 'visited', { allow_user_management: true })
  const kms = await entryOf(child, 'visited')
  const membership = `${GROUPS}/keymgr%20Users/users/${sailor.userId}`
  expect((await call(child, 'POST', membership)).status).toBe(200)
  const entry = { user_id: sailor.userId, permit: true, actions: ['viewbyok', 'keyupload'] }
  expect((await change(kms, [entry], child)).body.acls).toHaveLength(1)
  expect((await call(child, 'DELETE', membership)).status).toBe(200)
  const more = await change(kms, [entry], child)
  expect(more).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/acls/0/user_id' }] } })
  expect((await change(kms, [{ ...entry, permit: false }], child)).body.acls).toEqual([])
})

test('a group or user with permissions in 21 containers cannot be deleted, and with 20 loses all of them', async () => {
  await makeGroup('everywhere')
  const busy = await service().userIn(admin, 'busy', ['keymgr Users'])
  for (let n = 0; n < 39; n++)
    expect((await call(admin, 'POST', `${GROUPS}/squad-${n}/users/${busy.userId}`)).status).toBe(200)
  const acls = [
    { group: 'everywhere', permit: true, actions: ['view'] },
    { user_id: busy.userId, permit: true, actions: ['viewbyok'] },
  ]
  const entries: any[] = []
  for (let n = 0; n < 21; n++) entries.push(await made())
  for (const kms of entries) await set(kms, ...acls)
  const [one, ...twenty] = entries
  const kept = await aclsOf(one)
  const rename = { name: 'nowhere' }
  for (const [method, path, body] of [
    ['DELETE', `${GROUPS}/everywhere?force=true`, undefined],
    ['PATCH', `${GROUPS}/everywhere`, rename],
    ['DELETE', `/v1/usermgmt/users/${busy.userId}`, undefined],
  ] as const)
    expect(await call(admin, method, path, body), `${method} ${path}`).toMatchObject({ status: 409, body: { code: 9 } })
  expect(await aclsOf(one)).toEqual(kept)
  await set(one, ...acls.map((acl) => ({ ...acl, permit: false, actions: ['view'] })))
  expect((await call(admin, 'PATCH', `${GROUPS}/everywhere`, rename)).status).toBe(200)
  expect((await call(admin, 'DELETE', `/v1/usermgmt/users/${busy.userId}`)).status).toBe(200)
  expect((await call(admin, 'DELETE', `${GROUPS}/nowhere?force=true`)).status).toBe(200)
  for (const kms of twenty) expect(await aclsOf(kms)).toEqual([])
})

test('permissions end at the domain: a child knows its guests, but no groups of the root', async () => {
  const { child, userId } = await childAdmin(service())
  const kms = await made()
  await set(kms, { group: 'admin', permit: true, actions: ['view'] })
  expect((await call(child, 'GET', `${KMS}/${kms.id}`)).status).toBe(404)
  expect((await change(kms, [{ group: 'admin', permit: true, actions: ['view'] }], child)).status).toBe(404)
  expect(await seenBy(child)).toEqual([])
  const own = await entryOf(child, 'of-the-child')
  const guest = await change(own, [{ user_id: userId, permit: true, actions: ['viewbyok'] }], child)
  expect(guest.body.acls).toEqual([{ user_id: userId, actions: ['viewbyok'] }])
  const ofTheRoot = await change(own, [{ user_id: user.userId, permit: true, actions: ['view'] }], child)
  expect(ofTheRoot).toMatchObject({ status: 404, body: { errors: [{ pointer: '#/acls/0/user_id' }] } })
})

test('a stale If-Match changes no permissions', async () => {
  const kms = await made()
  const acls = [{ group: 'crew', permit: true, actions: ['view'] }]
  const stale = { token: admin, body: { acls }, headers: { 'if-match': '"5"' } }
  const answer = await service().call('POST', `${KMS}/${kms.id}/update-acls`, stale)
  expect(answer).toMatchObject({ status: 412, body: { code: 8 } })
})
