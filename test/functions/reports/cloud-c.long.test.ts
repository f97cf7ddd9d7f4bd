import { beforeAll, expect, test } from 'vitest'
import { keysOf, PROJECT, RING, useCloudC, CLOUD_C } from '../cloud-c/cloud-c.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { AT_ONCE, cellsOf, fieldsOf } from './reports.ts'

const tests = useCloudC(AT_ONCE)
const REPORTS = `${CLOUD_C}/reports`
const INVOICES = `projects/${PROJECT}/locations/europe-west3/keyRings/invoices`
let native: any
let ours: any

beforeAll(async () => {
  const { admin } = tests()
  native = await keysOf(admin).create('native')
  const source = await admin.create({ name: 'source', algorithm: 'aes', usageMask: 76 })
  ours = await keysOf(admin).upload('ours', source.id as string)
})

/** A report after its end. */
async function made(name: string, more: object = {}): Promise<any> {
  const { admin, service } = tests()
  const begun = await admin.ok('POST', REPORTS, { name, cloud_c_params: [{ key_ring: RING }], ...more })
  expect(begun).toMatchObject({
    overall_status: 'in_progress',
    detailed_status: { [RING]: 'in_progress' },
    abort: false,
  })
  await service.deployment.flows.idle()
  return admin.ok('GET', `${REPORTS}/${begun.id as string}`)
}
const contents = (id: string, query = ''): Promise<any> => tests().admin.ok('GET', `${REPORTS}/${id}/contents${query}`)

test('a report lists the uses of a ring’s keys, from the audit log of its project', async () => {
  const report = await made('activity')
  expect(report).toMatchObject({
    report_type: 'key-report',
    overall_status: 'completed',
    detailed_status: { [RING]: 'completed' },
    key_rings: [RING],
    completed_at: expect.any(String) as string,
  })
  expect(Date.parse(report.end_time as string) - Date.parse(report.start_time as string)).toBe(DAY)
  const { total, resources } = await contents(report.id as string, '?limit=1000')
  expect(total).toBe(resources.length)
  const [email] = [tests().cloud.keyFiles[0].client_email]
  expect(resources.find(({ key_activity }: any) => key_activity === 'CreateCryptoKey')).toMatchObject({
    key_name: 'native',
    key_ring: RING,
    project: PROJECT,
    region: 'europe-west3',
    cloud_name: 'cloud-c',
    key_expiration: null,
    user_name: email,
    origin: 'Native',
    keymgr_operation: true,
  })
  const times = fieldsOf({ resources }, 'modified_time')
  expect(times.every((time) => new Date(time as string).toISOString() === time)).toBe(true)
  expect(fieldsOf(await contents(report.id as string, '?key_name=ours&origin=keymgr'), 'key_activity')).toContain(
    'ImportCryptoKeyVersion',
  )
  const filtered = await contents(
    report.id as string,
    `?key_ring=${RING}&project=${PROJECT}&key_activity=CreateCryptoKey`,
  )
  expect(filtered.total).toBe(2)
  expect((await contents(report.id as string, '?keymgr_operation=false')).total).toBe(0)
  const { organization } = resources[0]
  expect(
    (await contents(report.id as string, `?organization=${encodeURIComponent(organization as string)}`)).total,
  ).toBe(total)
})

test('the text has the header of the interface', async () => {
  const report = await made('text')
  const { status, body } = await tests().admin.call('GET', `${REPORTS}/${report.id as string}/download`)
  expect(status).toBe(200)
  const [header, ...lines] = cellsOf(body as string)
  expect(header).toEqual(['key name', 'key ring', 'key activity', 'project', 'modified date', 'cloud'])
  expect(lines).toContainEqual(['native', RING, 'CreateCryptoKey', PROJECT, expect.any(String), 'cloud-c'])
})

test('ages of keys count from the version in use', async () => {
  const { admin, advance } = tests()
  advance(DAY)
  await keysOf(admin).act(native.id as string, 'versions', { is_native: true })
  const report = await made('ages', { report_type: 'key-aging' })
  expect(report.overall_status).toBe('completed')
  const { total, resources } = await contents(report.id as string, '?sort=key_name')
  expect(total).toBe(2)
  expect(fieldsOf({ resources }, 'key_name', 'key_activity', 'origin')).toEqual([
    ['native', 'Rotated', 'Native'],
    ['ours', 'Created', 'keymgr'],
  ])
  const [young, old] = fieldsOf({ resources }, 'modified_time') as string[]
  expect(Date.parse(young ?? '') - Date.parse(old ?? '')).toBeGreaterThan(DAY / 2)
  expect(resources[1].modified_time >= ours.cloud_c_params.create_time).toBe(true)
})

test('keys with versions are compared with the cloud, without a change of their records', async () => {
  const { admin } = tests()
  const { updatedAt } = await keysOf(admin).get(native.id as string)
  const report = await made('compared', { report_type: 'reconciliation-report' })
  expect(report).toMatchObject({ overall_status: 'completed' })
  const outcomes = fieldsOf(await contents(report.id as string), 'key_name', 'key_activity')
  expect(outcomes).toEqual([
    ['native', 'Agrees'],
    ['ours', 'Agrees'],
  ])
  const calls = await made('calls', { report_type: 'service-report' })
  expect(fieldsOf(await contents(calls.id as string, '?key_name=native'), 'key_activity')).toContainEqual(
    expect.stringMatching(/^Create Cloud-c Key/),
  )
  expect((await keysOf(admin).get(native.id as string)).updatedAt).toBe(updatedAt)
})

test('one ring that the cloud refuses does not hide the other', async () => {
  const { admin, cloud } = tests()
  await admin.ok('POST', `${CLOUD_C}/add-key-rings`, {
    connection: 'main',
    project_id: PROJECT,
    key_rings: [{ name: INVOICES }],
  })
  const remove = cloud.inject({ fault: 'access-denied', service: 'logging', calls: [1] })
  const cloud_c_params = [{ key_ring: RING }, { key_ring: INVOICES }]
  const { service } = tests()
  const { id } = await admin.ok('POST', REPORTS, { name: 'half', cloud_c_params })
  await service.deployment.flows.idle()
  remove()
  const report = await admin.ok('GET', `${REPORTS}/${id as string}`)
  expect(report.overall_status).toBe('failed')
  expect(Object.values(report.detailed_status as object).filter((status) => status === 'completed')).toHaveLength(1)
  expect(report.key_rings).toEqual([RING, INVOICES])
})

test('an unknown ring, or one without the permission for reports, is refused', async () => {
  const { admin, user, ring } = tests()
  const nowhere = { name: 'nowhere', cloud_c_params: [{ key_ring: `${RING}-none` }] }
  expectRefused(await admin.call('POST', REPORTS, nowhere), 404, 5, '#/cloud_c_params/0/key_ring')
  const { holder, sub } = await user('reporter', ['keymgr Users'])
  const acls = [{ user_id: sub, permit: true, actions: ['view'] }]
  await admin.ok('POST', `${CLOUD_C}/key-rings/${ring.id as string}/update-acls`, { acls })
  const wishes = { name: 'mine', cloud_c_params: [{ key_ring: RING }] }
  expectRefused(await holder.call('POST', REPORTS, wishes), 403, 4)
  expect((await holder.ok('GET', REPORTS)).total).toBe(0)
})

test('reports of one cloud are separate from those of another', async () => {
  const report = await made('apart')
  const other = REPORTS.replace('cloud-c', 'cloud-a')
  expectRefused(await tests().admin.call('GET', `${other}/${report.id as string}`), 404, 5)
  expect((await tests().admin.ok('GET', other)).total).toBe(0)
})
