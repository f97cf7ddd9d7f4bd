import { expect, test } from 'vitest'
import {
  CERTIFICATE_JOBS,
  CERTIFICATES,
  connectionBody,
  CONNECTIONS,
  CRM,
  endpointOf,
  KEY_JOBS,
  localKey,
  ORGANIZATIONS,
  PAIR,
  refused,
  secretsOf,
  SHOP,
  useCrm,
} from './crm.ts'
import { basic, CrmKeysTests } from '../crm-keys/crm-keys.ts'

const tests = useCrm()
const secrets = () => secretsOf(tests().admin, tests().organization.id as string)
const NOTHING = '01890000-0000-7000-8000-00000000ffff'

test('an organization is found, and added once with its connection', async () => {
  const { admin, organization } = tests()
  expect(await admin.ok('POST', `${CRM}/get-organizations`, { connection: 'main' })).toEqual({
    name: 'Shop',
    organization_id: SHOP,
    connection: 'main',
    cloud_name: 'production',
    type: 'production',
  })
  expect(organization).toMatchObject({ organization_id: SHOP, is_sandbox: false, connection: 'main', acls: [] })
  await refused(admin.call('POST', `${CRM}/add-organizations`, { connection: 'main' }), 409, 7, ['#/connection'])
  const listed = await admin.ok('GET', `${ORGANIZATIONS}?organization_id=${SHOP}`)
  expect(listed.resources.map(({ id }: any) => id)).toEqual([organization.id])
})

test('certificates are synchronized, and created with a key that stays in the cloud', async () => {
  const { admin, organization, certificate, cloud } = tests()
  expect(certificate).toMatchObject({ key_size: 4096, exportable: false, platform_encryption: true, gone: false })
  const body = { name: 'made_here', organization_id: organization.id }
  const made = await admin.ok('POST', CERTIFICATES, body)
  expect(made).toMatchObject({ name: 'made_here', key_size: 4096, exportable: false, platform_encryption: true })
  expect(cloud.certificates(SHOP).map(({ id }) => id)).toContain(made.crm_certificate_id)
  await refused(admin.call('POST', CERTIFICATES, { ...body, name: 'two__underscores' }), 422, 2, ['#/name'])
  // the metadata API reports an ended session in a way of its own
  cloud.endSessions(SHOP)
  expect(await admin.ok('POST', CERTIFICATES, { ...body, name: 'made_again' })).toMatchObject({ name: 'made_again' })
})

test('a native secret is active, and archives the one before it', async () => {
  const first = await secrets().create('Data', { name: 'first' })
  expect(first).toMatchObject({
    name: 'first',
    key_material_origin: 'native',
    crm_param: { type: 'Data', status: 'ACTIVE', source: 'HSM' },
  })
  const second = await secrets().create('Data')
  expect(second.crm_param).toMatchObject({ status: 'ACTIVE', version: expect.any(Number) })
  expect((await secrets().get(first.id as string)).crm_param.status).toBe('ARCHIVED')
})

test('uploaded material is that of the local key, under the hash of the connection', async () => {
  const { admin, certificate, cloud } = tests()
  const source = await localKey(admin, 'crm-upload')
  const body = { type: 'Data', certificate_id: certificate.id, source_key_identifier: 'crm-upload' }
  const made = await secrets().upload({ ...body, name: 'uploaded', key_derivation_mode: 'NONE' })
  expect(made).toMatchObject({
    key_material_origin: 'keymgr',
    local_key_name: 'crm-upload',
    certificate_id: certificate.id,
    crm_param: { source: 'UPLOADED', status: 'ACTIVE', key_derivation_mode: 'NONE' },
  })
  expect(cloud.calls().findLast(({ operation }) => operation === 'CreateTenantSecret')?.body).toMatchObject({
    ...{ Type: 'Data', Source: 'UPLOADED', KeyDerivationMode: 'NONE', SecretValueCertificate: 'keymgr_wrapping' },
  })
  expect((await secrets().list(`?local_key_id=${source.id as string}`)).resources).toMatchObject([{ id: made.id }])
  const exported = await admin.act(source.id as string, 'export')
  expect(cloud.materialOf(made.crm_param.crm_id as string)?.toString('hex')).toBe(exported.material)
  await refused(admin.call('DELETE', `${CERTIFICATES}/${certificate.id}`), 409, 9, [])
})

test('a secret too soon after the previous one is refused with 429 and the necessary wait', async () => {
  const { cloud } = tests()
  await secrets().create('Analytics')
  cloud.setIntervals('real')
  try {
    for (const times of [1, 0]) {
      // the cloud's code for it is not public
      const code = { fault: 'refuse', code: 'INVALID_OPERATION', message: 'not now' } as const
      const forget = cloud.inject({ ...code, operation: 'CreateTenantSecret', times })
      const { status, body } = await secrets().tryCreate('Analytics')
      forget()
      expect([status, body.code], JSON.stringify(body)).toEqual([429, 16])
      expect(body.detail).toContain('the cloud takes another after')
    }
  } finally {
    cloud.setIntervals('off')
  }
})

test('material is wrapped with SHA-1 for an organization that refuses SHA-512', async () => {
  const { admin, certificate, cloud } = tests()
  cloud.changeSettings(SHOP, { wrapHashes: ['sha1'] })
  try {
    const upload = async (source: string) => {
      await localKey(admin, source)
      return secrets().tryUpload({ type: 'Data', certificate_id: certificate.id, source_key_identifier: source })
    }
    const count = cloud.secrets(SHOP).length
    const refusal = await upload('wrapped-512')
    expect([422, 429], JSON.stringify(refusal.body)).toContain(refusal.status) // a young secret may be the cause
    expect(refusal.body.detail).toContain('cannot be decrypted to 256 bits')
    expect((await secrets().list('?local_key_id=wrapped-512')).total).toBe(0)
    expect(cloud.secrets(SHOP)).toHaveLength(count)
    await admin.ok('PATCH', `${CONNECTIONS}/main`, { wrap_hash: 'SHA1' })
    expect((await upload('wrapped-1')).status).toBe(201)
  } finally {
    cloud.changeSettings(SHOP, { wrapHashes: ['sha1', 'sha512'] })
    await admin.ok('PATCH', `${CONNECTIONS}/main`, { wrap_hash: 'SHA512' })
  }
})

test('secrets of databases can be neither destroyed nor imported: no call is made', async () => {
  const { cloud } = tests()
  const [crm_id = ''] = cloud.seed(SHOP, 1, () => ({ type: 'Database', status: 'ARCHIVED' }))
  await tests().synchronized(KEY_JOBS)
  const { resources } = await secrets().list('?type=Database&limit=100')
  const found = resources.find(({ crm_param }: any) => crm_param.crm_id === crm_id)
  expect(found).toMatchObject({ crm_param: { type: 'Database', status: 'ARCHIVED' } })
  const calls = cloud.calls().length
  for (const action of ['destroy', 'import']) await refused(secrets().tryAct(found.id as string, action), 409, 8, [])
  expect(cloud.calls()).toHaveLength(calls)
})

test('certificates that cannot wrap are refused before any secret is sent', async () => {
  const { admin, cloud, certificate } = tests()
  const usual = { keySize: 4_096, isEncryptedWithPlatform: true }
  const wishes = {
    exportable: { ...usual, isExportable: true },
    unusable: { ...usual, isUnusable: true },
    plain: { keySize: 4_096, isEncryptedWithPlatform: false },
    expired: { ...usual, expiresAt: Date.parse('2020-01-01') },
  }
  for (const [developerName, wish] of Object.entries(wishes)) cloud.addCertificate(SHOP, { developerName, ...wish })
  await tests().synchronized(CERTIFICATE_JOBS)
  await localKey(admin, 'crm-unwrapped')
  const { endpoint, credential } = await endpointOf(tests(), 'unwrapped')
  const count = cloud.secrets(SHOP).length
  const body = { type: 'Data', source_key_identifier: 'crm-unwrapped' }
  for (const name of Object.keys(wishes)) {
    const [{ id: certificate_id }] = (await admin.ok('GET', `${CERTIFICATES}?name=${name}`)).resources
    const remote = { ...body, certificate_id, named_credential_id: credential, endpoint_id: endpoint.id }
    await refused(secrets().tryRegister(remote), 422, 2, ['#/certificate_id'])
    if (name !== 'exportable')
      await refused(secrets().tryUpload({ ...body, certificate_id }), 422, 2, ['#/certificate_id'])
  }
  expect(cloud.secrets(SHOP)).toHaveLength(count)
  expect(certificate.exportable).toBe(false)
})

test('a refusal because of a setting of the organization names the setting', async () => {
  const { admin, certificate, cloud, service } = tests()
  await localKey(admin, 'crm-settings')
  const { endpoint, credential } = await endpointOf(tests(), 'settings')
  const body = { type: 'Data', certificate_id: certificate.id, source_key_identifier: 'crm-settings' }
  const register = () => secrets().tryRegister({ ...body, named_credential_id: credential, endpoint_id: endpoint.id })
  const named = async (answering: Promise<{ status: number; body: any }>, word: string): Promise<void> => {
    const { status, body: problem } = await answering
    expect([status, problem.detail]).toEqual([422, expect.stringContaining(word)])
  }
  const without = async (setting: string, then: () => Promise<void>): Promise<void> => {
    cloud.changeSettings(SHOP, { [setting]: false })
    await then()
    cloud.changeSettings(SHOP, { [setting]: true })
  }
  await without('enableCacheOnlyKeys', () => named(register(), 'enableCacheOnlyKeys'))
  await without('canOptOutOfDerivationWithBYOK', () =>
    named(secrets().tryUpload({ ...body, key_derivation_mode: 'NONE' }), 'canOptOutOfDerivationWithBYOK'),
  )
  cloud.setCredential(SHOP, {
    ...{ developerName: 'settings', isExternal: true, isOpenToProcesses: false },
    endpoint: `${service.deployment.baseUrl}/v1/keymgr/crm/endpoints/${endpoint.id as string}/keys/`,
    login: { kind: 'password', ...PAIR },
  })
  await named(register(), 'autoproc')
})

test('an archived secret is destroyed with a backup, and imported from it', async () => {
  const { cloud } = tests()
  const old = await secrets().create('Analytics')
  await refused(secrets().tryAct(old.id as string, 'destroy'), 409, 8, [])
  await secrets().create('Analytics')
  const destroyed = await secrets().act(old.id as string, 'destroy')
  expect(destroyed).toMatchObject({ backup: true, crm_param: { status: 'DESTROYED' } })
  expect(cloud.materialOf(old.crm_param.crm_id as string)).toBeUndefined()
  const imported = await secrets().act(old.id as string, 'import')
  expect(imported.crm_param.status).toBe('ARCHIVED')
  expect(cloud.materialOf(old.crm_param.crm_id as string)).toHaveLength(32)
  await refused(secrets().tryAct(old.id as string, 'delete-backup'), 409, 8, [])
  await secrets().act(old.id as string, 'destroy')
  expect(await secrets().act(old.id as string, 'delete-backup')).toMatchObject({ backup: false })
  await refused(secrets().tryAct(old.id as string, 'import'), 409, 8, [])
})

test('a secret that was destroyed at the cloud is refused here, because it can have no backup', async () => {
  const { cloud } = tests()
  const old = await secrets().create('Analytics')
  await secrets().create('Analytics')
  cloud.alter(old.crm_param.crm_id as string, { status: 'DESTROYED' })
  await refused(secrets().tryAct(old.id as string, 'destroy'), 409, 8, [])
  expect(await secrets().get(old.id as string)).toMatchObject({ backup: false, crm_param: { status: 'DESTROYED' } })
})

test('a cache-only key is fetched while it is registered, and refused once it was destroyed here', async () => {
  const { admin, certificate, cloud } = tests()
  await localKey(admin, 'crm-remote')
  const { endpoint, credential } = await endpointOf(tests(), 'remote')
  const body = { type: 'Data', certificate_id: certificate.id, source_key_identifier: 'crm-remote' }
  const made = await secrets().register({ ...body, named_credential_id: credential, endpoint_id: endpoint.id })
  const { crm_id, RemoteKeyIdentifier: kid } = made.crm_param
  expect(made).toMatchObject({ is_served: true, crm_param: { source: 'REMOTE', status: 'ACTIVE' } })
  expect(kid).toBe(made.id)
  expect(await cloud.flush(crm_id as string)).toBe('SUCCESS')

  cloud.alter(crm_id as string, { status: 'DESTROYED' })
  await tests().synchronized(KEY_JOBS)
  expect((await secrets().get(made.id as string)).crm_param.status).toBe('DESTROYED')
  expect(await cloud.flush(crm_id as string)).toBe('SUCCESS') // the cloud's status does not decide

  await secrets().act(made.id as string, 'destroy')
  expect(await cloud.flush(crm_id as string)).not.toBe('SUCCESS')
  const active = await secrets().act(made.id as string, 'activate')
  expect(active).toMatchObject({ is_served: true, crm_param: { status: 'ACTIVE' } })
  expect(await cloud.flush(crm_id as string)).toBe('SUCCESS')
})

test('an activation that is finally refused does not serve a destroyed key again', async () => {
  const { admin, certificate, cloud } = tests()
  await localKey(admin, 'crm-lifted')
  const { endpoint, credential } = await endpointOf(tests(), 'lifted')
  const body = { type: 'Data', certificate_id: certificate.id, source_key_identifier: 'crm-lifted' }
  const made = await secrets().register({ ...body, named_credential_id: credential, endpoint_id: endpoint.id })
  const { crm_id } = made.crm_param
  const credentialWith = (password: string): string =>
    cloud.setCredential(SHOP, {
      developerName: 'lifted',
      endpoint: `${tests().service.deployment.baseUrl}/v1/keymgr/crm/endpoints/${endpoint.id as string}/keys/`,
      login: { kind: 'password', ...PAIR, password },
    })
  await secrets().act(made.id as string, 'destroy')
  const forget = cloud.inject({
    fault: 'unavailable',
    operation: 'UpdateTenantSecret',
    when: ({ params }) => params.id === crm_id,
  })
  expect((await secrets().tryAct(made.id as string, 'activate')).status).toBe(503)
  forget()
  credentialWith('another one')
  expect((await secrets().tryAct(made.id as string, 'activate')).status).toBe(422)
  credentialWith(PAIR.password)
  expect(await secrets().get(made.id as string)).toMatchObject({ is_served: false })
  expect(await cloud.flush(crm_id as string)).not.toBe('SUCCESS')
})

test('a registration that the cloud refuses leaves neither a record nor a served key', async () => {
  const { admin, certificate } = tests()
  const { endpoint } = await endpointOf(tests(), 'wrong', {
    password_authentication: { ...PAIR, password: 'another one' },
  })
  const credential = tests().cloud.setCredential(SHOP, {
    developerName: 'wrong',
    endpoint: `${tests().service.deployment.baseUrl}/v1/keymgr/crm/endpoints/${endpoint.id}/keys/`,
    login: { kind: 'password', ...PAIR },
  })
  await localKey(admin, 'crm-wrong')
  const body = { type: 'Data', certificate_id: certificate.id, source_key_identifier: 'crm-wrong' }
  const crm_param = { RemoteKeyIdentifier: 'wrong-kid' }
  const answered = await secrets().tryRegister({
    ...body,
    named_credential_id: credential,
    endpoint_id: endpoint.id,
    crm_param,
  })
  expect(answered.status).toBe(422)
  const { resources } = await secrets().list('?source=REMOTE&limit=-1')
  expect(resources.map(({ crm_param: param }: any) => param.RemoteKeyIdentifier)).not.toContain('wrong-kid')
  const path = `/v1/keymgr/crm/endpoints/${endpoint.id as string}/keys/wrong-kid`
  const authorization = basic({ ...PAIR, password: 'another one' })
  expect((await new CrmKeysTests(tests()).get(path, authorization)).status).toBe(404)
})

test('the local key of a registration under way is in use; with force deleted, it is not registered', async () => {
  const { admin, certificate, cloud } = tests()
  const { endpoint, credential } = await endpointOf(tests(), 'under-way')
  const at = '/v1/vault/keys2/crm-under-way'
  await localKey(admin, 'crm-under-way')
  const wanted = {
    ...{ type: 'Data', certificate_id: certificate.id, source_key_identifier: 'crm-under-way' },
    ...{ named_credential_id: credential, endpoint_id: endpoint.id },
    crm_param: { RemoteKeyIdentifier: 'under-way' },
  }
  cloud.setDailyLimit(0)
  try {
    expect((await secrets().tryRegister(wanted)).status).toBe(429)
    await refused(admin.call('DELETE', at), 409, 9, [])
    await admin.ok('POST', `${at}/revoke`, { reason: 'CessationOfOperation' })
    expect((await admin.call('DELETE', `${at}?force=true`)).status).toBe(200)
  } finally {
    cloud.setDailyLimit(100_000)
  }
  await refused(secrets().tryRegister(wanted), 409, 8, [])
  const path = `/v1/keymgr/crm/endpoints/${endpoint.id as string}/keys/under-way`
  expect((await new CrmKeysTests(tests()).get(path)).status).toBe(404)
  expect(JSON.stringify(cloud.secrets(SHOP))).not.toContain('under-way')
})

test('keys, certificates and endpoints that do not fit are refused before any call', async () => {
  const { admin, certificate, organization } = tests()
  await localKey(admin, 'crm-128', { size: 128 })
  const body = { type: 'Data', certificate_id: certificate.id, source_key_identifier: 'crm-128' }
  await refused(secrets().tryUpload(body), 422, 2, ['#/source_key_identifier'])
  await refused(secrets().tryUpload({ ...body, certificate_id: NOTHING }), 404, 5, ['#/certificate_id'])
  const { resources } = await admin.ok('GET', `${CERTIFICATES}?name=keymgr_callouts`)
  await localKey(admin, 'crm-256')
  const small = { ...body, source_key_identifier: 'crm-256', certificate_id: resources[0].id }
  await refused(secrets().tryUpload(small), 422, 2, ['#/certificate_id'])
  await refused(secrets().tryUpload({ ...body, type: 'Database' }), 422, 2, ['#/type'])
  const remote = { ...small, named_credential_id: '0XA000000000000AAA', endpoint_id: NOTHING }
  await refused(secrets().tryRegister(remote), 404, 5, ['#/endpoint_id'])
  await refused(admin.call('DELETE', `${ORGANIZATIONS}/${organization.id}`), 409, 9, [])
})

test('a connection is tested, changed and tested again, and its organization keeps its permissions', async () => {
  const { admin, cloud, organization, user } = tests()
  const body = { ...connectionBody(cloud, 'unsaved'), name: undefined }
  const unsaved = await admin.ok('POST', '/v1/connectionmgmt/services/crm/connection-test', body)
  expect(unsaved).toMatchObject({ connection_ok: true })
  const wrong = await admin.ok('POST', '/v1/connectionmgmt/services/crm/connection-test', {
    ...body,
    client_id: 'none',
  })
  expect(wrong).toMatchObject({ connection_ok: false, connection_failed_step: 'log_in' })
  const changed = await admin.ok('PATCH', `${CONNECTIONS}/main`, { description: 'the shop' })
  expect(changed).toMatchObject({ name: 'main', description: 'the shop' })
  expect(await admin.ok('POST', `${CONNECTIONS}/main/test`, {})).toMatchObject({ connection_ok: true })
  expect(await admin.ok('PATCH', `${ORGANIZATIONS}/${organization.id}`, { connection: 'main' })).toMatchObject({
    organization_id: SHOP,
  })
  const { holder, sub } = await user('shop-reader', ['keymgr Users'])
  expect((await holder.call('GET', `${ORGANIZATIONS}/${organization.id}`)).status).toBe(404)
  const acls = [{ user_id: sub, permit: true, actions: ['view'] }]
  const permitted = await admin.ok('POST', `${ORGANIZATIONS}/${organization.id}/update-acls`, { acls })
  expect(permitted.acls).toEqual([{ user_id: sub, actions: ['view'] }])
  expect((await holder.call('GET', `${ORGANIZATIONS}/${organization.id}`)).status).toBe(200)
})

test('named credentials of the organization are found, and the words of a secret are changed', async () => {
  const { admin, organization } = tests()
  const { credential } = await endpointOf(tests(), 'named')
  const found = await admin.ok('POST', `${CRM}/get-named-credentials`, { organization_id: organization.id })
  expect(found.named_credentials.map(({ id }: any) => id)).toContain(credential)
  const secret = await secrets().create('EventBus')
  const changed = await secrets().update(secret.id as string, { name: 'events', description: 'of the bus' })
  expect(changed).toMatchObject({ name: 'events', crm_param: { description: 'of the bus' } })
  const cleared = await secrets().update(secret.id as string, { description: null })
  expect(cleared.crm_param.description).toBeUndefined()
})

test('a created secret that may not be read is recorded with the reason, until it is read', async () => {
  const { admin, cloud } = tests()
  const forget = cloud.inject({ fault: 'access-denied', operation: 'GetRecord' })
  const refusal = await secrets().tryCreate('DeterministicData', { name: 'made blindly' })
  expect(refusal.status, JSON.stringify(refusal.body)).toBe(502)
  const work = `${CRM}/unfinished-work`
  const { resources } = await admin.ok('GET', work)
  for (const { id } of resources) await admin.ok('POST', `${work}/${id as string}/give-up`)
  forget()
  const [record] = (await secrets().list('?name=made%20blindly')).resources
  expect(record).toMatchObject({ error_msg: 'It was given up by admin.' })
  await tests().synchronized(KEY_JOBS)
  expect((await secrets().get(record.id as string)).error_msg).toBeUndefined()
})

test.each(['key-aging', 'service-report', 'reconciliation-report'])(
  'secrets are listed by a %s',
  async (report_type) => {
    const { admin, organization, at } = tests()
    const { id } = await admin.ok('POST', `${CRM}/reports`, {
      ...{ name: report_type, report_type, start_time: at(-3_600_000), end_time: at(-1_000) },
      crm_params: [{ organization_id: organization.id }],
    })
    const get = () => admin.ok('GET', `${CRM}/reports/${id as string}`)
    await expect.poll(async () => (await get()).overall_status, { timeout: 20_000 }).not.toBe('in_progress')
    expect(await get()).toMatchObject({ overall_status: 'completed', organizations: [SHOP] })
    const { total } = await admin.ok('GET', `${CRM}/reports/${id as string}/contents?limit=100`)
    expect(total).toBeGreaterThan(0)
  },
)
