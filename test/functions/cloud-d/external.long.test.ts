import { beforeAll, expect, test } from 'vitest'
import { ExternalTests } from '../external-vaults/external-vaults.ts'
import { AT_ONCE, rotation, schedulerOf } from '../scheduler/scheduler.ts'
import { CLOUD_D, JOBS, KEYS, keyBody, refused, useCloudD, VAULTS } from './cloud-d.ts'

const tests = useCloudD(AT_ONCE)
let external: ExternalTests
let vault: any
let key: any
beforeAll(async () => {
  external = new ExternalTests(tests())
  vault = await external.newVault({ vault_name: 'harbour' })
  key = await external.newKey(vault, { name: 'anchor' })
})
const ask = (method: string, path: string, body?: unknown) => tests().admin.call(method, path, body)
const ok = (method: string, path: string, body?: unknown): Promise<any> => tests().admin.ok(method, path, body)

test('an external vault is shown with its address for the cloud', async () => {
  expect(await ok('GET', `${VAULTS}/${vault.id}`)).toEqual(vault)
  expect(vault).toMatchObject({
    ...{ display_name: 'harbour', vault_id: vault.id, vault_type: 'EXTERNAL', tenancy: 'elsewhere' },
    external_vault_params: {
      vault_name: 'harbour',
      issuer_id: (await external.issuer()).id,
      client_application_id: external.client().id,
      ...{ endpoint_url_hostname: 'ekm.keymgr.test', endpoint_url_port: 443 },
      endpoint_url: `https://ekm.keymgr.test/api/v1/keymgr/cloud-d/ekm/v1/vaults/${vault.id}`,
      ...{ blocked: false, linked_state: false, source_key_tier: 'local', enable_success_audit_event: true },
    },
  })
  expect(vault).not.toHaveProperty('connection')
  const { resources } = await ok('GET', `${VAULTS}?vault_type=EXTERNAL&linked_state=false`)
  expect(resources.map(({ id }: any) => id)).toContain(vault.id)
  expect((await ok('GET', `${VAULTS}?linked_state=true`)).total).toBe(0)
})

test('a vault of a connection belongs to its tenancy', async () => {
  const body = await external.vaultBody({ connection: 'main', tenancy: undefined, endpoint_url_port: 8443 })
  const made = await ok('POST', `${CLOUD_D}/create-external-vault`, body)
  expect(made).toMatchObject({ connection: 'main', tenancy: 'shop' })
  expect(made.external_vault_params.endpoint_url).toMatch(/^https:\/\/ekm\.keymgr\.test:8443\/api\//)
  expect(await ok('PATCH', `${VAULTS}/${made.id}`, { connection: 'main' })).toMatchObject({ connection: 'main' })
  await ok('DELETE', `${VAULTS}/${made.id}`)
  await refused(ask('PATCH', `${VAULTS}/${vault.id}`, { connection: 'main' }), 422, 2, ['#/connection'])
})

test.each<[string, object, number, string[]]>([
  ['neither connection nor tenancy', { tenancy: undefined }, 422, ['#/connection']],
  ['both', { connection: 'main' }, 422, ['#/tenancy']],
  ['an unknown tenancy', { tenancy: 'nowhere' }, 404, ['#/tenancy']],
  ['an unknown issuer', { issuer_id: 'nobody' }, 404, ['#/issuer_id']],
  ['a host with a path', { endpoint_url_hostname: 'ekm.test/x' }, 422, ['#/endpoint_url_hostname']],
  ['a policy that does not compile', { policy: 'package x\nallow {' }, 422, ['#/policy']],
  ['another tier', { source_key_tier: 'hsm' }, 422, ['#/source_key_tier']],
])('an external vault with %s is refused', async (_what, more, status, fields) => {
  const { status: got, body } = await ask('POST', `${CLOUD_D}/create-external-vault`, await external.vaultBody(more))
  expect(got, JSON.stringify(body)).toBe(status)
  expect([...new Set(body.errors.map(({ pointer }: any) => pointer))]).toEqual(fields)
})

test('an external key is shown with the fields of every key', async () => {
  expect(await ok('GET', `${KEYS}/${key.id}`)).toEqual(key)
  expect(key).toMatchObject({
    ...{
      vault_id: vault.id,
      vault_resource_id: vault.id,
      key_material_origin: 'keymgr',
      version_count: 1,
      gone: false,
    },
    hyok_key_params: { name: 'anchor', blocked: false, linked_state: false, state: 'ENABLED' },
    cloud_d_params: {
      key_id: key.id,
      display_name: 'anchor',
      algorithm: 'AES',
      length: 32,
      protection_mode: 'EXTERNAL',
    },
  })
  const { resources } = await ok('GET', `${KEYS}?vault_id=harbour&blocked=false`)
  expect(resources).toEqual([key])
  const versions = await ok('GET', `${KEYS}/${key.id}/versions`)
  expect(versions.resources).toEqual([
    expect.objectContaining({
      ...{ id: key.cloud_d_params.current_key_version, version_id: key.cloud_d_params.current_key_version },
      ...{ origin: 'EXTERNAL', is_current: true, local_key_name: key.local_key_name, local_key_version: 0 },
    }),
  ])
})

test.each<[string, object]>([
  ['of 128 bits', { size: 128 }],
  ['of RSA', { algorithm: 'rsa', size: 2048 }],
  ['that may not decrypt', { usageMask: 4 }],
])('a source key %s is refused', async (_what, more) => {
  const { name } = await external.localKey(more)
  const body = { vault: vault.id, name: 'x', source_key_identifier: name }
  const answer = await ask('POST', `${CLOUD_D}/create-external-key`, body)
  expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '#/source_key_identifier'])
})

test('an external key is created only in an external vault, and other keys only in others', async () => {
  const { name } = await external.localKey()
  const body = { vault: 'orders', name: 'x', source_key_identifier: name }
  await refused(ask('POST', `${CLOUD_D}/create-external-key`, body), 422, 2, ['#/vault'])
  const native = keyBody('x', { vault: vault.id, algorithm: 'AES', length: 32 })
  await refused(ask('POST', KEYS, native), 422, 2, ['#/vault'])
})

test('actions at the cloud are refused for external keys and vaults', async () => {
  for (const action of ['enable', 'disable', 'refresh', 'restore', 'delete-backup', 'cancel-deletion'])
    await refused(ask('POST', `${KEYS}/${key.id}/${action}`), 409, 8, [])
  await refused(ask('POST', `${KEYS}/${key.id}/schedule-deletion`, {}), 409, 8, [])
  const version = `${KEYS}/${key.id}/versions/${key.cloud_d_params.current_key_version}`
  await refused(ask('POST', `${version}/schedule-deletion`, {}), 409, 8, [])
  await refused(ask('POST', JOBS, { cloud_d_vaults: [vault.id] }), 409, 8, [])
  const orders = tests().vault
  for (const action of ['block', 'unblock', 'unlink'])
    await refused(ask('POST', `${VAULTS}/${orders.id}/${action}`), 409, 8, [])
})

test('a synchronization of all vaults leaves external ones out', async () => {
  const job = await ok('POST', JOBS, { synchronize_all: true })
  await tests().service.deployment.flows.idle()
  const done = await ok('GET', `${JOBS}/${job.id}`)
  expect(done.overall_status).toBe('completed')
  expect(done.cloud_d_vaults).not.toContain(vault.id)
})

test('reports that need the cloud fail for an external vault with the reason, and others are complete', async () => {
  const reported = async (report_type: string): Promise<any> => {
    const body = { name: report_type, report_type, cloud_d_params: [{ vault: vault.id }] }
    const { id } = await ok('POST', `${CLOUD_D}/reports`, body)
    await tests().service.deployment.flows.idle()
    return ok('GET', `${CLOUD_D}/reports/${id}`)
  }
  for (const type of ['key-report', 'reconciliation-report']) {
    const { overall_status, detailed_status } = await reported(type)
    expect([overall_status, Object.values(detailed_status as object)]).toEqual([
      'failed',
      [expect.stringMatching(/^The vault .*is external/)],
    ])
  }
  for (const type of ['key-aging', 'service-report']) expect((await reported(type)).overall_status).toBe('completed')
})

test('name, issuer, host, policy and client of an external vault change, and nothing at the cloud', async () => {
  const own = await external.newVault()
  const issuer = await external.newIssuer()
  const policy = 'package x\ndefault allow = true'
  const change = { vault_name: 'quay', issuer_id: issuer.name, endpoint_url_port: 444, policy }
  const changed = await ok('PATCH', `${VAULTS}/${own.id}`, { ...change, client_application_id: 'c' })
  expect(changed).toMatchObject({ name: 'quay', display_name: 'quay' })
  expect(changed.external_vault_params).toMatchObject({
    ...change,
    ...{ issuer_id: issuer.id, client_application_id: 'c' },
  })
  await refused(ask('PATCH', `${VAULTS}/${own.id}`, { bucket_name: 'b' }), 422, 2, ['#/bucket_name'])
  const orders = tests().vault
  await refused(ask('PATCH', `${VAULTS}/${orders.id}`, { policy }), 422, 2, ['#/policy'])
  const records = await tests().records(`resource_uri=${encodeURIComponent(own.uri as string)}`)
  expect(JSON.stringify(records)).not.toContain('default allow')
  expect(records.at(-1).details.after.policy_hash).toMatch(/^[0-9a-f]{64}$/)
  await ok('DELETE', `${VAULTS}/${own.id}`)
})

test('name and policy of an external key change', async () => {
  const policy = 'package x\ndefault allow = true'
  const own = await external.newKey(vault)
  expect(await ok('PATCH', `${KEYS}/${own.id}`, { name: 'chain', policy })).toMatchObject({
    ...{ hyok_key_params: { name: 'chain', policy }, cloud_d_params: { display_name: 'chain' } },
  })
  await refused(ask('PATCH', `${KEYS}/${own.id}`, { freeform_tags: {} }), 422, 2, ['#/freeform_tags'])
  await ok('DELETE', `${KEYS}/${own.id}`)
})

test('an issuer that a vault trusts stays, and the refusal names the vault', async () => {
  const issuer = await external.issuer()
  const { body } = await ask('DELETE', `${CLOUD_D}/issuers/${issuer.id}`)
  expect([body.code, body.detail]).toEqual([9, expect.stringContaining('harbour')])
  const free = await external.newIssuer()
  await ok('DELETE', `${CLOUD_D}/issuers/${free.id}`)
})

test('a vault with a key cannot be removed, nor a tenancy with vaults, nor a local key in use', async () => {
  await refused(ask('DELETE', `${VAULTS}/${vault.id}`), 409, 9, [])
  const { resources } = await ok('GET', `${CLOUD_D}/tenancy?tenancy=elsewhere`)
  await refused(ask('DELETE', `${CLOUD_D}/tenancy/${resources[0].id}`), 409, 9, [])
  await refused(ask('DELETE', `/v1/vault/keys2/${key.local_key_name}`), 409, 9, [])
  // nothing of its material is at the cloud
  const { uses } = await ok('GET', `/v1/vault/keys2/${key.local_key_name}/uses`)
  expect(uses).toMatchObject([{ kind: 'cloud-d external key version', haveCopies: false }])
  expect((await ok('GET', `${KEYS}?local_key_id=${key.local_key_id}`)).resources).toMatchObject([{ id: key.id }])
})

test('a new version of a local key that its external key could not use is refused', async () => {
  const later = ask('POST', `/v1/vault/keys2/${key.local_key_name}/versions`, { offset: 3600 })
  await refused(later, 422, 2, ['#/offset'])
})

test('every external key over a local key follows its new version, however many they are', async () => {
  const { name } = await external.localKey()
  const own = await external.newVault()
  for (let made = 0; made < 25; made++) await external.newKey(own, { source_key_identifier: name })
  const shown = async (): Promise<any[]> => (await ok('GET', `${KEYS}?vault_id=${own.id}&limit=-1`)).resources
  const counts = async () => [...new Set((await shown()).map(({ version_count }) => version_count))]
  await ok('POST', `/v1/vault/keys2/${name}/versions`, {})
  expect(await counts()).toEqual([2])
  const last = (await shown()).at(-1)
  const version = await ok('POST', `${KEYS}/${last.id}/versions`, { is_native: true })
  expect(version).toMatchObject({ is_current: true, rotation_type: 'external', local_key_version: 2 })
  expect(await counts()).toEqual([3])
  const { resources } = await ok('GET', `${KEYS}/${last.id}/versions`)
  expect(resources.map(({ local_key_version }: any) => local_key_version)).toEqual([0, 1, 2])
  const later = ask('POST', `/v1/vault/keys2/${name}/versions`, { offset: 3600 })
  await refused(later, 422, 2, ['#/offset'])
  for (const { id } of await shown()) await ok('DELETE', `${KEYS}/${id}`)
  await ok('DELETE', `${VAULTS}/${own.id}`)
})

test('a version of a local key can be used by one external key only', async () => {
  const again = { source_key_identifier: key.local_key_name }
  await refused(ask('POST', `${KEYS}/${key.id}/versions`, again), 409, 8, [])
})

test('a user sees external keys and may use them by permissions of their own', async () => {
  const { holder, sub } = await tests().user('helm', ['keymgr Users'])
  const permit = (...actions: string[]) =>
    ok('POST', `${VAULTS}/${vault.id}/update-acls`, { acls: [{ permit: true, user_id: sub, actions }] })
  const path = `${KEYS}/${key.id}`
  expect((await holder.call('GET', path)).status).toBe(404)
  await permit('view')
  expect((await holder.call('GET', path)).status).toBe(404)
  expect((await holder.ok('GET', KEYS)).total).toBe(0)
  await permit('viewhyokkey')
  expect((await holder.ok('GET', KEYS)).resources.map(({ id }: any) => id)).toEqual([key.id])
  expect((await holder.call('POST', `${path}/block`)).status).toBe(403)
  await permit('hyokkeyblockunblock')
  await holder.ok('POST', `${path}/block`)
  await holder.ok('POST', `${path}/unblock`)
  for (const [method, tail, body] of [
    ['PATCH', '', { name: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/versions', { is_native: true }],
  ] as const)
    expect((await holder.call(method, `${path}${tail}`, body)).status).toBe(403)
})

test('a scheduled rotation gives an external key a new version of its local key', async () => {
  const own = await external.newKey(vault)
  const scheduler = schedulerOf(tests())
  const config = await scheduler.create(rotation('tides', { cloud_name: 'cloud-d' }))
  const joined = { job_config_id: config.id, auto_rotate_key_source: 'local' }
  await ok('POST', `${KEYS}/${own.id}/enable-auto-rotation`, joined)
  expect(await scheduler.ran(config.id as string)).toMatchObject({ status: 'completed', success_count: 1 })
  expect(await ok('GET', `${KEYS}/${own.id}`)).toMatchObject({ version_count: 2, local_key_name: own.local_key_name })
})
