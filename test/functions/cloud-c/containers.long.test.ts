import { expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import { CLOUD_C, CONNECTIONS, PROJECT, RING, connectionBody, refused, useCloudC } from './cloud-c.ts'

const tests = useCloudC()
const PROJECTS = `${CLOUD_C}/projects`
const RINGS = `${CLOUD_C}/key-rings`
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

const ask = (method: string, path: string, body?: unknown) => tests().admin.call(method, path, body)
const ringsElsewhere = (): string[] =>
  tests()
    .cloud.rings()
    .filter((name) => name !== RING)
const addRing = (name: string, more: object = {}) =>
  ask('POST', `${CLOUD_C}/add-key-rings`, {
    connection: 'main',
    project_id: name.split('/')[1],
    key_rings: [{ name }],
    ...more,
  })

test('a connection shows the account of its key file, is tested, and never shows the file', async () => {
  const { admin, cloud } = tests()
  const [file] = cloud.keyFiles
  const made = await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'shown'))
  expect(made).toMatchObject({
    service: 'cloud-c',
    category: 'cloud',
    cloud_name: 'cloud-c',
    client_email: file.client_email,
    private_key_id: file.private_key_id,
    resource_url: `${CONNECTIONS}/${made.id}`,
    ready: false,
  })
  expect(await admin.ok('POST', `${CONNECTIONS}/shown/test`)).toEqual({ connection_ok: true })
  expect(await admin.ok('GET', `${CONNECTIONS}/shown`)).toMatchObject({ ready: true })
  const unsaved = '/v1/connectionmgmt/services/cloud-c/connection-test'
  expect(await admin.ok('POST', unsaved, { key_file: JSON.stringify(file) })).toEqual({ connection_ok: true })
  const wrong = { ...file, private_key: cloud.keyFiles[1]?.private_key ?? '' }
  const failed = await admin.ok('POST', unsaved, { key_file: JSON.stringify(wrong) })
  expect(failed).toMatchObject({ connection_ok: false, connection_failed_step: 'log_in' })
  const shown = JSON.stringify([made, failed, await admin.ok('GET', '/v1/audit/records?limit=-1')])
  for (const each of cloud.keyFiles) expect(shown).not.toContain(each.private_key.split('\n')[3])
})

test('another key file needs a new test of its connection', async () => {
  const { admin, cloud } = tests()
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'changing'))
  await admin.ok('POST', `${CONNECTIONS}/changing/test`)
  const [, visitor] = cloud.keyFiles
  const described = await admin.ok('PATCH', `${CONNECTIONS}/changing`, { description: 'why' })
  expect(described).toMatchObject({ ready: true, description: 'why' })
  const changed = await admin.ok('PATCH', `${CONNECTIONS}/changing`, { key_file: JSON.stringify(visitor) })
  expect(changed).toMatchObject({ ready: false, client_email: visitor?.client_email, description: 'why' })
  expect(changed).not.toHaveProperty('last_connection_ok')
})

test.each([
  ['no file', {}, 422, 2, ['#/key_file']],
  ['no JSON', { key_file: 'key' }, 422, 2, ['#/key_file']],
  ['a file of another kind', { key_file: '{"type":"authorized_user"}' }, 422, 2, ['#/key_file']],
  ['fields of another cloud', { key_file: '{}', access_key_id: 'AKIAEXAMPLE000000001' }, 400, 1, ['#/access_key_id']],
  ['an edition there is not', { key_file: '{}', cloud_name: 'cloud-a' }, 422, 2, ['#/cloud_name']],
])('a connection refuses %s', async (_what, body, status, code, fields) => {
  await refused(ask('POST', CONNECTIONS, { name: 'refused', ...body }), status, code, fields)
})

test('the projects and rings that a connection reaches are looked up page by page', async () => {
  const { admin, cloud } = tests()
  const { projects } = await admin.ok('POST', `${CLOUD_C}/get-projects`, { connection: 'main' })
  expect(projects).toContainEqual(expect.objectContaining({ project_id: PROJECT, number: '471100000010' }))
  const one = await admin.ok('POST', `${CLOUD_C}/get-projects`, { connection: 'main', page_size: 1 })
  expect(one.projects).toHaveLength(1)
  const next = { connection: 'main', page_size: 1, page_token: one.next_page_token }
  expect((await admin.ok('POST', `${CLOUD_C}/get-projects`, next)).projects).not.toEqual(one.projects)
  const at = { connection: 'main', project_id: PROJECT }
  const { locations } = await admin.ok('POST', `${CLOUD_C}/get-locations`, at)
  expect(locations).toContain('europe-west3')
  const { key_rings: rings } = await admin.ok('POST', `${CLOUD_C}/get-key-rings`, { ...at, location: 'europe-west3' })
  expect(rings.map(({ name }: any) => name)).toEqual(
    cloud.rings().filter((name) => name.startsWith(`projects/${PROJECT}/locations/europe-west3/`)),
  )
  const { roles } = await admin.ok('POST', `${CLOUD_C}/get-iam-roles`, at)
  expect(roles.length).toBeGreaterThan(0)
  await refused(ask('POST', `${CLOUD_C}/get-projects`, { connection: 'none' }), 404, 5, ['#/connection'])
})

test('a ring is added with its project, whose permissions it inherits, once each', async () => {
  const { admin, ring } = tests()
  expect(ring).toMatchObject({
    name: RING,
    key_ring_id: 'orders',
    project_id: PROJECT,
    location: 'europe-west3',
    connection: 'main',
    cloud_name: 'cloud-c',
    organization_display_name: 'shop.example',
    acls: [],
  })
  expect(ring).not.toHaveProperty('connection_id')
  const { resources } = await admin.ok('GET', `${PROJECTS}?project_id=${PROJECT}`)
  expect(resources).toMatchObject([{ project_id: PROJECT, name: 'Shop keys', connection: 'main' }])
  await refused(ask('POST', PROJECTS, { connection: 'main', project_id: PROJECT }), 409, 7, ['#/project_id'])
  await refused(addRing(RING), 409, 7, ['#/key_rings/0/name'])
  const given = { acls: [{ group: 'Key Users', permit: true, actions: ['keyupload'] }] }
  const acls = [{ group: 'Key Users', actions: ['keyupload', 'view'] }]
  expect(await admin.ok('POST', `${PROJECTS}/${resources[0].id}/update-acls`, given)).toMatchObject({ acls })
  const other = ringsElsewhere().find((name) => name.startsWith(`projects/${PROJECT}/`)) ?? ''
  expect((await addRing(other)).body.key_rings).toMatchObject([{ name: other, acls }])
  expect(await admin.ok('GET', `${RINGS}/${ring.id}`)).toMatchObject({ acls: [] })
})

test('a ring that the connection does not reach answers 404', async () => {
  await refused(ask('POST', PROJECTS, { connection: 'main', project_id: 'nobodys-project' }), 404, 5, ['#/project_id'])
  const absent = `projects/${PROJECT}/locations/europe-west3/keyRings/absent`
  await refused(addRing(absent), 404, 5, ['#/key_rings/0/name'])
  await refused(addRing(absent, { connection: 'none' }), 404, 5, ['#/connection'])
  await refused(addRing(absent, { project_id: 'another-project' }), 422, 2, ['#/key_rings'])
  await refused(addRing('orders', { project_id: PROJECT }), 422, 2, ['#/key_rings/0/name', '#/key_rings'])
})

test('lists of projects and rings answer their filters', async () => {
  const { admin, ring } = tests()
  const names = async (query: string): Promise<string[]> =>
    (await admin.ok('GET', `${RINGS}?limit=-1&${query}`)).resources.map(({ name }: any) => name)
  const all = await names('sort=name')
  expect(all).toEqual([...all].sort())
  expect(await names(`id=${ring.id}`)).toEqual([RING])
  expect(await names('key_ring_id=orders')).toEqual([RING])
  expect(await names('name=*%2Forders')).toEqual([RING])
  expect(await names('organization=shop.example&sort=name')).toEqual(all)
  expect(await names('connection=main')).toEqual(await names(`project_id=${PROJECT}`))
  expect(await names('location=nowhere')).toEqual([])
  await refused(ask('GET', `${RINGS}?rings=1`), 400, 1, ['rings'])
  await refused(ask('GET', `${PROJECTS}?sort=acls`), 400, 1, ['sort'])
  await refused(ask('GET', `${RINGS}/${NOTHING}`), 404, 5, [])
})

test('a container accepts only a connection that reaches it', async () => {
  const { admin, cloud, ring } = tests()
  const powerless = { ...cloud.keyFiles[0], private_key: cloud.keyFiles[1]?.private_key }
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'second'))
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'powerless', powerless))
  expect(await admin.ok('PATCH', `${RINGS}/${ring.id}`, { connection: 'second' })).toMatchObject({
    connection: 'second',
  })
  await refused(ask('PATCH', `${RINGS}/${ring.id}`, { connection: 'powerless' }), 422, 2, ['#/connection'])
  const [project] = (await admin.ok('GET', `${PROJECTS}?project_id=${PROJECT}`)).resources
  const changed = { connection: 'second', enable_success_audit_event: true }
  expect(await admin.ok('PATCH', `${PROJECTS}/${project.id}`, changed)).toMatchObject(changed)
  await refused(ask('DELETE', `${CONNECTIONS}/second`), 409, 9, [])
  await admin.ok('POST', '/v1/connectionmgmt/connections/second/delete', { force: true })
  expect(await admin.ok('GET', `${RINGS}/${ring.id}`)).not.toHaveProperty('connection')
  await refused(
    ask('POST', `${CLOUD_C}/keys`, {
      key_ring: RING,
      cloud_c_params: { key_name: 'lost', purpose: 'ENCRYPT_DECRYPT' },
    }),
    409,
    8,
    [],
  )
  for (const path of [`${RINGS}/${ring.id}`, `${PROJECTS}/${project.id}`])
    await admin.ok('PATCH', path, { connection: 'main' })
})

test('users see only containers with a permission, and lose it when they are deleted', async () => {
  const { admin, service, ring } = tests()
  const root = await service.logIn()
  const { token, userId } = await service.userIn(root, 'viewer', ['keymgr Users'])
  const as = (method: string, path: string, body?: unknown) => service.call(method, path, { token, body })
  await refused(as('GET', `${RINGS}/${ring.id}`), 404, 5, [])
  expect((await as('GET', RINGS)).body.total).toBe(0)
  const change = (permit: boolean, actions: string[]) => ({ acls: [{ user_id: userId, permit, actions }] })
  const path = `${RINGS}/${ring.id}/update-acls`
  await refused(ask('POST', path, change(true, ['keyrotate'])), 422, 2, ['#/acls/0/actions/0'])
  const permitted = await admin.ok('POST', path, change(true, ['keycreate', 'reportdownload']))
  expect(permitted.acls).toEqual([{ user_id: userId, actions: ['keycreate', 'reportdownload', 'reportview', 'view'] }])
  expect((await as('GET', RINGS)).body.resources).toMatchObject([{ name: RING }])
  await refused(as('POST', path, change(true, ['view'])), 403, 4, [])
  await admin.ok('DELETE', `/v1/usermgmt/users/${encodeURIComponent(userId)}`)
  expect(await admin.ok('GET', `${RINGS}/${ring.id}`)).toMatchObject({ acls: [] })
})

test('containers of one domain are not visible to another', async () => {
  const { service, ring, cloud } = tests()
  const { child: token } = await childAdmin(service, 'tenant')
  const as = (method: string, path: string, body?: unknown) => service.call(method, path, { token, body })
  await refused(as('GET', `${RINGS}/${ring.id}`), 404, 5, [])
  await refused(as('POST', `${RINGS}/${ring.id}/remove-key-ring`), 404, 5, [])
  await refused(as('POST', `${CLOUD_C}/get-projects`, { connection: 'main' }), 404, 5, ['#/connection'])
  expect((await as('POST', CONNECTIONS, connectionBody(cloud, 'main'))).status).toBe(201)
  const body = { connection: 'main', project_id: PROJECT, key_rings: [{ name: RING }] }
  expect((await as('POST', `${CLOUD_C}/add-key-rings`, body)).status).toBe(201)
})

test('a project with rings cannot be removed; removing a ring removes the records of its keys, not the keys', async () => {
  const { admin, cloud } = tests()
  const { resources } = await admin.ok('GET', `${RINGS}?limit=-1`)
  const other = resources.find(({ name }: any) => name !== RING)
  const [project] = (await admin.ok('GET', `${PROJECTS}?project_id=${PROJECT}`)).resources
  const key = await admin.ok('POST', `${CLOUD_C}/keys`, {
    key_ring: other.name,
    cloud_c_params: { key_name: 'going', purpose: 'ENCRYPT_DECRYPT' },
  })
  await refused(ask('DELETE', `${PROJECTS}/${project.id}`), 409, 9, [])
  expect(await admin.ok('POST', `${RINGS}/${other.id}/remove-key-ring`)).toEqual({ status: 204 })
  await refused(ask('GET', `${CLOUD_C}/keys/${key.id}`), 404, 5, [])
  expect((await admin.ok('GET', `${CLOUD_C}/keys`)).total).toBe(0)
  expect(cloud.keyOf(key.cloud_c_params.name as string)?.versions).toHaveLength(1)
  await admin.ok('POST', `${RINGS}/${tests().ring.id}/remove-key-ring`)
  expect(await admin.ok('DELETE', `${PROJECTS}/${project.id}`)).toEqual({ status: 204 })
})
