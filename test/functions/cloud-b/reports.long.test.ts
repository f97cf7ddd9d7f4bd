import { beforeAll, expect, test } from 'vitest'
import { AT_ONCE, cellsOf, fieldsOf } from '../reports/reports.ts'
import { DAY } from '../vault/vault.ts'
import { clientsOf } from '../../infra/simulators/cloud-b/clients.ts'
import { CLOUD_B, refused, SUBSCRIPTION, useCloudB, VAULT } from './cloud-b.ts'

const tests = useCloudB(AT_ONCE)
const REPORTS = `${CLOUD_B}/reports`
let workspace: string
let expiring: any

const created = (key_name: string, param: object = {}): Promise<any> =>
  tests().admin.ok('POST', `${CLOUD_B}/keys`, { key_name, key_vault: VAULT, cloud_b_param: { kty: 'EC', ...param } })

beforeAll(async () => {
  const { admin, cloud } = tests()
  workspace = cloud.workspaces()[0]?.id ?? ''
  const exp = Math.floor(Date.parse(tests().at(DAY * 30)) / 1_000)
  expiring = await created('expiring', { attributes: { exp } })
  const source = await admin.create({ name: 'source', algorithm: 'rsa', size: 2048 })
  await admin.ok('POST', `${CLOUD_B}/upload-key`, {
    key_name: 'ours',
    key_vault: VAULT,
    local_key_identifier: source.id as string,
  })
  await clientsOf(cloud).keys(VAULT).createRsaKey('theirs')
})

/** A report after its end. */
async function made(name: string, more: object = {}, vault: object = {}): Promise<any> {
  const { admin, service } = tests()
  const cloud_b_params = [{ key_vault: VAULT, log_workspace_id: workspace, ...vault }]
  const begun = await admin.ok('POST', REPORTS, { name, cloud_b_params, ...more })
  expect(begun).toMatchObject({ overall_status: 'in_progress', key_vaults: [VAULT], abort: false })
  await service.deployment.flows.idle()
  return admin.ok('GET', `${REPORTS}/${begun.id as string}`)
}
const contents = (id: string, query = ''): Promise<any> => tests().admin.ok('GET', `${REPORTS}/${id}/contents${query}`)

test('a report lists the uses of keys and their callers, from the log of a vault', async () => {
  const report = await made('activity')
  expect(report).toMatchObject({ overall_status: 'completed', detailed_status: { [VAULT]: 'completed' } })
  const { total, resources } = await contents(report.id as string, '?limit=1000')
  expect(total).toBe(resources.length)
  const [{ tenantId, clientId }] = tests().cloud.credentials as [any]
  const about = { key_vault: VAULT, tenant: tenantId, region: 'westeurope', cloud_name: 'cloud-b' }
  const ofKey = (name: string) =>
    resources.find((row: any) => row.key_name === name && row.key_activity === 'KeyCreate')
  expect(ofKey('expiring')).toMatchObject({
    ...about,
    key_expiration: expiring.azure_expire_at as string,
    user_name: clientId,
    origin: 'Native',
    keymgr_operation: true,
  })
  expect(ofKey('theirs')).toMatchObject({ ...about, key_expiration: null, origin: null })
  const times = fieldsOf({ resources }, 'modified_time')
  expect(times.every((time) => new Date(time as string).toISOString() === time)).toBe(true)
  const ours = await contents(report.id as string, '?key_name=ours&origin=keymgr')
  expect(fieldsOf(ours, 'key_activity')).toContain('KeyImport')
  const filter = `?key_vault=${VAULT}&tenant=${tenantId as string}&region=westeurope&key_name=ours`
  expect((await contents(report.id as string, filter)).total).toBe(ours.total)
  expect((await contents(report.id as string, '?key_vault=another')).total).toBe(0)
})

test('the text contains cloud-b’s facts about a key', async () => {
  const report = await made('text')
  const { body } = await tests().admin.call('GET', `${REPORTS}/${report.id as string}/download`)
  const [header, ...lines] = cellsOf(body as string)
  expect(header?.slice(0, 4)).toEqual(['key name', 'key vault', 'key activity', 'tenant'])
  expect(lines.map(([name, vault, activity]) => [name, vault, activity])).toContainEqual([
    'expiring',
    VAULT,
    'KeyCreate',
  ])
})

test('the age of a key counts from its latest version, and no version has a line of its own', async () => {
  tests().advance(DAY)
  const next = await created('expiring')
  const report = await made('ages', { report_type: 'key-aging' }, { log_workspace_id: undefined })
  expect(report.overall_status).toBe('completed')
  const { resources } = await contents(report.id as string, '?sort=key_name')
  expect(fieldsOf({ resources }, 'key_name', 'key_activity', 'origin', 'modified_time')).toEqual([
    ['expiring', 'Rotated', 'Native', next.azure_created_at],
    ['ours', 'Created', 'keymgr', expect.any(String)],
  ])
})

test('activity needs a workspace: a vault without one fails with that reason', async () => {
  const report = await made('no log', {}, { log_workspace_id: undefined })
  expect(report.overall_status).toBe('failed')
  expect(report.detailed_status[VAULT]).toContain('log workspace')
})

test.each([
  ['a vault that is not there', { key_vault: 'nowhere' }, 404, 5, 'key_vault'],
  ['a vault of another subscription', { subscription_id: 'other' }, 404, 5, 'key_vault'],
  ['a workspace that is no id', { log_workspace_id: 'logs' }, 422, 2, 'log_workspace_id'],
])('%s is refused', async (_what, vault, status, code, field) => {
  const { admin, cloud } = tests()
  const other = 'subscription_id' in vault ? { subscription_id: cloud.subscriptions()[1]?.id } : {}
  const body = { name: 'refused', cloud_b_params: [{ key_vault: VAULT, ...vault, ...other }] }
  await refused(admin.call('POST', REPORTS, body), status, code, [`#/cloud_b_params/0/${field}`])
})

test('the subscription must be that of a vault named by its id', async () => {
  const { admin, cloud, vault } = tests()
  const [, other] = cloud.subscriptions()
  const naming = (subscription_id: string | undefined) => ({
    name: `in ${subscription_id ?? ''}`,
    report_type: 'key-aging',
    cloud_b_params: [{ key_vault: vault.id as string, subscription_id }],
  })
  await refused(admin.call('POST', REPORTS, naming(other?.id)), 422, 2, ['#/cloud_b_params/0/subscription_id'])
  await admin.ok('POST', REPORTS, naming(SUBSCRIPTION))
  await tests().service.deployment.flows.idle()
})

test('a vault and a managed HSM pool of one name are two containers, and each is named once', async () => {
  const { admin, cloud, service } = tests()
  const add = async (managed_hsm: boolean): Promise<any> => {
    const body = { connection: 'main', subscription_id: SUBSCRIPTION, vaults: [{ name: 'shop-spare', managed_hsm }] }
    return (await admin.ok('POST', `${CLOUD_B}/add-vaults`, body)).vaults[0]
  }
  const vault = await add(false)
  const spare = cloud.vaultNamed('shop-spare')
  if (spare === undefined) throw new Error('The cloud has no vault shop-spare')
  cloud.putVault({ ...spare, sku: 'managed-hsm' })
  const pool = await add(true)
  const reportOn = (...ids: string[]): object => ({
    name: ids.join(' '),
    report_type: 'key-aging',
    cloud_b_params: ids.map((key_vault) => ({ key_vault })),
  })
  const { id } = await admin.ok('POST', REPORTS, reportOn(vault.id, pool.id))
  await service.deployment.flows.idle()
  const whole = `shop-spare::${SUBSCRIPTION}`
  expect(await admin.ok('GET', `${REPORTS}/${id as string}`)).toMatchObject({
    overall_status: 'completed',
    key_vaults: ['shop-spare'],
    detailed_status: { [whole]: 'completed', [`${whole}::managed-hsm`]: 'completed' },
  })
  const twice = await refused(admin.call('POST', REPORTS, reportOn(vault.id, pool.id, vault.id)), 422, 2, [])
  expect(twice.detail).toContain('named twice')
})

test('a caller may report on a vault that permits it', async () => {
  const { admin, user, vault } = tests()
  const { holder, sub } = await user('reporter', ['keymgr Users'])
  const permit = (actions: readonly string[]): Promise<any> =>
    admin.ok('POST', `${CLOUD_B}/vaults/${vault.id as string}/update-acls`, {
      acls: [{ user_id: sub, permit: true, actions }],
    })
  await permit(['view'])
  const wishes = { name: 'mine', report_type: 'key-aging', cloud_b_params: [{ key_vault: VAULT }] }
  await refused(holder.call('POST', REPORTS, wishes), 403, 4, [])
  await permit(['reportcreate'])
  const { id } = await holder.ok('POST', REPORTS, wishes)
  await tests().service.deployment.flows.idle()
  expect(await holder.ok('GET', `${REPORTS}/${id as string}`)).toMatchObject({ overall_status: 'completed' })
})

test('versions are compared with the vault, and calls to this service are listed', async () => {
  const compared = await made('compared', { report_type: 'reconciliation-report' })
  expect(compared).toMatchObject({ overall_status: 'completed' })
  const outcomes = fieldsOf(await contents(compared.id as string, '?limit=100'), 'key_name', 'key_activity')
  expect(outcomes).toEqual(
    expect.arrayContaining([
      ['expiring', 'Agrees'],
      ['ours', 'Agrees'],
      ['theirs', 'Not on record'],
    ]),
  )
  const calls = await made('calls', { report_type: 'service-report', start_time: tests().at(-DAY * 30) })
  expect(fieldsOf(await contents(calls.id as string, '?key_name=ours'), 'key_activity')).toEqual(['Upload Cloud-b Key'])
})
