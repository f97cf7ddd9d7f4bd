import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { childAdmin } from '../../support/callers.ts'
import {
  CLOUD_D,
  CONNECTIONS,
  connectionBody,
  INVOICES,
  ORDERS,
  refused,
  REGION,
  useCloudD,
  vaultId,
  VAULTS,
} from './cloud-d.ts'

const tests = useCloudD()
const TENANCY = `${CLOUD_D}/tenancy`
const COMPARTMENTS = `${CLOUD_D}/compartments`
const UNSAVED = '/v1/connectionmgmt/services/cloud-d/connection-test'
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

const ask = (method: string, path: string, body?: unknown) => tests().admin.call(method, path, body)
const ok = (method: string, path: string, body?: unknown): Promise<any> => tests().admin.ok(method, path, body)
const body = (name: string, more: object = {}): any => ({ ...connectionBody(tests().cloud, name), ...more })
const addVaults = (names: string[], more: object = {}) =>
  ask('POST', `${CLOUD_D}/add-vaults`, {
    connection: 'main',
    region: REGION,
    vault_id: names.map((name) => vaultId(tests().cloud, name)),
    ...more,
  })

test('a connection shows whose key it has, is tested, and never shows the key', async () => {
  const { cloud, admin } = tests()
  const [credentials] = cloud.credentials
  const made = await ok('POST', CONNECTIONS, body('shown'))
  expect(made).toMatchObject({
    service: 'cloud-d',
    category: 'cloud',
    cloud_name: 'cloud-d',
    tenancy_id: credentials.tenancyId,
    cloud_user_id: credentials.userId,
    fingerprint: credentials.fingerprint,
    region: REGION,
    ready: false,
  })
  expect(made).not.toHaveProperty('credentials')
  expect(await ok('POST', `${CONNECTIONS}/shown/test`)).toEqual({ connection_ok: true })
  expect(await ok('GET', `${CONNECTIONS}/shown`)).toMatchObject({ ready: true })
  const { name: _name, ...unsaved } = body('unsaved')
  expect(await ok('POST', UNSAVED, unsaved)).toEqual({ connection_ok: true })
  const stranger = { ...unsaved, cloud_user_id: cloud.credentials[1]?.userId }
  const failed = await ok('POST', UNSAVED, stranger)
  expect(failed).toMatchObject({
    connection_error: expect.stringContaining('NotAuthenticated'),
    connection_failed_step: 'log_in',
  })
  const shown = JSON.stringify([made, failed, await admin.ok('GET', '/v1/audit/records?limit=-1')])
  for (const each of cloud.credentials) expect(shown).not.toContain(each.privateKey.split('\n')[3])
})

test('a protected key file is opened with its pass phrase', async () => {
  const { cloud } = tests()
  const key = createPrivateKey(cloud.credentials[0].privateKey)
  const key_file = key
    .export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'open sesame' })
    .toString()
  const { name: _name, ...unsaved } = body('protected')
  const withPhrase = { ...unsaved, credentials: { key_file, pass_phrase: 'open sesame' } }
  expect(await ok('POST', UNSAVED, withPhrase)).toEqual({ connection_ok: true })
  const wrong = { ...unsaved, credentials: { key_file, pass_phrase: 'guessed' } }
  await refused(ask('POST', UNSAVED, wrong), 422, 2, ['#/credentials/key_file'])
})

test('other credentials of a connection need a new test, and have a new fingerprint', async () => {
  const { cloud } = tests()
  await ok('POST', CONNECTIONS, body('changing'))
  await ok('POST', `${CONNECTIONS}/changing/test`)
  const { fingerprint, credentials, cloud_user_id } = connectionBody(cloud, 'visitor', 1)
  expect(await ok('PATCH', `${CONNECTIONS}/changing`, { description: 'why' })).toMatchObject({ ready: true })
  await refused(ask('PATCH', `${CONNECTIONS}/changing`, { fingerprint }), 422, 2, ['#/fingerprint'])
  await refused(ask('PATCH', `${CONNECTIONS}/changing`, { credentials }), 422, 2, ['#/fingerprint'])
  const changed = await ok('PATCH', `${CONNECTIONS}/changing`, { cloud_user_id, fingerprint, credentials })
  expect(changed).toMatchObject({ ready: false, fingerprint, description: 'why' })
})

const [SHORT, CURVE] = [
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
].map((key) => key.export({ format: 'pem', type: 'pkcs8' }).toString())

test.each([
  ['no credentials', { credentials: undefined }, 422, 2, ['#/credentials']],
  ['a key file that is none', { credentials: { key_file: 'key' } }, 422, 2, ['#/credentials/key_file']],
  ['a short key', { credentials: { key_file: SHORT } }, 422, 2, ['#/credentials/key_file']],
  ['a key that is not RSA', { credentials: { key_file: CURVE } }, 422, 2, ['#/credentials/key_file']],
  ['the fingerprint of another key', { fingerprint: Array(16).fill('00').join(':') }, 422, 2, ['#/fingerprint']],
  ['a tenancy that is none', { tenancy_id: 'shop' }, 422, 2, ['#/tenancy_id']],
  ['a realm that is not known', { tenancy_id: 'ocid1.tenancy.oc99..aaaa' }, 422, 2, ['#/tenancy_id']],
  ['a region that would be a host', { region: 'evil.example/' }, 422, 2, ['#/region']],
  ['fields of another cloud', { access_key_id: 'AKIAEXAMPLE000000001' }, 400, 1, ['#/access_key_id']],
])('a connection refuses %s', async (_what, more, status, code, fields) => {
  await refused(ask('POST', CONNECTIONS, body('refused', more)), status, code, fields)
})

test('regions, compartments, vaults and tags that a connection reaches are looked up', async () => {
  const look = (what: string, more: object = {}) => ok('POST', `${CLOUD_D}/${what}`, { connection: 'main', ...more })
  const { regions } = await look('get-subscribed-regions')
  expect(regions).toContainEqual({ name: REGION, key: 'FRA', is_home: true, status: 'READY' })
  const { compartments } = await look('get-compartments')
  expect(compartments[0]).toMatchObject({ compartment_id: tests().cloud.credentials[0].tenancyId, name: 'shop' })
  expect(compartments.map(({ name }: any) => name).sort()).toEqual(['archive', 'invoices', 'orders', 'shop'])
  const below = await look('get-compartments', { compartment_id: ORDERS })
  expect(below.compartments).toMatchObject([{ name: 'invoices', parent_id: ORDERS, lifecycle_state: 'ACTIVE' }])
  const one = await look('get-compartments', { limit: 1 })
  const next = await look('get-compartments', { limit: 1, nextpage: one.nextpage })
  expect(next.compartments).toHaveLength(1)
  expect(next.compartments).not.toEqual(one.compartments.slice(1))
  const { vaults } = await look('get-vaults', { compartment_id: ORDERS, region: REGION })
  expect(vaults.map(({ display_name }: any) => display_name).sort()).toEqual(['orders', 'safe'])
  expect((await look('get-vaults', { compartment_id: ORDERS, region: 'us-ashburn-1' })).vaults).toEqual([])
  const buckets = { compartment_id: ORDERS, region: REGION }
  expect(await look('storage/list-buckets', buckets)).toEqual({
    buckets: [{ name: 'key-backups', namespace: 'shopkeys' }],
  })
  expect(await look('storage/list-buckets', { ...buckets, namespace: 'shopkeys', region: 'us-ashburn-1' })).toEqual({
    buckets: [{ name: 'pictures', namespace: 'shopkeys' }],
  })
  expect(await look('get-defined-tags')).toEqual({ defined_tags: { operations: ['cost-centre', 'owner'] } })
})

test('compartments that the connection may not read are not listed', async () => {
  await ok('POST', CONNECTIONS, connectionBody(tests().cloud, 'visitor', 1))
  const look = (connection: string, more: object) =>
    ask('POST', `${CLOUD_D}/get-vaults`, { connection, region: REGION, compartment_id: ORDERS, ...more })
  await refused(look('visitor', {}), 404, 16, [])
  expect((await look('visitor', { compartment_id: INVOICES })).status).toBe(200)
  await refused(look('nobody', {}), 404, 5, ['#/connection'])
  await refused(look('main', { compartment_id: 'orders' }), 422, 2, ['#/compartment_id'])
  await refused(look('main', { region: 'frankfurt.example/x' }), 422, 2, ['#/region'])
})

test('a vault is added with its tenancy, found by name and by both ids, and shown as the cloud describes it', async () => {
  const { vault, cloud } = tests()
  expect(vault).toMatchObject({
    vault_id: vaultId(cloud, 'orders'),
    name: 'orders',
    display_name: 'orders',
    compartment_id: ORDERS,
    compartment_name: 'orders',
    tenancy: 'shop',
    region: REGION,
    connection: 'main',
    cloud_name: 'cloud-d',
    lifecycle_state: 'ACTIVE',
    vault_type: 'DEFAULT',
    is_primary: true,
    defined_tags: {},
    freeform_tags: {},
    acls: [],
  })
  expect(vault).not.toHaveProperty('connection_id')
  expect(await ok('GET', `${VAULTS}/${vault.id}`)).toEqual(vault)
  for (const query of [
    `vault_id=${vault.vault_id}`,
    'display_name=orders',
    'name=ord*',
    'tenancy=shop&vault_type=DEFAULT',
  ])
    expect((await ok('GET', `${VAULTS}?${query}`)).resources).toContainEqual(vault)
  const { resources } = await ok('GET', `${TENANCY}?tenancy=shop`)
  expect(resources).toMatchObject([{ tenancy: 'shop', tenancy_id: cloud.credentials[0].tenancyId, connection: 'main' }])
  await refused(ask('DELETE', `${TENANCY}/${resources[0].id}`), 409, 9, [])
  await refused(ask('POST', `${CLOUD_D}/add-tenancy`, { connection: 'main' }), 409, 7, ['#/connection'])
})

test('a tenancy is added with its first vault and removed with its last', async () => {
  const { cloud } = tests()
  const at = cloud.credentials.findIndex(({ userName }) => userName.endsWith('bank.example'))
  await ok('POST', CONNECTIONS, connectionBody(cloud, 'bank', at))
  const added = await ok('POST', `${CLOUD_D}/add-tenancy`, { connection: 'bank' })
  expect(added).toMatchObject({ tenancy: 'bank', connection: 'bank' })
  expect(await ok('DELETE', `${TENANCY}/${added.id}`)).toEqual({ status: 204 })
  await refused(ask('GET', `${TENANCY}/${added.id}`), 404, 5, [])
})

test('compartments are added, listed and removed', async () => {
  const add = (ids: string[]) => ask('POST', `${CLOUD_D}/add-compartments`, { connection: 'main', compartment_id: ids })
  const { status, body: added } = await add([ORDERS, INVOICES])
  expect(status).toBe(201)
  expect(added.compartments).toMatchObject([
    { name: 'orders', compartment_id: ORDERS, tenancy: 'shop', connection: 'main', lifecycle_state: 'ACTIVE' },
    { name: 'invoices', compartment_id: INVOICES, parent_id: ORDERS },
  ])
  await refused(add([INVOICES]), 409, 7, ['#/compartment_id/0'])
  await refused(add(['ocid1.compartment.oc1..none']), 404, 5, ['#/compartment_id/0'])
  await refused(add([ORDERS, ORDERS]), 422, 2, ['#/compartment_id'])
  expect((await ok('GET', `${COMPARTMENTS}?name=inv*`)).resources).toMatchObject([{ compartment_id: INVOICES }])
  const [first] = added.compartments
  expect(await ok('DELETE', `${COMPARTMENTS}/${first.id}`)).toEqual({ status: 204 })
  expect((await ok('GET', COMPARTMENTS)).total).toBe(1)
})

test('an existing vault, or one that is not reached, is not added, and neither are the others of the request', async () => {
  await refused(addVaults(['orders', 'invoices']), 409, 7, ['#/vault_id/0'])
  await refused(addVaults(['invoices', 'overseas']), 404, 5, ['#/vault_id/1']) // the second one is in another region
  await refused(addVaults(['invoices'], { bucket_name: 'key-backups' }), 422, 2, ['#/bucket_name'])
  await refused(addVaults(['invoices'], { vault_id: ['invoices'] }), 422, 2, ['#/vault_id/0'])
  expect((await ok('GET', VAULTS)).total).toBe(1)
})

test('a vault gets another connection that reaches it, and a bucket', async () => {
  const { vault } = tests()
  const update = (changes: object) => ask('PATCH', `${VAULTS}/${vault.id}`, changes)
  await ok('POST', CONNECTIONS, body('other'))
  await ok('POST', CONNECTIONS, connectionBody(tests().cloud, 'reader', 1))
  await refused(update({ connection: 'reader' }), 422, 2, ['#/connection'])
  expect((await update({ connection: 'other' })).body).toMatchObject({ connection: 'other' })
  await refused(update({ bucket_name: 'key-backups' }), 422, 2, ['#/bucket_name'])
  const bucket = { bucket_name: 'key-backups', bucket_namespace: 'shopkeys' }
  expect((await update({ ...bucket, connection: 'main' })).body).toMatchObject({ ...bucket, connection: 'main' })
  const cleared = (await update({ bucket_name: null, bucket_namespace: null })).body
  expect(cleared).not.toHaveProperty('bucket_name')
})

test('permissions are granted and revoked, and a vault without a view does not exist', async () => {
  const { vault, user } = tests()
  const { sub: id, holder } = await user('vault-user', ['keymgr Users'])
  await refused(holder.call('GET', `${VAULTS}/${vault.id}`), 404, 5, [])
  const permit = (actions: string[], yes = true) =>
    ok('POST', `${VAULTS}/${vault.id}/update-acls`, { acls: [{ user_id: id, permit: yes, actions }] })
  expect((await permit(['keycreate'])).acls).toEqual([{ user_id: id, actions: ['view', 'keycreate'].sort() }])
  expect((await holder.ok('GET', VAULTS)).total).toBe(1)
  await refused(holder.call('DELETE', `${VAULTS}/${vault.id}`), 403, 4, [])
  expect((await permit(['view', 'keycreate'], false)).acls).toEqual([])
  const wrong = { acls: [{ user_id: id, permit: true, actions: ['keydestroy'] }] }
  await refused(ask('POST', `${VAULTS}/${vault.id}/update-acls`, wrong), 422, 2, ['#/acls/0/actions/0'])
})

test('another domain sees none of it', async () => {
  const { vault, service } = tests()
  const { child: token } = await childAdmin(service, 'elsewhere')
  const there = (path: string) => service.root.call('GET', path, { token })
  for (const path of [`${VAULTS}/${vault.id}`, `${VAULTS}/${NOTHING}`]) await refused(there(path), 404, 5, [])
  for (const path of [VAULTS, TENANCY]) expect((await there(path)).body).toMatchObject({ total: 0 })
})

test('removing a vault removes the records of its keys, and leaves the cloud unchanged', async () => {
  const { cloud, service } = tests()
  const added = await addVaults(['invoices'])
  expect(added.status, JSON.stringify(added.body)).toBe(201)
  const [invoices] = added.body.vaults
  cloud.seed(vaultId(cloud, 'invoices'), 3)
  await ok('POST', `${CLOUD_D}/synchronization-jobs`, { cloud_d_vaults: [invoices.id] })
  await service.deployment.flows.idle()
  expect((await ok('GET', `${CLOUD_D}/keys?vault_id=${invoices.vault_id}`)).total).toBe(3)
  expect(await ok('DELETE', `${VAULTS}/${invoices.id}`)).toEqual({ status: 204 })
  expect((await ok('GET', `${CLOUD_D}/keys`)).total).toBe(0)
  expect(cloud.keysIn(invoices.vault_id)).toHaveLength(3)
})
