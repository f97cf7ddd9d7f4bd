import { createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { DATACUST, JOBS, KEYS, keysOf, refused, useDatacustCloud } from './datacust.ts'

const datacust = useDatacustCloud()

const own = () => keysOf(datacust().admin)
const local = (body: object = {}): Promise<any> =>
  datacust().admin.create({ name: `l-${randomUUID()}`, algorithm: 'aes', size: 256, ...body })
/** The public half of a private key. */
const halfOf = (key: string | Buffer): string =>
  createPublicKey(typeof key === 'string' ? key : ({ key, format: 'der', type: 'pkcs8' } as never))
    .export({ format: 'pem', type: 'spki' })
    .toString()

test('an AES key is uploaded unchanged, and its description keeps the cloud’s fields', async () => {
  const material = Buffer.alloc(32, 7).toString('hex')
  const source = await local({ material })
  const key = await own().upload('aes', source.id)
  expect(key).toMatchObject({
    status: 'AVAILABLE',
    cloud_name: 'datacust',
    origin: 'keymgr',
    source_key_identifier: source.id,
    source_key_type: 'AES',
    source_key_tier: 'local',
    cckm_group_id: datacust().groups.finance.id,
    datacust_group_name: 'finance',
    datacust_application: 'DATABASE',
    auto_rotate: false,
    gone: false,
  })
  expect(key.datacust_param).toMatchObject({
    name: 'aes',
    type: 'AES',
    size: 256,
    operations: ['DECRYPT', 'ENCRYPT'],
    enabled: true,
    exportable: false,
    role: 'UNSPECIFIED', // the group's application has no master key
    meta: { imported: true, primaryVersion: 0, totalVersions: 1, templateGenerated: false },
  })
  expect((await datacust().bytesOf(key))?.toString('hex')).toBe(material)
})

test.each([
  ['RSA', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ['EC', () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey],
])('an %s key arrives with its public half', async (type, generate) => {
  const material = generate().export({ format: 'pem', type: 'pkcs8' }).toString()
  const { id } = await local({ algorithm: type.toLowerCase(), size: undefined, material })
  const operations = ['SIGN', 'VERIFY']
  const key = await own().upload('pair', id as string, { type, operations })
  expect(key.datacust_param).toMatchObject({ type, operations })
  expect(halfOf((await datacust().bytesOf(key)) ?? Buffer.alloc(0))).toBe(halfOf(material))
})

test('the default role becomes that of the application; a named role is never replaced', async () => {
  const { id } = await local()
  const master = await own().upload('master', id as string, { group: 'analytics' })
  expect(master.datacust_param.role).toBe('SAC_MASTER_KEY')
  const named = await own().tryUpload('named', id as string, { role: 'MASTER_KEY' })
  expect([named.status, named.body.code]).toEqual([422, 16])
  const other = await own().upload('data', id as string, { role: 'DATA_KEY' })
  expect(other.datacust_param.role).toBe('DATA_KEY')
})

test('a group of AWS gets an empty key first, and a new wrapping version for each rotation', async () => {
  const { cloud } = datacust()
  const before = cloud.calls().length
  const key = await own().upload('away', (await local()).id as string, { group: 'outpost' })
  const names = () =>
    cloud
      .calls()
      .slice(before)
      .map(({ operation }) => operation)
      .filter((name) => ['ListGroups', 'CreateKey', 'GetPublicKey', 'UnwrapKey', 'CreateVersion'].includes(name))
  expect(names().slice(0, 2)).toEqual(['ListGroups', 'CreateKey']) // the default role is refused
  expect(names().slice(2)).toEqual(['CreateKey', 'CreateKey', 'GetPublicKey', 'UnwrapKey'])
  const unwrap = cloud.calls().findLast(({ operation }) => operation === 'UnwrapKey')
  expect(Object.keys(unwrap?.body ?? {})).toEqual(['targetKeyId']) // the log omits wrapped material
  expect(key.datacust_param).toMatchObject({ enabled: true, keystoreContext: { nativeId: expect.any(String) } })
  const source = (await local()).id
  const version = await datacust().admin.ok('POST', `${KEYS}/${key.id as string}/versions`, {
    source_key_identifier: source,
  })
  expect(version).toMatchObject({ version: 1, is_primary: true, origin: 'keymgr', local_key_id: source })
  expect(version).toMatchObject({ source_key_version: 0 })
  for (const of of [source, key.local_key_id])
    expect((await own().list(`?local_key_id=${of as string}`)).resources).toMatchObject([{ id: key.id }])
  expect((await own().list(`?local_key_id=${source as string}&status=DELETED`)).total).toBe(0)
  expect((await own().list('?local_key_id=none')).total).toBe(0)
  const { resources } = await datacust().admin.ok('GET', '/v1/keymgr/key-totals')
  const { total, lives } = resources.find(({ place }: { place: string }) => place === 'datacust')
  expect(total).toBe((await own().list('?limit=1')).total)
  expect(lives.in_use).toBe((await own().list('?status=AVAILABLE&limit=1')).total)
  expect(names().slice(-3)).toEqual(['CreateVersion', 'GetPublicKey', 'UnwrapKey'])
})

test('an empty key of AWS that cannot be filled is deleted', async () => {
  const { cloud, groups } = datacust()
  const source = (await local()).id as string
  const before = cloud.keysIn(groups.outpost.group_id as string).filter(({ name }) => name === 'unfilled').length
  cloud.inject({ fault: 'refuse', operation: 'UnwrapKey', status: 400, message: 'Not today.', times: 1 })
  const { status, body } = await own().tryUpload('unfilled', source, { group: 'outpost' })
  expect([status, body.code, body.detail]).toEqual([422, 16, expect.stringContaining('Not today.')])
  expect(cloud.keysIn(groups.outpost.group_id as string).filter(({ name }) => name === 'unfilled')).toHaveLength(before)
})

test('properties that a group does not support are refused before any call', async () => {
  const { cloud, admin } = datacust()
  const { id: aes } = await local()
  const { id: rsa } = await local({ algorithm: 'rsa', size: 2048 })
  const { id: ec } = await local({ algorithm: 'ec', size: undefined, curveid: 'prime256v1' })
  const { id: kept } = await local({ unexportable: true })
  const before = cloud.calls().length
  const both = { type: 'RSA', operations: ['ENCRYPT', 'SIGN'], group: 'outpost' }
  const SOURCE = '#/source_key_identifier'
  await refused(own().tryUpload('x', aes as string, { operations: ['SIGN'] }), 422, 2, ['#/operations'])
  await refused(own().tryUpload('x', rsa as string, both), 422, 2, ['#/operations'])
  await refused(own().tryUpload('x', aes as string, { type: 'RSA', operations: ['SIGN'] }), 422, 2, ['#/type'])
  await refused(own().tryUpload('x', ec as string, { type: 'EC', operations: ['SIGN'], group: 'outpost' }), 422, 2, [
    '#/type',
  ])
  await refused(own().tryUpload('x', aes as string, { group: 'outpost', exportable: true }), 422, 2, ['#/exportable'])
  await refused(own().tryUpload('x', 'else'), 404, 5, [SOURCE])
  await refused(own().tryUpload('x', aes as string, { group: 'else' }), 404, 5, ['#/group'])
  expect((await own().tryUpload('x', kept as string)).status).toBe(403)
  await refused(own().tryCreate('x', { size: undefined }), 422, 2, ['#/size'])
  await refused(own().tryCreate('x', { type: 'EC', operations: ['SIGN'] }), 422, 2, ['#/size', '#/curve'])
  await refused(own().tryCreate('x', { operations: [] }), 422, 2, ['#/operations'])
  expect(cloud.calls()).toHaveLength(before)
  expect((await admin.call('GET', `${KEYS}/${aes as string}`)).status).toBe(400)
})

test('a native key is edited, gets versions, and its versions are changed', async () => {
  const { admin } = datacust()
  const key = await own().create('native', { description: 'first' })
  expect(key).toMatchObject({ origin: 'native', status: 'AVAILABLE' })
  const at = `${KEYS}/${key.id as string}`
  const edited = await admin.ok('PATCH', at, { description: 'second', operations: ['ENCRYPT'] })
  expect(edited.datacust_param).toMatchObject({ description: 'second', operations: ['ENCRYPT'] })
  expect((await admin.ok('PATCH', at, { description: null })).datacust_param.description).toBe('')
  expect(await admin.ok('PATCH', at, { enabled: false })).toMatchObject({ status: 'DISABLED' })
  await admin.ok('PATCH', at, { enabled: true })
  await refused(admin.call('PATCH', at, { operations: ['SIGN'] }), 422, 2, ['#/operations'])
  expect(await admin.ok('POST', `${at}/versions`, { is_native: true })).toMatchObject({ version: 1, is_primary: true })
  expect(await own().get(key.id as string)).toMatchObject({ version_count: 2, rotated_at: expect.any(String) })
  expect(await admin.ok('PATCH', `${at}/versions/0`, { enabled: false })).toMatchObject({ enabled: false })
  const primary = await admin.call('PATCH', `${at}/versions/1`, { enabled: false })
  expect([primary.status, primary.body.code]).toEqual([409, 16])
  await refused(admin.call('POST', `${at}/versions`, {}), 422, 2, ['#/is_native'])
  const listed = await own().versions(key.id as string)
  expect(listed.map(({ version, is_primary, enabled }) => [version, is_primary, enabled])).toEqual([
    [0, false, false],
    [1, true, true],
  ])
})

test('operations of a key whose size the cloud does not report are changed', async () => {
  const { admin, cloud } = datacust()
  const key = await own().create('curve', { type: 'EC', size: undefined, curve: 'NistP256', operations: ['SIGN'] })
  const answer = ({ size: _, ...read }: any) => read
  const removeFault = cloud.inject({ fault: 'wrong-answer', operation: 'GetKey', answer })
  const at = `${KEYS}/${key.id as string}`
  expect(await own().act(key.id as string, 'refresh')).not.toHaveProperty('datacust_param.size')
  const edited = await admin.ok('PATCH', at, { operations: ['SIGN', 'VERIFY'] })
  removeFault()
  expect(edited.datacust_param.operations).toEqual(['SIGN', 'VERIFY'])
})

test('operations beyond those that were asked for are kept, with a warning in the audit records', async () => {
  const { admin, cloud } = datacust()
  const answer = (read: any) => ({ ...read, operations: [...read.operations, 'WRAP'] })
  const warnings = async (uri: string): Promise<any[]> =>
    (await admin.ok('GET', `/v1/audit/records?severity=warning&resource_uri=${encodeURIComponent(uri)}`)).resources
  const removeFault = cloud.inject({ fault: 'wrong-answer', operation: 'GetKey', answer })
  const key = await own().upload('more', (await local()).id as string)
  expect(key.datacust_param.operations).toEqual(['DECRYPT', 'ENCRYPT', 'WRAP'])
  expect(await warnings(key.uri as string)).toEqual([
    expect.objectContaining({
      message: 'Notice Other Operations',
      details: expect.objectContaining({
        before: { operations: ['ENCRYPT', 'DECRYPT'] },
        after: { group: 'finance', operations: key.datacust_param.operations },
      }),
    }),
  ])
  await admin.ok('PATCH', `${KEYS}/${key.id as string}`, { operations: ['ENCRYPT'] })
  removeFault()
  expect(await warnings(key.uri as string)).toHaveLength(2)
  await admin.ok('PATCH', `${KEYS}/${key.id as string}`, { operations: ['DECRYPT'] })
  expect(await warnings(key.uri as string)).toHaveLength(2)
})

test('a key is deleted after a backup, restored from it, and its record removed only when it is gone', async () => {
  const { admin, cloud, advance } = datacust()
  const source = await local()
  const key = await own().upload('backed up', source.id as string)
  const id = key.id as string
  const bytes = await datacust().bytesOf(key)
  await refused(admin.call('DELETE', `${KEYS}/${id}`), 409, 8, [])
  await refused(own().tryAct(id, 'restore'), 409, 8, [])
  const deleted = await own().act(id, 'delete')
  expect(deleted).toMatchObject({ status: 'DELETED', gone: true, backup_blob: expect.any(String) })
  expect(cloud.keyOf(key.datacust_param.id as string)).toBeUndefined()
  await refused(own().tryAct(id, 'delete'), 409, 8, [])
  const restored = await own().act(id, 'restore')
  expect(restored).toMatchObject({
    gone: false,
    status: 'AVAILABLE',
    datacust_param: { meta: { beingRestored: true } },
  })
  advance(15_000)
  await datacust().service.deployment.fire('sweep-due')
  expect(await own().get(id)).toMatchObject({ datacust_param: { meta: { beingRestored: false } } })
  expect(await datacust().bytesOf(key)).toEqual(bytes)
  await own().act(id, 'delete')
  expect(await own().act(id, 'delete-backup')).not.toHaveProperty('backup_blob')
  await refused(own().tryAct(id, 'restore'), 409, 8, [])
  expect(await admin.ok('DELETE', `${KEYS}/${id}`)).toEqual({ status: 204 })
})

test('a record whose backup the caller may not delete is not removed, alone or with its group', async () => {
  const { admin, advance, groups, user } = datacust()
  const key = await own().upload('kept backup', (await local()).id as string)
  expect(await own().act(key.id as string, 'delete')).toHaveProperty('backup_blob')
  const at = `${KEYS}/${key.id as string}`
  const group = `${DATACUST}/groups/${groups.finance.id as string}`
  const { holder, sub } = await user('record-remover', ['keymgr Users'])
  const permit = (...actions: string[]) =>
    admin.ok('POST', `${group}/update-acls`, { acls: [{ user_id: sub, permit: true, actions }] })
  await permit('view', 'keydelete', 'keydestroy')
  expect((await holder.call('DELETE', at)).status).toBe(403)
  await permit('deletebackup')
  const denial = { name: 'backups stay', effect: 'deny', actions: ['DeleteDatacustKeyBackup'], resources: [key.uri] }
  const { id: policy } = await admin.ok('POST', '/v1/admin/policies', denial)
  const to = { policy, principalSelector: { groups: ['admin', 'keymgr Users'] } }
  const held = await admin.ok('POST', '/v1/admin/policy-attachments', to)
  advance(5_000)
  for (const path of [at, group]) expect((await admin.call('DELETE', path)).status, path).toBe(403)
  expect((await holder.call('DELETE', at)).status).toBe(403)
  await admin.ok('DELETE', `/v1/admin/policy-attachments/${held.id as string}`)
  advance(5_000)
  expect(await own().get(key.id as string)).toHaveProperty('backup_blob')
  expect(await holder.ok('DELETE', at)).toEqual({ status: 204 })
})

test('without a backup a key is deleted only on request', async () => {
  const key = await own().upload('no backup', (await local()).id as string, { group: 'outpost' })
  const body = await refused(own().tryAct(key.id as string, 'delete'), 409, 8, [])
  expect(body.detail).toContain('backup failed')
  expect(datacust().seen(key)).toBeDefined()
  const deleted = await own().act(key.id as string, 'delete', { delete_if_backup_fails: true })
  expect(deleted).toMatchObject({ status: 'DELETED' })
  expect(deleted).not.toHaveProperty('backup_blob')
})

test('a synchronization finds keys, follows changes, and keeps keys that are gone', async () => {
  const { admin, cloud, groups } = datacust()
  const known = await own().create('known')
  const [found = ''] = cloud.seed(groups.analytics.group_id as string, 1)
  cloud.alter(known.datacust_param.id as string, { description: 'theirs', newVersions: 1 })
  const synchronize = async (): Promise<any> => {
    const { id } = await admin.ok('POST', JOBS, { groups: ['finance', 'analytics'] })
    const get = () => admin.ok('GET', `${JOBS}/${id as string}`)
    await expect.poll(async () => (await get()).overall_status, { timeout: 20_000 }).not.toBe('in_progress')
    return get()
  }
  const job = await synchronize()
  expect(job, JSON.stringify(job)).toMatchObject({ overall_status: 'completed' })
  expect(await own().get(known.id as string)).toMatchObject({
    version_count: 2,
    datacust_param: { description: 'theirs' },
  })
  const { resources } = await own().list('?group=analytics&name=seeded-*')
  expect(resources).toEqual([
    expect.objectContaining({ gone: false, datacust_param: expect.objectContaining({ id: found }) }),
  ])
  cloud.forget(found)
  await synchronize()
  expect((await own().list('?group=analytics&name=seeded-*')).resources).toEqual([
    expect.objectContaining({ gone: true }),
  ])
})

test('ages of keys are reported; a report of activity states that the cloud has no log', async () => {
  const { admin } = datacust()
  await own().create('aged')
  const report = async (body: object): Promise<any> => {
    const { id } = await admin.ok('POST', `${DATACUST}/reports`, { name: `r-${randomUUID()}`, ...body })
    const get = () => admin.ok('GET', `${DATACUST}/reports/${id as string}`)
    await expect.poll(async () => (await get()).overall_status, { timeout: 20_000 }).not.toBe('in_progress')
    return get()
  }
  const range = { start_time: datacust().at(-3_600_000), end_time: datacust().at(-1_000) }
  const of = { datacust_params: [{ group: 'finance' }], ...range }
  const aged = await report({ report_type: 'key-aging', ...of })
  expect(aged).toMatchObject({ overall_status: 'completed', groups: [datacust().groups.finance.group_id] })
  const { resources } = await admin.ok('GET', `${DATACUST}/reports/${aged.id as string}/contents?limit=100`)
  expect(resources.map(({ key_name }: any) => key_name)).toContain('aged')
  const compared = await report({ report_type: 'reconciliation-report', ...of })
  const { resources: outcomes } = await admin.ok(
    'GET',
    `${DATACUST}/reports/${compared.id as string}/contents?limit=100`,
  )
  expect(outcomes.find(({ key_name }: any) => key_name === 'aged')).toMatchObject({ key_activity: 'Agrees' })
  const activity = await report(of)
  expect(activity.overall_status).toBe('failed')
  expect(Object.values(activity.detailed_status).join()).toContain('no log')
})
