import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { DATACUST, JOBS, keysOf, KEYS, refused, useDatacustCloud } from './datacust.ts'

const datacust = useDatacustCloud()

const REFERENCES = `${DATACUST}/dkr`
const own = () => keysOf(datacust().admin)
const someName = (): string => `ref ${randomUUID().replaceAll('-', '')}`
const create = (key_id: string, more: object = {}): Promise<any> =>
  datacust().admin.ok('POST', REFERENCES, { name: someName(), key_id, ...more })

test('a reference names a key, can change its name and key, and shows the cloud’s description', async () => {
  const { admin, groups } = datacust()
  const [first, second] = [await own().create('first'), await own().create('second')]
  const made = await create(first.id as string)
  expect(made).toMatchObject({
    cloud_name: 'datacust',
    cckm_group_id: groups.finance.id,
    datacust_group_name: 'finance',
    key_id: first.id,
    key_name: 'first',
    datacust_key_id: first.datacust_param.id,
    allow_underlying_key_exchange: true,
    gone: false,
    reference_id: expect.any(String),
  })
  const at = `${REFERENCES}/${made.id as string}`
  expect(await admin.ok('GET', at)).toEqual(made)
  const changed = await admin.ok('PATCH', at, { name: 'Ledger 2', key_id: second.id })
  expect(changed).toMatchObject({ name: 'Ledger 2', key_id: second.id, key_name: 'second' })
  expect(await admin.ok('POST', `${at}/refresh`)).toMatchObject({ name: 'Ledger 2' })
  expect((await admin.ok('GET', `${REFERENCES}?name=Ledger*&group=finance&gone=false`)).resources).toEqual([
    expect.objectContaining({ id: made.id }),
  ])
  expect((await admin.ok('GET', `${REFERENCES}?key_id=${first.id as string}`)).total).toBe(0)
})

test('a reference is deleted at the cloud first, then its record; the cloud keeps its key', async () => {
  const { admin } = datacust()
  const key = await own().create('referred')
  const { id } = await create(key.id as string)
  const at = `${REFERENCES}/${id as string}`
  await refused(admin.call('DELETE', at), 409, 8, [])
  const inUse = await own().tryAct(key.id as string, 'delete')
  expect([inUse.status, inUse.body.code]).toEqual([409, 16])
  expect(await own().get(key.id as string)).toMatchObject({ gone: false, status: 'AVAILABLE' })
  expect(await admin.ok('POST', `${at}/delete`)).toMatchObject({ gone: true })
  await refused(admin.call('POST', `${at}/delete`), 409, 8, [])
  await refused(admin.call('PATCH', at, { name: 'other' }), 409, 8, [])
  expect(await admin.ok('DELETE', at)).toEqual({ status: 204 })
  await refused(admin.call('GET', at), 404, 5, [])
  expect(await own().act(key.id as string, 'delete')).toMatchObject({ gone: true })
})

test('a reference that others deleted at the cloud is gone after the next reading', async () => {
  const { admin, cloud } = datacust()
  const key = await own().create('others')
  const { id } = await create(key.id as string)
  cloud.forgetReferences(key.datacust_param.id as string)
  expect(await admin.ok('POST', `${REFERENCES}/${id as string}/refresh`)).toMatchObject({ gone: true })
})

test('a synchronization records references that others made, and follows their changes and deletions', async () => {
  const { admin, cloud } = datacust()
  const key = await own().create('referred to by others')
  const ref = key.datacust_param.id as string
  const reference_id = cloud.refer(ref, 'Theirs 1')
  const synchronize = async (): Promise<any> => {
    const { id } = await admin.ok('POST', JOBS, { groups: ['finance'] })
    await datacust().service.deployment.flows.idle()
    return admin.ok('GET', `${JOBS}/${id as string}`)
  }
  const recorded = async (): Promise<any[]> =>
    (await admin.ok('GET', `${REFERENCES}?reference_id=${reference_id}`)).resources
  expect(await synchronize()).toMatchObject({ overall_status: 'completed', unread: 0 })
  const [found] = await recorded()
  expect(found).toMatchObject({ name: 'Theirs 1', key_id: key.id, key_name: 'referred to by others', gone: false })
  await synchronize()
  expect(await recorded()).toEqual([found])
  cloud.forgetReferences(ref)
  await synchronize()
  expect(await recorded()).toMatchObject([{ id: found.id, gone: true }])
  const forget = cloud.inject({ fault: 'access-denied', operation: 'ListReferences' })
  try {
    const job = await synchronize()
    expect(job, JSON.stringify(job)).toMatchObject({ overall_status: 'completed', unread: 1 })
    expect(job.errors).toEqual([expect.stringContaining('dynamic references')])
  } finally {
    forget()
  }
})

test('the key of a reference is exchanged only for one like it, and only if that was permitted', async () => {
  const { admin, groups } = datacust()
  const key = await own().create('aes')
  const signing = await own().create('rsa', { type: 'RSA', size: 2048, operations: ['SIGN', 'VERIFY'] })
  const fewer = await own().create('fewer', { operations: ['ENCRYPT'] })
  const elsewhere = await own().create('elsewhere', { group: groups.analytics.id })
  const other = await own().create('like it')
  const free = await create(key.id as string)
  for (const { id } of [signing, fewer, elsewhere])
    await refused(admin.call('PATCH', `${REFERENCES}/${free.id as string}`, { key_id: id }), 422, 2, ['#/key_id'])
  const fixed = await create(key.id as string, { allow_underlying_key_exchange: false })
  await refused(admin.call('PATCH', `${REFERENCES}/${fixed.id as string}`, { key_id: other.id }), 409, 8, [])
  expect(await admin.ok('PATCH', `${REFERENCES}/${fixed.id as string}`, { key_id: key.id })).toMatchObject({
    key_id: key.id,
  })
})

test('bad names, unknown keys, gone keys, and fields of other interfaces are refused before any call', async () => {
  const { admin, cloud } = datacust()
  const key = await own().create('named')
  const gone = await own().create('gone')
  await own().act(gone.id as string, 'delete')
  const before = cloud.calls().length
  for (const name of ['x', '', 'a-b', 'a'.repeat(256)])
    await refused(admin.call('POST', REFERENCES, { name, key_id: key.id }), 422, 2, ['#/name'])
  await refused(admin.call('POST', REFERENCES, { name: 'fine', key_id: randomUUID() }), 404, 5, ['#/key_id'])
  await refused(admin.call('POST', REFERENCES, { name: 'fine', key_id: gone.id }), 409, 8, [])
  const withGroup = await admin.call('POST', REFERENCES, { name: 'fine', key_id: key.id, group: 'finance' })
  expect(withGroup.status).toBe(400)
  expect(cloud.calls()).toHaveLength(before)
})

test('permissions of the group decide about references', async () => {
  const { admin, groups, user } = datacust()
  const key = await own().create('permitted')
  const { id } = await create(key.id as string)
  const { holder, sub } = await user('reference-reader', ['keymgr Users'])
  const at = `${DATACUST}/groups/${groups.finance.id as string}/update-acls`
  const body = { name: someName(), key_id: key.id }
  await refused(holder.call('GET', `${REFERENCES}/${id as string}`), 404, 5, [])
  await refused(holder.call('POST', REFERENCES, body), 404, 5, ['#/key_id'])
  expect((await holder.ok('GET', REFERENCES)).total).toBe(0)
  await admin.ok('POST', at, { acls: [{ user_id: sub, permit: true, actions: ['view'] }] })
  expect(await holder.ok('GET', `${REFERENCES}/${id as string}`)).toMatchObject({ id })
  for (const refusing of [
    holder.call('POST', REFERENCES, body),
    holder.call('PATCH', `${REFERENCES}/${id as string}`, { name: 'other' }),
    holder.call('POST', `${REFERENCES}/${id as string}/delete`),
    holder.call('DELETE', `${REFERENCES}/${id as string}`),
  ])
    expect((await refusing).status).toBe(403)
  await admin.ok('POST', at, { acls: [{ user_id: sub, permit: true, actions: ['keycreate'] }] })
  expect((await holder.call('POST', REFERENCES, body)).status).toBe(201)
  await admin.ok('POST', at, { acls: [{ user_id: sub, permit: false, actions: ['view', 'keycreate'] }] })
})

test('a deletion and a restoration run as jobs', async () => {
  const { admin } = datacust()
  const key = await own().create('by a job')
  const run = async (body: object): Promise<any> => {
    const begun = await admin.ok('POST', `${KEYS}/jobs`, { id: key.id, ...body })
    expect(begun).toMatchObject({ key_id: key.id, ...body, overall_status: 'in_progress', detailed_status: {} })
    const get = () => admin.ok('GET', `${KEYS}/jobs/${begun.id as string}`)
    await expect.poll(async () => (await get()).overall_status, { timeout: 20_000 }).not.toBe('in_progress')
    return get()
  }
  await refused(admin.call('POST', `${KEYS}/jobs`, { id: key.id, operation: 'restore' }), 409, 8, [])
  const deleted = await run({ operation: 'delete' })
  expect(deleted).toMatchObject({ overall_status: 'completed', completed_at: expect.any(String) })
  expect(deleted.detailed_status).toEqual({ [key.id]: 'Success' })
  expect(await own().get(key.id as string)).toMatchObject({ status: 'DELETED', backup_blob: expect.any(String) })
  await refused(admin.call('POST', `${KEYS}/jobs`, { id: key.id, operation: 'delete' }), 409, 8, [])
  expect(await run({ operation: 'restore' })).toMatchObject({ overall_status: 'completed' })
  expect(await own().get(key.id as string)).toMatchObject({ gone: false, status: 'AVAILABLE' })
})

test('a job that cannot back up its key fails and keeps the key, unless it may delete without a backup', async () => {
  const { admin } = datacust()
  const source = await admin.create({ name: 'job source', algorithm: 'aes', size: 256 })
  const key = await own().upload('without backup', source.id as string, { group: 'outpost' })
  const run = async (body: object): Promise<any> => {
    const { id } = await admin.ok('POST', `${KEYS}/jobs`, { id: key.id, operation: 'delete', ...body })
    const get = () => admin.ok('GET', `${KEYS}/jobs/${id as string}`)
    await expect.poll(async () => (await get()).overall_status, { timeout: 20_000 }).not.toBe('in_progress')
    return get()
  }
  const failed = await run({})
  expect(failed.overall_status).toBe('failed')
  expect(failed.detailed_status[key.id as string]).toContain('backup failed')
  expect(datacust().seen(key)).toBeDefined()
  expect(await run({ delete_if_backup_fails: true })).toMatchObject({ overall_status: 'completed' })
  for (const body of [{ operation: 'purge' }, { operation: 'delete', id: 'x' }, { operation: 'delete', more: 1 }])
    expect([400, 422]).toContain((await admin.call('POST', `${KEYS}/jobs`, { id: key.id, ...body })).status)
  await refused(admin.call('POST', `${KEYS}/jobs`, { id: randomUUID(), operation: 'delete' }), 404, 5, ['#/id'])
})
