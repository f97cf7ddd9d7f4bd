import { expect, test } from 'vitest'
import type { CrmSimulator } from '../../../infra/simulators/crm/simulator.ts'
import {
  CERTIFICATE_JOBS,
  CERTIFICATES,
  connectionBody,
  CONNECTIONS,
  CRM,
  endOf,
  endpointOf,
  ENDPOINTS,
  KEY_JOBS,
  KEYS,
  localKey,
  ORGANIZATIONS,
  PAIR,
  refused,
  secretsOf,
  SHOP,
  SHOP_SANDBOX,
  useCrm,
} from './crm.ts'

const tests = useCrm()
const secrets = () => secretsOf(tests().admin, tests().organization.id as string)

/** Other files use the same organization: the limit counts no secret of theirs, and leaves them room. */
function emptied(cloud: CrmSimulator): void {
  for (const { id, type } of cloud.secrets(SHOP)) if (type === 'Analytics') cloud.alter(id, { status: 'DESTROYED' })
}

test('with 50 active and archived secrets of a type, new and imported ones are refused until one is destroyed', async () => {
  const { cloud } = tests()
  emptied(cloud)
  await secrets().create('Analytics')
  const archived = await secrets().create('Analytics')
  await secrets().create('Analytics')
  const { id } = archived
  await secrets().act(id as string, 'destroy')
  cloud.seed(SHOP, 48, () => ({ type: 'Analytics', status: 'ARCHIVED' }))
  for (const answered of [await secrets().tryCreate('Analytics'), await secrets().tryAct(id as string, 'import')]) {
    expect([answered.status, answered.body.code], JSON.stringify(answered.body)).toEqual([409, 16])
    expect(answered.body.detail).toContain('destroy an archived one')
  }
  const [other] = cloud.secrets(SHOP).filter(({ type, status }) => type === 'Analytics' && status === 'ARCHIVED')
  cloud.alter(other?.id ?? '', { status: 'DESTROYED' })
  expect((await secrets().act(id as string, 'import')).crm_param.status).toBe('ARCHIVED')
  emptied(cloud)
})

test('a synchronization at the limit of requests fails after a bounded number of calls, and changes nothing', async () => {
  const { cloud } = tests()
  const queries = () => cloud.calls().filter(({ operation }) => operation === 'Query').length
  const before = queries()
  cloud.setDailyLimit(0)
  try {
    const job = await tests().synchronized(KEY_JOBS)
    expect(job, JSON.stringify(job)).toMatchObject({ overall_status: 'failed', added: 0, updated: 0, gone: 0 })
    expect(Object.values(job.detailed_status as object).join()).toContain('REQUEST_LIMIT_EXCEEDED')
  } finally {
    cloud.setDailyLimit(100_000)
  }
  const calls = queries() - before
  expect(calls % 3).toBe(0) // each attempt has three tries
  expect(calls).toBeLessThan(100)
})

test('a cache-only key that the cloud destroyed by itself raises an alarm once, and one destroyed here raises none', async () => {
  const { admin, certificate, cloud } = tests()
  await localKey(admin, 'noticed')
  const { endpoint, credential } = await endpointOf(tests(), 'noticed')
  const made = await secrets().register({
    ...{ type: 'Data', certificate_id: certificate.id, source_key_identifier: 'noticed' },
    ...{ named_credential_id: credential, endpoint_id: endpoint.id },
  })
  const noticed = async (): Promise<any[]> => {
    const { resources } = await admin.ok('GET', '/v1/audit/records?message=Notice%20Destroyed%20Key')
    return resources.filter(({ details }: any) => details.resource_uri === made.uri)
  }
  cloud.alter(made.crm_param.crm_id as string, { status: 'DESTROYED' })
  // any reading may be the first that finds it destroyed
  expect((await secrets().update(made.id as string, { name: 'read' })).crm_param.status).toBe('DESTROYED')
  await tests().synchronized(KEY_JOBS)
  await tests().synchronized(KEY_JOBS)
  expect(JSON.stringify(await secrets().get(made.id as string))).not.toContain('destruction_noticed')
  expect(await noticed()).toMatchObject([{ severity: 'error', details: { after: { status: 'DESTROYED' } } }])
  await secrets().act(made.id as string, 'activate')
  await tests().synchronized(KEY_JOBS)
  await secrets().act(made.id as string, 'destroy')
  await tests().synchronized(KEY_JOBS)
  expect(await noticed()).toHaveLength(1)
  await secrets().act(made.id as string, 'activate')
  cloud.alter(made.crm_param.crm_id as string, { status: 'DESTROYED' })
  await tests().synchronized(KEY_JOBS)
  expect(await noticed()).toHaveLength(2)
})

test('a synchronization compares with the record as it is now, not with an earlier one', async () => {
  const { cloud } = tests()
  const { id, crm_param } = await secrets().create('Data', { description: 'first' })
  const { crm_id } = crm_param
  const [first] = cloud.secrets(SHOP).filter((one) => one.id === crm_id)
  await tests().synchronized(KEY_JOBS)
  expect(await tests().synchronized(KEY_JOBS)).toMatchObject({ updated: 0, gone: 0, unread: 0 })
  const changes = async (): Promise<number> => (await tests().synchronized(KEY_JOBS)).updated
  await secrets().update(id as string, { description: 'second' })
  expect(await changes()).toBe(0)
  cloud.alter(crm_id as string, { description: first?.description ?? '' }) // as it was when it was synchronized
  expect(await changes()).toBe(1)
  expect((await secrets().get(id as string)).crm_param.description).toBe(crm_param.description)
  await secrets().update(id as string, { name: 'known here alone' })
  expect(await changes()).toBe(0)
})

test('a secret of an unexpected form is named as unread, and the others are read', async () => {
  const { cloud, organization } = tests()
  const [odd = ''] = cloud.seed(SHOP, 2)
  const forget = cloud.inject({
    fault: 'wrong-answer',
    operation: 'Query',
    answer: (body: any) => ({
      ...body,
      records: body.records.map((one: any) => (one.Id === odd ? { ...one, Version: 1.5 } : one)),
    }),
  })
  try {
    const job = await tests().synchronized(KEY_JOBS)
    expect(job).toMatchObject({
      overall_status: 'completed',
      gone: 0,
      unread: 1,
      errors: [expect.stringContaining(odd)],
    })
    expect(job.added).toBeGreaterThanOrEqual(1)
  } finally {
    forget()
  }
  expect(await tests().synchronized(KEY_JOBS)).toMatchObject({ added: 1, unread: 0 })
  expect(organization.id).toBeDefined()
})

test('a new name of the organization appears at its endpoints at once, and in its records after a synchronization', async () => {
  const { admin, cloud, organization } = tests()
  const { endpoint } = await endpointOf(tests(), 'renamed')
  const renamed = (Name: string) =>
    cloud.inject({
      fault: 'wrong-answer',
      operation: 'Query',
      when: ({ query }) => query.q?.includes('FROM Organization') === true,
      answer: (body: any) => ({ ...body, records: [{ ...body.records[0], Name }] }),
    })
  const at = `${ORGANIZATIONS}/${organization.id as string}`
  const forget = renamed('Shop and Sons')
  expect(await admin.ok('PATCH', at, { connection: 'main' })).toMatchObject({ name: 'Shop and Sons' })
  forget()
  const named = await admin.ok('GET', `${ENDPOINTS}?organization_name=Shop%20and%20Sons`)
  expect(named.resources.map(({ id }: any) => id)).toContain(endpoint.id)
  await tests().synchronized(KEY_JOBS)
  await tests().synchronized(CERTIFICATE_JOBS)
  for (const list of [KEYS, CERTIFICATES]) {
    const { resources } = await admin.ok('GET', `${list}?limit=1`)
    expect(resources).toMatchObject([{ organization_name: 'Shop and Sons' }])
  }
  expect(await admin.ok('PATCH', at, { connection: 'main' })).toMatchObject({ name: 'Shop' })
  expect(await admin.ok('GET', `${ENDPOINTS}/${endpoint.id as string}`)).toMatchObject({ organization_name: 'Shop' })
})

test('too many log-ins within an hour are temporary: the test is refused, and the connection stays ready', async () => {
  const { admin, cloud } = tests()
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'often'))
  await admin.ok('POST', `${CONNECTIONS}/often/test`, {})
  cloud.setLoginLimit(0)
  try {
    const { status, body, headers } = await admin.call('POST', `${CONNECTIONS}/often/test`, {})
    expect([status, body.code], JSON.stringify(body)).toEqual([503, 16])
    expect(headers.get('retry-after')).toBeDefined()
  } finally {
    cloud.setLoginLimit(3_600)
  }
  expect(await admin.ok('GET', `${CONNECTIONS}/often`)).toMatchObject({ ready: true, last_connection_ok: true })
})

test('a rotation more often than the cloud allows is not refused, and its configuration warns of it', async () => {
  const { admin, organization } = tests()
  const crm_param = { organization_id: organization.id, key_type: ['Data', 'EventBus'] }
  const made = await admin.ok('POST', '/v1/scheduler/job-configs', {
    ...{ name: 'often', operation: 'keymgr_key_rotation', run_at: '0 3 * * *' },
    keymgr_key_rotation_params: { cloud_name: 'crm', crm_param },
  })
  expect(made.warnings).toEqual(['The cloud accepts one secret of EventBus in 7 days.'])
  const config = `/v1/scheduler/job-configs/${made.id as string}`
  expect((await admin.ok('GET', config)).warnings).toEqual(made.warnings)
  expect((await admin.ok('PATCH', config, { run_at: '0 3 * * mon' })).warnings).toBeUndefined()
})

test('removing an organization removes its records, and the cloud keeps its secrets', async () => {
  const { admin, advance, cloud, stored, sweep } = tests()
  const at = cloud.credentials.findIndex(({ organizationId }) => organizationId === SHOP_SANDBOX)
  cloud.changeSettings(SHOP_SANDBOX, { allowsPasswordFlow: true })
  cloud.seed(SHOP_SANDBOX, 30, () => ({ type: 'EventBus' }))
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'sandbox', at))
  const added = await admin.ok('POST', `${CRM}/add-organizations`, { connection: 'sandbox' })
  const { id } = added
  for (const jobs of [CERTIFICATE_JOBS, KEY_JOBS])
    await endOf(admin, jobs, (await admin.ok('POST', jobs, { organizations: [id] })).id as string)
  const [wrapping] = (await admin.ok('GET', `${CERTIFICATES}?organization_id=${id as string}`)).resources
  const own = secretsOf(admin, id as string)
  await own.create('Data')
  const old = (await own.list(`?organization_id=${id as string}&type=Data&limit=1`)).resources[0]
  await own.create('Data')
  await own.act(old.id as string, 'destroy')
  expect((await own.list(`?organization_id=${id as string}`)).total).toBe(32)
  const endpoint = await admin.ok('POST', ENDPOINTS, {
    ...{ name: 'in-the-way', url_hostname: 'keys.example.test', organization_id: id },
    password_authentication: { username: 'platform', password: 'long enough' },
  })
  await refused(admin.call('DELETE', `${ORGANIZATIONS}/${id as string}`), 409, 9, [])
  await admin.ok('DELETE', `${ENDPOINTS}/${endpoint.id as string}`)
  const items = [
    ['crm-key', old.id],
    ['crm-backup', old.id],
    ['crm-certificate', wrapping.id],
  ] as const
  const left = () => Promise.all(items.map(async ([kind, each]) => stored(each as string, kind)))
  for (const each of await left()) expect(each).toBeDefined()
  const denial = {
    name: 'backups stay',
    effect: 'deny',
    actions: ['DeleteCrmTenantSecretBackup'],
    resources: [old.uri],
  }
  const { id: policy } = await admin.ok('POST', '/v1/admin/policies', denial)
  const to = { policy, principalSelector: { groups: ['admin'] } }
  const held = await admin.ok('POST', '/v1/admin/policy-attachments', to)
  advance(5_000)
  expect((await own.tryAct(old.id as string, 'delete-backup')).status).toBe(403)
  expect((await admin.call('DELETE', `${ORGANIZATIONS}/${id as string}`)).status).toBe(403)
  await sweep()
  for (const each of await left()) expect(each).toBeDefined()
  await admin.ok('DELETE', `/v1/admin/policy-attachments/${held.id as string}`)
  advance(5_000)
  expect(await admin.ok('DELETE', `${ORGANIZATIONS}/${id as string}`)).toEqual({ status: 204 })
  await sweep()
  expect(await left()).toEqual([undefined, undefined, undefined])
  expect((await admin.call('GET', `${KEYS}/${old.id as string}`)).status).toBe(404)
  expect(cloud.secrets(SHOP_SANDBOX).length).toBeGreaterThanOrEqual(32)
})

test('an identifier that a secret of the organization has already is refused, and the secret stays as it is', async () => {
  const { admin, cloud, service, sweep } = tests()
  const at = cloud.credentials.findIndex(({ organizationId }) => organizationId === SHOP_SANDBOX)
  cloud.changeSettings(SHOP_SANDBOX, { allowsPasswordFlow: true, enableCacheOnlyKeys: true })
  cloud.seed(SHOP_SANDBOX, 1, () => ({ status: 'ACTIVE' }))
  await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'again', at))
  /** Adds the organization, and registers a local key under the identifier. */
  const registered = async (source: string) => {
    const { id } = await admin.ok('POST', `${CRM}/add-organizations`, { connection: 'again' })
    for (const jobs of [CERTIFICATE_JOBS, KEY_JOBS])
      await endOf(admin, jobs, (await admin.ok('POST', jobs, { organizations: [id] })).id as string)
    const [certificate] = (await admin.ok('GET', `${CERTIFICATES}?organization_id=${id as string}`)).resources
    await localKey(admin, source)
    const endpoint = await admin.ok('POST', ENDPOINTS, {
      ...{ name: source, url_hostname: 'keys.example.test', organization_id: id, password_authentication: PAIR },
    })
    const credential = cloud.setCredential(SHOP_SANDBOX, {
      developerName: 'again',
      endpoint: `${service.deployment.baseUrl}/v1/keymgr/crm/endpoints/${endpoint.id as string}/keys/`,
      login: { kind: 'password', ...PAIR },
    })
    const answered = await secretsOf(admin, id as string).tryRegister({
      ...{ type: 'Data', certificate_id: certificate.id, source_key_identifier: source },
      ...{ named_credential_id: credential, endpoint_id: endpoint.id },
      crm_param: { RemoteKeyIdentifier: 'one-kid' },
    })
    return { id: id as string, endpoint: endpoint.id as string, answered }
  }
  const first = await registered('first-of-kid')
  expect(first.answered.status, JSON.stringify(first.answered.body)).toBe(201)
  await admin.ok('DELETE', `${ENDPOINTS}/${first.endpoint}`)
  await admin.ok('DELETE', `${ORGANIZATIONS}/${first.id}`)
  await sweep()
  const second = await registered('second-of-kid')
  await refused(Promise.resolve(second.answered), 409, 7, ['#/crm_param/RemoteKeyIdentifier'])
  const own = secretsOf(admin, second.id)
  const { resources } = await own.list(`?organization_id=${second.id}&source=REMOTE`)
  expect(resources).toMatchObject([{ crm_param: { RemoteKeyIdentifier: 'one-kid', status: 'ACTIVE' } }])
  expect(resources[0].local_key_id).toBeUndefined()
})

test('a log-in is shared by all instances until the cloud ends the session', async () => {
  const { admin, cloud, organization, service } = tests()
  const used = () =>
    admin.ok('POST', `${CRM}/get-named-credentials`, { organization_id: organization.id }).then(async () => {
      await service.deployment.kill('crm') // the next request has another instance
      await tests().synchronized(KEY_JOBS) // in the instance of a job
    })
  const logIns = () => cloud.calls().filter(({ operation }) => operation === 'Login').length
  await used()
  const before = logIns()
  await used()
  await used()
  expect(logIns()).toBe(before)
  cloud.endSessions(SHOP)
  await used()
  expect(logIns()).toBe(before + 1)
})
