import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { USAGE } from '../../../shared/crypto/usage.ts'
import { versionUuid } from '../../../shared/endpoints/dke/identifiers.ts'
import { childAdmin } from '../../support/callers.ts'
import { expectRefused, useVault } from '../vault/vault.ts'
import { dkeOf, ENDPOINTS, HOST, TENANT } from './dke.ts'

const vault = useVault()
const admin = () => vault().admin
let dke: ReturnType<typeof dkeOf>
beforeAll(() => {
  dke = dkeOf(vault())
})

const EMAIL = {
  authorization_type: 'email',
  valid_issuers: [`https://sts.windows.net/${TENANT}/`],
  email_authz_params: { authorized_email_addresses: ['*@shop.test'] },
}

describe('a new endpoint', () => {
  test('has its own key, which stays here, and an address with both names', async () => {
    const endpoint = await dke.create({ name: 'first', meta: { team: 'shop' }, authorization_params: EMAIL })
    const id = endpoint.id as string
    const keyPath = `/api/v1/keymgr/docsuite/dke-data-plane/endpoints/${id}/keys/dke-${id}`
    expect(endpoint).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      uri: `keymgr:${ROOT_DOMAIN_ID}:keymgr:dke-endpoint:${id}`,
      account: expect.any(String),
      devAccount: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      name: 'first',
      key_uri_hostname: HOST,
      key_uri: `https://${HOST}${keyPath}`,
      kek_name: `dke-${id}`,
      kek_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      kek_uuid: versionUuid(id, 0),
      kek_version: '0',
      meta: { team: 'shop' },
      key_type: 'asymmetric',
      algorithm: 'RSA_DECRYPT_OAEP_2048_SHA256',
      enable_success_audit_event: true,
      auth_tenants: [TENANT],
      authorization_params: EMAIL,
      auto_rotate: false,
      status: 'Enabled',
      source_key_tier: 'local',
    })
    expect(await admin().get(endpoint.kek_name as string)).toMatchObject({
      id: endpoint.kek_id,
      algorithm: 'rsa',
      size: 2048,
      objectType: 'Private Key',
      unexportable: true,
      undeletable: true,
      usageMask: USAGE.sign | USAGE.verify,
    })
    expect(await dke.get(endpoint)).toEqual(endpoint)
  })

  test('is disabled when it is asked to be, and may have a port', async () => {
    const { status, key_uri: uri } = await dke.create({ enabled: false, key_uri_hostname: `${HOST}:8443` })
    expect(status).toBe('Disabled')
    expect(uri).toMatch(new RegExp(`^https://${HOST}:8443/`))
  })

  const issuer = EMAIL.valid_issuers[0]
  const params = (more: object): object => ({ authorization_params: { ...EMAIL, ...more } })
  const AT = '#/authorization_params'
  test.each<[string, object, string, number, number]>([
    ['no name', { name: undefined }, '#/name', 422, 2],
    ['no host', { key_uri_hostname: undefined }, '#/key_uri_hostname', 422, 2],
    ['a host with a scheme', { key_uri_hostname: `https://${HOST}` }, '#/key_uri_hostname', 422, 2],
    ['a host with a path', { key_uri_hostname: `${HOST}/x` }, '#/key_uri_hostname', 422, 2],
    ['a port that is none', { key_uri_hostname: `${HOST}:65536` }, '#/key_uri_hostname', 422, 2],
    ['another algorithm', { algorithm: 'RSA_DECRYPT_OAEP_4096_SHA512' }, '#/algorithm', 422, 2],
    ['a symmetric key', { key_type: 'symmetric' }, '#/key_type', 422, 2],
    ['a flag that is a text', { enabled: 'true' }, '#/enabled', 400, 1],
    ['a field nobody knows', { colour: 'red' }, '#/colour', 400, 1],
    ['a tenant that is no id', { auth_tenants: ['shop.test'] }, '#/auth_tenants/0', 422, 2],
    ['a type nobody knows', params({ authorization_type: 'group' }), `${AT}/authorization_type`, 422, 2],
    ['two issuers', params({ valid_issuers: [issuer, `${issuer}x`] }), `${AT}/valid_issuers`, 422, 2],
    ['no issuer', params({ valid_issuers: [] }), `${AT}/valid_issuers`, 422, 2],
    ['no addresses', params({ email_authz_params: undefined }), `${AT}/email_authz_params`, 422, 2],
    [
      'an empty list of addresses',
      params({ email_authz_params: { authorized_email_addresses: [] } }),
      `${AT}/email_authz_params/authorized_email_addresses`,
      422,
      2,
    ],
    [
      'an address with a look-alike',
      params({ email_authz_params: { authorized_email_addresses: ['аlice@shop.test'] } }),
      `${AT}/email_authz_params/authorized_email_addresses/0`,
      422,
      2,
    ],
    [
      'no roles',
      params({ authorization_type: 'role', email_authz_params: undefined }),
      `${AT}/role_authz_params`,
      422,
      2,
    ],
    [
      'roles beside addresses',
      params({ role_authz_params: { authorized_roles: ['Sales'] } }),
      `${AT}/role_authz_params`,
      422,
      2,
    ],
    ['a key that is not there', { existing_key_id: 'no such key' }, '#/existing_key_id', 404, 5],
  ])('with %s is refused, naming it', async (_what, body, pointer, status, code) => {
    expectRefused(await dke.tryCreate(body), status, code, pointer)
  })

  test('needs a free name', async () => {
    await dke.create({ name: 'taken' })
    expectRefused(await dke.tryCreate({ name: 'taken' }), 409, 7, '#/name')
  })
})

describe('an existing key', () => {
  test.each<[string, object]>([
    ['exportable', { unexportable: false }],
    ['deletable', { undeletable: false }],
    ['of another size', { size: 3072 }],
    ['symmetric', { algorithm: 'aes' }],
    ['on a curve', { algorithm: 'ec' }],
    ['not allowed to verify', { usageMask: USAGE.sign }],
    ['not active yet', { activationDate: '2100-01-01T00:00:00Z' }],
    ['without material', { emptyMaterial: true }],
  ])('that is %s is refused', async (_what, key) => {
    const { id } = await dke.localKey(key)
    expectRefused(await dke.tryCreate({ existing_key_id: id }), 422, 2, '#/existing_key_id')
  })

  test('is taken by its name or the id of any version, by one endpoint', async () => {
    const first = await dke.localKey()
    const second = await admin().act(first.name as string, 'versions', {})
    const endpoint = await dke.create({ existing_key_id: first.id })
    expect(endpoint).toMatchObject({ kek_name: first.name, kek_id: second.id, kek_version: '1' })
    expect(endpoint.kek_uuid).toBe(versionUuid(endpoint.id as string, 1))
    expectRefused(await dke.tryCreate({ existing_key_id: first.name }), 409, 7, '#/existing_key_id')
  })

  test('is in use as long as the endpoint exists', async () => {
    const { name } = await dke.localKey()
    const endpoint = await dke.create({ existing_key_id: name })
    for (const half of [name, `${name as string}_public`]) await admin().update(half as string, { undeletable: false })
    const refusal = await admin().call('DELETE', `/v1/vault/keys2/${name as string}`)
    expectRefused(refusal, 409, 9)
    expect(refusal.body.detail).toContain('1 DKE endpoint')
    expect((await dke.remove(endpoint)).body).toEqual({ status: 204 })
    expect((await admin().call('GET', `${ENDPOINTS}/${endpoint.id as string}`)).status).toBe(404)
    await admin().remove(name as string)
  })

  test('needs a caller with permission to sign and verify with it', async () => {
    const key = await dke.localKey()
    const { holder } = await vault().user('endpoints-only', ['keymgr Admins'])
    const own = dkeOf(vault(), holder)
    expectRefused(await own.tryCreate({ existing_key_id: key.id }), 404, 5, '#/existing_key_id')
    await vault().admin.ok('POST', '/v1/usermgmt/groups', { name: 'Signers' })
    const { holder: signer, sub } = await vault().user('signs-only', ['keymgr Admins', 'Key Users'])
    await vault().admin.ok('POST', `/v1/usermgmt/groups/Signers/users/${sub}`)
    const permitted = (permissions: object) => admin().update(key.id as string, { meta: { permissions } })
    await permitted({ SignWithKey: ['Signers'] })
    const theirs = dkeOf(vault(), signer)
    expectRefused(await theirs.tryCreate({ existing_key_id: key.id }), 403, 4)
    await permitted({ SignWithKey: ['Signers'], SignVerifyWithKey: ['Signers'] })
    const endpoint = await theirs.create({ existing_key_id: key.id })
    expectRefused(await theirs.act(endpoint, 'rotate'), 403, 4) // requires the permission to change the key
    expect((await dke.act(endpoint, 'rotate')).body).toMatchObject({ kek_version: '1' })
  })

  test('is followed: new documents use a version that was created in the vault', async () => {
    const key = await dke.localKey()
    const endpoint = await dke.create({ existing_key_id: key.name })
    const next = await admin().act(key.name as string, 'versions', {})
    expect(await dke.get(endpoint)).toMatchObject({
      kek_id: next.id,
      kek_version: '1',
      kek_uuid: versionUuid(endpoint.id as string, 1),
      key_uri: endpoint.key_uri,
    })
    const waiting = await admin().tryAct(key.name as string, 'versions', { offset: 3_600 })
    expectRefused(waiting, 422, 2, '#/offset')
    const weaker = await admin().tryAct(key.name as string, 'versions', { usageMask: USAGE.sign })
    expectRefused(weaker, 422, 2, '#/usageMask')
  })
})

test('disable, enable and rotate work in the permitted states, and each is recorded', async () => {
  const endpoint = await dke.create()
  expectRefused(await dke.act(endpoint, 'enable'), 409, 8)
  expect((await dke.act(endpoint, 'disable')).body).toMatchObject({ status: 'Disabled' })
  expectRefused(await dke.act(endpoint, 'disable'), 409, 8)
  expectRefused(await dke.act(endpoint, 'rotate'), 409, 8)
  expect((await dke.act(endpoint, 'enable')).body).toMatchObject({ status: 'Enabled' })
  expect((await dke.act(endpoint, 'rotate', undefined, { 'if-match': '"1"' })).status).toBe(412)
  const { body: rotated } = await dke.act(endpoint, 'rotate')
  expect(rotated).toMatchObject({ kek_version: '1', key_uri: endpoint.key_uri })
  expect(rotated.kek_id).not.toBe(endpoint.kek_id)
  expect(rotated.kek_uuid).toBe(versionUuid(endpoint.id as string, 1))
  const records = await vault().records(`resource_uri=${endpoint.uri as string}`)
  expect(records.map(({ message, success }) => `${message as string} ${String(success)}`)).toEqual([
    'Create DKE Endpoint true',
    'Disable DKE Endpoint true',
    'Enable DKE Endpoint true',
    'Rotate DKE Endpoint true',
  ])
  expect(records.at(-1).details).toMatchObject({ before: { kek_version: '0' }, after: { kek_version: '1' } })
})

test('an archived endpoint can only be viewed, deleted, or recovered as disabled', async () => {
  const endpoint = await dke.create()
  expectRefused(await dke.act(endpoint, 'recover'), 409, 8)
  const { body: archived } = await dke.act(endpoint, 'archive')
  expect(archived).toMatchObject({ status: 'Archived', archived_at: expect.any(String) })
  for (const action of ['archive', 'enable', 'disable', 'rotate'])
    expectRefused(await dke.act(endpoint, action), 409, 8)
  expectRefused(await dke.act(endpoint, 'enable-key-rotation-job', { job_config_id: randomUUID() }), 409, 8)
  expectRefused(await dke.update(endpoint, { description: 'x' }), 409, 8)
  expect(await dke.get(endpoint)).toEqual(archived)
  const { body: recovered } = await dke.act(endpoint, 'recover')
  expect(recovered.status).toBe('Disabled')
  expect(recovered).not.toHaveProperty('archived_at')
  await dke.act(endpoint, 'archive')
  expect((await dke.remove(endpoint)).body).toEqual({ status: 204 })
  expect((await admin().get(endpoint.kek_name as string)).state).toBe('Active')
})

describe('a PATCH', () => {
  test('changes the given fields, and the address follows the host', async () => {
    const endpoint = await dke.create({ description: 'x', meta: { a: 1 }, authorization_params: EMAIL })
    const { body: kept } = await dke.update(endpoint, { enable_success_audit_event: false })
    expect(kept).toEqual({ ...endpoint, enable_success_audit_event: false, updatedAt: kept.updatedAt })
    const { body: cleared } = await dke.update(endpoint, { description: null, meta: null, authorization_params: null })
    expect(cleared.auth_tenants).toEqual([TENANT])
    for (const field of ['description', 'meta', 'authorization_params']) expect(cleared).not.toHaveProperty(field)
    const { body: moved } = await dke.update(endpoint, { key_uri_hostname: 'other.example.test:444' })
    expect(moved.key_uri).toBe((endpoint.key_uri as string).replace(HOST, 'other.example.test:444'))
  })

  test('empties auth_tenants only on request', async () => {
    const endpoint = await dke.create()
    expect((await dke.update(endpoint, { description: 'y' })).body.auth_tenants).toEqual([TENANT])
    expectRefused(await dke.update(endpoint, { auth_tenants: null }), 400, 1, '#/auth_tenants')
    expect((await dke.get(endpoint)).auth_tenants).toEqual([TENANT])
    expect((await dke.update(endpoint, { auth_tenants: [] })).body.auth_tenants).toEqual([])
  })

  test('is refused for immutable fields, invalid values, and a stale revision', async () => {
    const endpoint = await dke.create()
    expectRefused(await dke.update(endpoint, { name: 'other' }), 400, 1, '#/name')
    expectRefused(await dke.update(endpoint, { key_uri_hostname: 'a/b' }), 422, 2, '#/key_uri_hostname')
    const roles = { authorization_type: 'role', role_authz_params: { authorized_roles: [] } }
    const at = '#/authorization_params/role_authz_params/authorized_roles'
    expectRefused(await dke.update(endpoint, { authorization_params: roles }), 422, 2, at)
    await dke.update(endpoint, { description: 'x' })
    expect((await dke.update(endpoint, { description: 'y' }, { 'if-match': '"1"' })).status).toBe(412)
  })

  test('returned the addresses that an endpoint admits, and its record only that they changed', async () => {
    const endpoint = await dke.create({ authorization_params: EMAIL })
    await dke.update(endpoint, {
      authorization_params: { ...EMAIL, email_authz_params: { authorized_email_addresses: ['*@other.test'] } },
    })
    const [, changed] = await vault().records(`resource_uri=${endpoint.uri as string}`)
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    const said = { authorization_type: 'email', valid_issuers: EMAIL.valid_issuers, hash }
    expect(changed.details).toMatchObject({
      before: { authorization_params: said },
      after: { authorization_params: said },
    })
    expect(changed.details.before).not.toEqual(changed.details.after)
    expect(JSON.stringify(changed)).not.toContain('@other.test')
  })
})

test('a list has the filters of the interface', async () => {
  const own = { key_uri_hostname: 'list.example.test' }
  const one = await dke.create({ ...own, name: 'list-one' })
  const two = await dke.create({ ...own, name: 'list-two', enabled: false })
  const names = async (query: string): Promise<string[]> => {
    const { total, resources } = await admin().ok('GET', `${ENDPOINTS}?key_uri_hostname=list.example.test&${query}`)
    expect(total).toBe(resources.length)
    return resources.map(({ name }: any) => name as string)
  }
  expect(await names('')).toEqual(['list-one', 'list-two'])
  expect(await names('sort=-name')).toEqual(['list-two', 'list-one'])
  expect(await names('name=*-two')).toEqual(['list-two'])
  expect(await names(`kek_name=${one.kek_name as string}`)).toEqual(['list-one'])
  expect(await names(`kek_id=${two.kek_id as string}`)).toEqual(['list-two'])
  expect(await names(`id=${one.id as string}`)).toEqual(['list-one'])
  expect(await names('status=Disabled')).toEqual(['list-two'])
  expect(await names('auto_rotate=true')).toEqual([])
  expect(await names('auto_rotate=false&algorithm=RSA_DECRYPT_OAEP_2048_SHA256')).toHaveLength(2)
})

test('endpoints of another domain do not exist, and endpoints are for their administrators', async () => {
  const endpoint = await dke.create()
  const { service, user } = vault()
  const { child } = await childAdmin(service)
  const at = `${ENDPOINTS}/${endpoint.id as string}`
  for (const [method, path, body] of [
    ['GET', at, undefined],
    ['PATCH', at, { description: 'x' }],
    ['DELETE', at, undefined],
    ...['enable', 'disable', 'rotate', 'archive', 'recover', 'disable-key-rotation-job'].map(
      (action) => ['POST', `${at}/${action}`, undefined] as const,
    ),
    ['POST', `${at}/enable-key-rotation-job`, { job_config_id: randomUUID() }],
  ] as const)
    expectRefused(await service.call(method, path, { token: child, body }), 404, 5)
  const { body: list } = await service.call('GET', ENDPOINTS, { token: child })
  expect(list.total).toBe(0)
  const { holder } = await user('keys-only', ['Key Admins'])
  expectRefused(await holder.call('GET', at), 403, 4)
  expectRefused(await holder.call('POST', ENDPOINTS, { name: 'x', key_uri_hostname: HOST }), 403, 4)
})
