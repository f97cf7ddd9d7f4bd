import { expect, test } from 'vitest'
import { CONNECTIONS, connectionBody, DATACUST, groupNamed, mainBody, refused, useDatacustCloud } from './datacust.ts'

const datacust = useDatacustCloud()

test('saving a connection activates its technical user once; later log-ins use the new secret', async () => {
  const { admin, cloud } = datacust()
  const body = connectionBody(cloud, 'technical', 'keymgr-2')
  const { api_key, secret } = body.technical_user_credentials
  const unsaved = { ...body, name: undefined }
  const early = await admin.ok('POST', CONNECTIONS.replace(/connections$/, 'connection-test'), unsaved)
  expect(early).toMatchObject({ connection_ok: false, connection_error: expect.stringContaining('activation') })
  expect(cloud.credentials().find(({ apiKey }) => apiKey === api_key)?.isActivated).toBe(false)

  const connection = await admin.ok('POST', CONNECTIONS, body)
  expect(connection.technical_user_credentials).toEqual({ api_key })
  expect(JSON.stringify(connection)).not.toContain(secret)
  const now = cloud.credentials().find(({ apiKey }) => apiKey === api_key)
  expect(now).toMatchObject({ isActivated: true })
  expect(now?.secret).not.toBe(secret)
  expect(await admin.ok('POST', `${CONNECTIONS}/technical/test`, {})).toEqual({ connection_ok: true })
  expect(cloud.calls().filter(({ operation }) => operation === 'ActivateCredential')).toHaveLength(1)

  const again = await admin.call('POST', CONNECTIONS, { ...body, name: 'again' })
  expect([again.status, again.body.code]).toEqual([422, 16])
  expect(again.body.detail).toContain('Datacust refused: HTTP 401')
  expect(again.body.errors).toMatchObject([{ pointer: '#/technical_user_credentials/secret' }])
  await refused(admin.call('GET', `${CONNECTIONS}/again`), 404, 5, [])
})

test('a refusal after the activation names the secret that was used up', async () => {
  const { admin, cloud } = datacust()
  const given = connectionBody(cloud, 'raced', 'keymgr-4')
  const meanwhile = (after: () => Promise<unknown>) =>
    cloud.inject({
      fault: 'observe',
      operation: 'ActivateCredential',
      times: 1,
      after: () => after().then(() => undefined),
    })
  meanwhile(() => admin.ok('POST', CONNECTIONS, { ...mainBody(cloud), name: 'raced' }))
  const taken = await admin.call('POST', CONNECTIONS, given)
  expect([taken.status, taken.body.code]).toEqual([409, 7])
  expect(taken.body.detail).toContain('is used up')
  expect(JSON.stringify(taken.body)).not.toContain(given.technical_user_credentials.secret)

  const { technical_user_credentials } = connectionBody(cloud, 'raced', 'keymgr-5')
  meanwhile(() => admin.ok('DELETE', `${CONNECTIONS}/raced`))
  const gone = await admin.call('PATCH', `${CONNECTIONS}/raced`, { technical_user_credentials })
  expect([gone.status, gone.body.code]).toEqual([404, 5])
  expect(gone.body.detail).toContain('is used up')
  const { resources } = await admin.ok('GET', '/v1/audit/records?success=false&limit=1')
  expect(resources).toMatchObject([{ errorMessage: expect.stringContaining('is used up') }])
})

test('a name that is taken is refused before the activation', async () => {
  const { admin, cloud } = datacust()
  const body = connectionBody(cloud, 'main', 'keymgr-3')
  await refused(admin.call('POST', CONNECTIONS, body), 409, 7, ['#/name'])
  const { api_key } = body.technical_user_credentials
  expect(cloud.credentials().find(({ apiKey }) => apiKey === api_key)?.isActivated).toBe(false)
})

test('exactly one user, and only the version of the key service that is spoken', async () => {
  const { admin, cloud } = datacust()
  const body = connectionBody(cloud, 'wrong', 'keymgr-3')
  const { technical_user_credentials: technical, ...rest } = body
  const user_credentials = { tenant: 'shop', user: 'ada', secret: 'secret of ada' }
  const of = '#/technical_user_credentials'
  await refused(admin.call('POST', CONNECTIONS, rest), 422, 2, [of])
  await refused(admin.call('POST', CONNECTIONS, { ...body, user_credentials }), 422, 2, [of])
  for (const path of ['/kms/v1', '/kms', '', '/kms/v2/more', '/kms/v2?a=b']) {
    const api_endpoint = `${cloud.endpoint}${path}`
    const asked = { ...rest, technical_user_credentials: technical, api_endpoint }
    await refused(admin.call('POST', CONNECTIONS, asked), 422, 2, ['#/api_endpoint'])
  }
  for (const api_endpoint of ['http://kms.example.test/kms/v2', 'https://10.0.0.1/kms/v2', 'https://a:b@x.test/kms/v2'])
    await refused(admin.call('POST', CONNECTIONS, { ...body, api_endpoint }), 422, 2, ['#/api_endpoint'])
})

test('a new address needs the credentials again, so that no saved secret is sent there', async () => {
  const { admin, cloud } = datacust()
  const at = `${CONNECTIONS}/moving`
  const body = { ...mainBody(cloud), name: 'moving' }
  const { user_credentials } = await admin.ok('POST', CONNECTIONS, body)
  const moved = { api_endpoint: 'https://kms.example.test/kms/v2' }
  const calls = cloud.calls().length
  await refused(admin.call('PATCH', at, moved), 422, 2, ['#/api_endpoint'])
  await refused(admin.call('POST', `${at}/test`, moved), 422, 2, ['#/api_endpoint'])
  expect(cloud.calls()).toHaveLength(calls)
  const { api_endpoint } = body
  expect(await admin.ok('PATCH', at, { api_endpoint, description: 'as before' })).toMatchObject({ api_endpoint })
  expect(await admin.ok('POST', `${at}/test`, { api_endpoint })).toEqual({ connection_ok: true })
  const again = { ...moved, user_credentials: body.user_credentials }
  expect(await admin.ok('PATCH', at, again)).toMatchObject({ ...moved, user_credentials })
})

test('users of an identity service get the reason why their password is refused', async () => {
  const { admin, cloud } = datacust()
  const bank = cloud.tenants.find(({ name }) => name === 'bank')
  const [person] = bank?.people ?? []
  const user_credentials = { tenant: 'bank', user: person?.username, secret: person?.password }
  await admin.ok('POST', CONNECTIONS, { name: 'bank', api_endpoint: cloud.apiEndpoint, user_credentials })
  const tested = await admin.ok('POST', `${CONNECTIONS}/bank/test`, {})
  expect(tested).toMatchObject({ connection_ok: false, connection_error: expect.stringContaining('technical user') })
  expect(tested.connection_failed_step).toBe('log_in')
})

test('groups are found, added once, and have applications', async () => {
  const { admin, cloud, groups } = datacust()
  const { groups: found } = await admin.ok('POST', `${DATACUST}/get-groups`, { connection: 'main' })
  expect(found.map(({ name }: any) => name)).toEqual(expect.arrayContaining(['analytics', 'finance', 'outpost']))
  expect(found.map(({ id }: any) => id)).toEqual(found.map(({ group_id }: any) => group_id))
  expect(groups.outpost).toMatchObject({ keystore_provider: 'AWS', connection: 'main', acls: [] })
  const body = { connection: 'main', group_id: [groupNamed(cloud, 'finance').id] }
  await refused(admin.call('POST', `${DATACUST}/add-groups`, body), 409, 7, ['#/group_id/0'])
  await refused(admin.call('POST', `${DATACUST}/add-groups`, { ...body, group_id: ['else'] }), 404, 5, ['#/group_id/0'])
  const quoted = { ...body, group_id: ["x' or id ne '"] }
  await refused(admin.call('POST', `${DATACUST}/add-groups`, quoted), 422, 2, ['#/group_id/0'])
  const listed = await admin.ok('GET', `${DATACUST}/applications?group=finance`)
  expect(listed.resources).toEqual([
    { id: expect.any(String), name: 'finance in production', group_id: groups.finance.group_id },
  ])
  const all = await admin.ok('GET', `${DATACUST}/applications`)
  expect(all.resources.map(({ group_id }: any) => group_id).sort()).toEqual(
    ['analytics', 'finance', 'outpost'].map((name) => groups[name].group_id).sort(),
  )
  const reach = { connection: 'main' }
  expect(await admin.ok('POST', `${DATACUST}/get-service-connectability`, reach)).toEqual({ connectable: true })
})

test('a group is read anew through its connection, and shown to those who may see it', async () => {
  const { admin, groups, user } = datacust()
  const at = `${DATACUST}/groups/${groups.finance.id as string}`
  expect(await admin.ok('PATCH', at, { connection: 'main' })).toMatchObject({ group_id: groups.finance.group_id })
  const { holder, sub } = await user('finance-reader', ['keymgr Users'])
  expect((await holder.call('GET', at)).status).toBe(404)
  const acls = [{ user_id: sub, permit: true, actions: ['view'] }]
  expect((await admin.ok('POST', `${at}/update-acls`, { acls })).acls).toEqual([{ user_id: sub, actions: ['view'] }])
  expect(await holder.ok('GET', at)).toMatchObject({ name: 'finance' })
  await admin.ok('POST', `${at}/update-acls`, { acls: [{ ...acls[0], permit: false }] })
})

test('one log-in serves many calls, and an ended token causes one more', async () => {
  const { admin, cloud } = datacust()
  const logIns = () => cloud.calls().filter(({ operation }) => operation === 'LogIn').length
  await admin.ok('GET', `${DATACUST}/applications?group=finance`)
  const before = logIns()
  await admin.ok('GET', `${DATACUST}/applications?group=finance`)
  expect(logIns()).toBe(before)
  const [shop] = cloud.tenants
  cloud.endTokens(shop?.id ?? '')
  expect((await admin.ok('GET', `${DATACUST}/applications?group=finance`)).total).toBe(1)
  expect(logIns()).toBe(before + 1)
})
