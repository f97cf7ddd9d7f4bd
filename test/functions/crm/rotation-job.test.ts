import { expect, test } from 'vitest'
import {
  CRM,
  CONNECTIONS,
  connectionBody,
  KEYS,
  localKey,
  ORGANIZATIONS,
  refused,
  secretsOf,
  SHOP_SANDBOX,
  useCrm,
} from './crm.ts'

const tests = useCrm()
const CONFIGS = '/v1/scheduler/job-configs'
/** Longer than the cloud's period of any type. */
const PERIODS_MS = 8 * 24 * 3_600_000
const PARAM = '#/keymgr_key_rotation_params/crm_param'

const config = (name: string, crm_param: object): object => ({
  name,
  operation: 'keymgr_key_rotation',
  run_at: '0 3 1 1 *',
  keymgr_key_rotation_params: { cloud_name: 'crm', crm_param },
})

/** The active secrets of a type. */
const active = async (type: string): Promise<any[]> =>
  (await tests().admin.ok('GET', `${KEYS}?type=${type}&status=ACTIVE&limit=100`)).resources

/** The run of a new configuration, once it has ended. */
const runOf = async (body: object): Promise<any> =>
  nextRunOf((await tests().admin.ok('POST', CONFIGS, body)).id as string)

async function nextRunOf(id: string): Promise<any> {
  const { admin } = tests()
  await admin.ok('POST', `${CONFIGS}/${id}/run-now`)
  const jobs = async () => (await admin.ok('GET', `/v1/scheduler/jobs?job_config_id=${id}`)).resources
  const isOver = async () => ['completed', 'failed'].includes((await jobs())[0]?.status as string)
  await expect.poll(isOver, { timeout: 20_000 }).toBe(true)
  return (await jobs())[0]
}

test('a rotation job gives each named type of an organization a native secret', async () => {
  const { organization, admin } = tests()
  const first = await secretsOf(admin, organization.id as string).create('EventBus')
  const run = await runOf(config('native', { organization_id: organization.id, key_type: ['EventBus', 'Analytics'] }))
  expect(run.status, JSON.stringify(run)).toBe('completed')
  const [bus] = await active('EventBus')
  expect(bus).toMatchObject({ key_material_origin: 'native', crm_param: { source: 'HSM' } })
  expect(bus.id).not.toBe(first.id)
  expect(await active('Analytics')).toHaveLength(1)
})

test('a rotation job uploads the material of a new local key, with the derivation that is asked for', async () => {
  const { organization, certificate } = tests()
  const param = { organization_id: organization.id, key_type: ['DeterministicData'], key_source: 'keymgr' }
  const run = await runOf(config('own', { ...param, certificate_id: certificate.id, key_derivation_mode: 'PBKDF2' }))
  expect(run.status, JSON.stringify(run)).toBe('completed')
  const [secret] = await active('DeterministicData')
  expect(secret).toMatchObject({ key_material_origin: 'keymgr', crm_param: { source: 'UPLOADED' } })
  expect(await tests().admin.ok('GET', `/v1/vault/keys2/${secret.local_key_id as string}`)).toMatchObject({ size: 256 })
})

test('a type whose newest secret is too young is a 429 and an error of the run; the other types go on, and later it does', async () => {
  const { cloud, organization, admin, advance } = tests()
  const secrets = secretsOf(admin, organization.id as string)
  const young = await secrets.create('EventBus')
  cloud.setIntervals('real')
  try {
    const early = await secrets.tryCreate('EventBus')
    expect([early.status, early.body.code], JSON.stringify(early.body)).toEqual([429, 16])
    expect(early.body.detail).toContain('the cloud takes another after')
    const { id } = await admin.ok(
      'POST',
      CONFIGS,
      config('young', { organization_id: organization.id, key_type: ['EventBus', 'SearchIndex'] }),
    )
    const run = await nextRunOf(id as string)
    expect(run.errors.join(), JSON.stringify(run)).toContain('the cloud takes another after')
    expect(run).toMatchObject({ status: 'failed', error_count: 1, success_count: 1 })
    expect(await active('SearchIndex')).toHaveLength(1)
    expect(await active('EventBus')).toMatchObject([{ id: young.id }])
    advance(PERIODS_MS)
    expect(await nextRunOf(id as string)).toMatchObject({ status: 'completed', error_count: 0, success_count: 2 })
    expect((await active('EventBus'))[0].id).not.toBe(young.id)
  } finally {
    cloud.setIntervals('off')
  }
})

test('parameters that do not fit are refused when the configuration is made', async () => {
  const { admin, organization } = tests()
  await localKey(admin, 'crm-unrelated')
  const attempt = (param: object) => admin.call('POST', CONFIGS, config('wrong', param))
  const named = { organization_id: organization.id }
  await refused(attempt({ key_type: ['Data'] }), 422, 2, [`${PARAM}/organization_id`])
  await refused(attempt(named), 422, 2, [`${PARAM}/key_type`])
  await refused(attempt({ ...named, key_type: ['Data', 'Data'] }), 422, 2, [`${PARAM}/key_type`])
  await refused(attempt({ ...named, key_type: ['Data'], key_source: 'keymgr' }), 422, 2, [`${PARAM}/certificate_id`])
  await refused(attempt({ organization_id: 'elsewhere', key_type: ['Data'] }), 404, 5, [`${PARAM}/organization_id`])
})

test('an ambiguous name of an organization is refused, and a run for it or for a removed one fails', async () => {
  const { admin, cloud } = tests()
  const at = cloud.credentials.findIndex(({ organizationId }) => organizationId === SHOP_SANDBOX)
  cloud.changeSettings(SHOP_SANDBOX, { allowsPasswordFlow: true })
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'ambiguous', at))
  const added = async (Name: string): Promise<any> => {
    const forget = cloud.inject({
      fault: 'wrong-answer',
      operation: 'Query',
      when: ({ query }) => query.q?.includes('FROM Organization') === true,
      answer: (body: any) => ({ ...body, records: [{ ...body.records[0], Name }] }),
    })
    const organization = await admin.ok('POST', `${CRM}/add-organizations`, { connection: 'ambiguous' })
    forget()
    return organization
  }
  const param = { organization_id: 'North/South', key_type: ['Analytics', 'EventBus'] }
  const first = await added('North/South')
  const made = await admin.ok('POST', CONFIGS, config('by name', param))
  await admin.ok('DELETE', `${ORGANIZATIONS}/${first.id as string}`)
  const failed = { status: 'failed', error_count: 2, success_count: 0 }
  const gone = await nextRunOf(made.id as string)
  expect(gone).toMatchObject(failed)
  expect(gone.errors.join()).toContain('There is no such organization')

  const same = await added('Shop')
  const ambiguous = config('ambiguous', { ...param, organization_id: 'Shop' })
  await refused(admin.call('POST', CONFIGS, ambiguous), 409, 7, [`${PARAM}/organization_id`])
  await admin.ok('DELETE', `${ORGANIZATIONS}/${same.id as string}`)
  const unique = await admin.ok('POST', CONFIGS, ambiguous)
  await added('Shop')
  const run = await nextRunOf(unique.id as string)
  expect(run).toMatchObject(failed)
  expect(run.errors.join()).toContain('There are several organizations named Shop')
})
