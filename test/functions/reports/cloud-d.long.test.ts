import { beforeAll, expect, test } from 'vitest'
import { CLOUD_D, keysOf, ORDERS, REGION, useCloudD } from '../cloud-d/cloud-d.ts'
import { DAY, expectRefused } from '../vault/vault.ts'
import { AT_ONCE, cellsOf, fieldsOf } from './reports.ts'

const tests = useCloudD(AT_ONCE)
const REPORTS = `${CLOUD_D}/reports`
let native: any
let ours: any

beforeAll(async () => {
  const { admin, settle } = tests()
  native = await keysOf(admin).create('native')
  const source = await admin.create({ name: 'source', algorithm: 'aes', size: 256 })
  ours = await keysOf(admin).upload('ours', source.id as string)
  await settle()
})

/** Creates a report. @returns it when it has ended */
async function made(name: string, more: object = {}): Promise<any> {
  const { admin, service, vault } = tests()
  const begun = await admin.ok('POST', REPORTS, { name, cloud_d_params: [{ vault: 'orders' }], ...more })
  expect(begun).toMatchObject({ overall_status: 'in_progress', vaults: [vault.vault_id], abort: false })
  await service.deployment.flows.idle()
  return admin.ok('GET', `${REPORTS}/${begun.id as string}`)
}
const contents = (id: string, query = ''): Promise<any> => tests().admin.ok('GET', `${REPORTS}/${id}/contents${query}`)

test('a report lists the changes of a vault’s keys, from the audit service', async () => {
  const { vault, cloud } = tests()
  const report = await made('activity')
  expect(report).toMatchObject({ report_type: 'key-report', overall_status: 'completed', vaults: [vault.vault_id] })
  expect(report.detailed_status).toEqual({ orders: 'completed' }) // by the vault's name
  expect(Date.parse(report.end_time as string) - Date.parse(report.start_time as string)).toBe(DAY)
  const { total, resources } = await contents(report.id as string, '?limit=1000')
  expect(total).toBe(resources.length)
  expect(resources.find(({ key_activity }: any) => key_activity === 'CreateKey')).toMatchObject({
    key_name: 'native',
    key_id: native.cloud_d_params.key_id,
    vault_id: vault.vault_id,
    compartment_id: ORDERS,
    region: REGION,
    cloud_name: 'cloud-d',
    key_expiration: null,
    user_name: cloud.credentials[0].userName,
    origin: 'Native',
    keymgr_operation: true,
  })
  const { key_id } = ours.cloud_d_params
  const of = async (query: string) => fieldsOf(await contents(report.id as string, `?${query}`), 'key_activity')
  expect(await of(`key_id=${key_id}`)).toContain('ImportKey')
  expect(await of(`key_name=ours&vault_id=${vault.vault_id}&compartment_id=${ORDERS}`)).toContain('ImportKey')
  expect(await of('keymgr_operation=false')).toEqual([])
})

test('ages of keys count from the version that they work with', async () => {
  const report = await made('ages', { report_type: 'key-aging' })
  const { resources } = await contents(report.id as string, '?limit=1000')
  expect(resources.map(({ key_name, key_activity }: any) => [key_name, key_activity]).sort()).toEqual([
    ['native', 'Created'],
    ['ours', 'Created'],
  ])
})

test('keys are compared with the vault, and calls to this service are listed', async () => {
  const compared = await made('compared', { report_type: 'reconciliation-report' })
  const outcomes = fieldsOf(await contents(compared.id as string), 'key_name', 'key_activity')
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ['native', 'Agrees'],
      ['ours', 'Agrees'],
    ]),
  )
  const calls = await made('calls', { report_type: 'service-report' })
  const ours = await contents(calls.id as string, '?key_name=ours')
  expect(fieldsOf(ours, 'key_activity')).toContain('Upload Cloud-d Key')
})

test('the text has a header, and the report can be removed', async () => {
  const { admin } = tests()
  const report = await made('text')
  const { status, body } = await admin.call('GET', `${REPORTS}/${report.id as string}/download`)
  expect(status).toBe(200)
  const [header, ...lines] = cellsOf(body as string)
  expect(header).toEqual(['key name', 'key id', 'vault', 'key activity', 'compartment', 'modified date', 'cloud'])
  expect(lines.map(([name]) => name)).toContain('native')
  expect(await admin.ok('DELETE', `${REPORTS}/${report.id as string}`)).toEqual({ status: 204 })
  expectRefused(await admin.call('GET', `${REPORTS}/${report.id as string}`), 404, 5)
})

test('a report on an unknown vault is refused', async () => {
  const answered = await tests().admin.call('POST', REPORTS, { name: 'none', cloud_d_params: [{ vault: 'none' }] })
  expectRefused(answered, 404, 5, '#/cloud_d_params/0/vault')
})
