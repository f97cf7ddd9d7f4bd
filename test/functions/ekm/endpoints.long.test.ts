import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { USAGE } from '../../../shared/crypto/usage.ts'
import { hashOf } from '../../../shared/rego/light.ts'
import { childAdmin } from '../../support/callers.ts'
import { commonFieldsOf } from '../../support/common-fields.ts'
import { expectRefused } from '../vault/vault.ts'
import { BASIC, EMAIL, ENDPOINTS, HOST, useEkm } from './ekm.ts'

const ekm = useEkm()
const admin = () => ekm().vault.admin

const SIGNING = { key_type: 'asymmetric', algorithm: 'EC_SIGN_P256_SHA256' }
const REGO = 'package mine\n\ndefault allow := false\n\nallow if input.clients == "a@b"\n'

test('a new endpoint has a key of its own, which stays here, and is enabled at an address that names it', async () => {
  const endpoint = await ekm().create({ name: 'first', meta: { team: 'shop' } })
  expect(endpoint).toEqual({
    ...commonFieldsOf(endpoint, 'keymgr:ekm-endpoint'),
    name: 'first',
    keyURIHostname: HOST,
    keyURI: `https://${HOST}/api/v1/keymgr/ekm/endpoints/${endpoint.kekID as string}`,
    key_path: `/api/v1/keymgr/ekm/endpoints/${endpoint.kekID as string}`,
    kekName: expect.any(String),
    kekID: expect.stringMatching(/^[0-9a-f]{64}$/),
    kekVersion: '0',
    meta: { team: 'shop' },
    enabled: true,
    state: 'ENABLED',
    cvm_required_for_encrypt: false,
    cvm_required_for_decrypt: false,
    endpoint_type: 'ekm',
    key_type: 'symmetric',
    algorithm: 'AES256',
    raw_policy_enabled: false,
    policy: { basic: { clients: [EMAIL], justification_required: false } },
  })
  const key = await admin().get(endpoint.kekName as string)
  expect(key).toMatchObject({ id: endpoint.kekID, algorithm: 'aes', size: 256, unexportable: true, undeletable: true })
  expect(key.usageMask).toBe(USAGE.encrypt | USAGE.decrypt | USAGE.wrap | USAGE.unwrap)
  expect((await admin().call('GET', `${ENDPOINTS}/${endpoint.id as string}`)).body).toEqual(endpoint)
})

test.each<[string, object, string, number, number]>([
  ['no name', { name: undefined }, '#/name', 422, 2],
  ['no host', { keyURIHostname: undefined }, '#/keyURIHostname', 422, 2],
  ['a host with a scheme', { keyURIHostname: `https://${HOST}` }, '#/keyURIHostname', 422, 2],
  ['a host with a port', { keyURIHostname: `${HOST}:443` }, '#/keyURIHostname', 422, 2],
  ['a host with a path', { keyURIHostname: `${HOST}/x` }, '#/keyURIHostname', 422, 2],
  ['a type of endpoint nobody knows', { endpoint_type: 'hsm' }, '#/endpoint_type', 422, 2],
  ['an algorithm nobody knows', { algorithm: 'RSA_SIGN_PSS_1024_SHA1' }, '#/algorithm', 422, 2],
  ['a signing algorithm for a symmetric key', { algorithm: 'EC_SIGN_P256_SHA256' }, '#/algorithm', 422, 2],
  ['a symmetric algorithm for a signing key', { key_type: 'asymmetric' }, '#/algorithm', 422, 2],
  ['a flag that is a text', { cvm_required_for_encrypt: 'true' }, '#/cvm_required_for_encrypt', 400, 1],
  ['a field nobody knows', { colour: 'red' }, '#/colour', 400, 1],
  ['no policy', { policy: undefined }, '#/policy', 422, 2],
  ['a policy of neither kind', { policy: {} }, '#/policy/basic', 422, 2],
  ['a raw policy unasked', { policy: { rego: REGO } }, '#/policy/rego', 422, 2],
  ['both kinds of policy', { policy: { ...BASIC, rego: REGO } }, '#/policy/rego', 422, 2],
  ['a raw policy missing', { raw_policy_enabled: true }, '#/policy/rego', 422, 2],
  [
    'a basic policy beside a raw one',
    { raw_policy_enabled: true, policy: { ...BASIC, rego: REGO } },
    '#/policy/basic',
    422,
    2,
  ],
  ['no clients', { policy: { basic: {} } }, '#/policy/basic/clients', 422, 2],
  ['clients that are none', { policy: { basic: { clients: [] } } }, '#/policy/basic/clients', 422, 2],
  [
    'reasons required and none given',
    { policy: { basic: { clients: [EMAIL], justification_required: true } } },
    '#/policy/basic/justification_reason',
    422,
    2,
  ],
  [
    'reasons required and an empty list',
    { policy: { basic: { clients: [EMAIL], justification_required: true, justification_reason: [] } } },
    '#/policy/basic/justification_reason',
    422,
    2,
  ],
  [
    'a reason nobody knows',
    { policy: { basic: { clients: [EMAIL], justification_reason: ['BECAUSE'] } } },
    '#/policy/basic/justification_reason/0',
    422,
    2,
  ],
  [
    'attested machines at a plain endpoint',
    { policy: { basic: { clients: [EMAIL], attestation_zones: ['z'] } } },
    '#/policy/basic/attestation_zones',
    422,
    2,
  ],
  ...['\u0000', '\u001b', '\u0085'].map((character): [string, object, string, number, number] => [
    `a policy with ${JSON.stringify(character)}`,
    { raw_policy_enabled: true, policy: { rego: `${REGO}# ${character}\n` } },
    '#/policy/rego',
    422,
    2,
  ]),
  ['a key that is not there', { existing_key_id: 'no such key' }, '#/existing_key_id', 404, 5],
])('an endpoint with %s is refused, naming it', async (_what, body, pointer, status, code) => {
  expectRefused(await ekm().tryCreate(body), status, code, pointer)
})

test('names are unique, and all errors are reported at once', async () => {
  await ekm().create({ name: 'taken' })
  expectRefused(await ekm().tryCreate({ name: 'taken' }), 409, 7, '#/name')
  const broken = {
    name: '',
    keyURIHostname: 'a b',
    policy: { basic: { clients: [] } },
    algorithm: 'EC_SIGN_P256_SHA256',
  }
  expectRefused(
    await ekm().tryCreate(broken),
    422,
    2,
    '#/name',
    '#/keyURIHostname',
    '#/policy/basic/clients',
    '#/algorithm',
  )
})

test.each<[string, object, object]>([
  ['exportable', { unexportable: false }, {}],
  ['deletable', { undeletable: false }, {}],
  ['of another size', { size: 128 }, {}],
  ['for xts', { xts: true }, {}],
  ['not allowed to unwrap', { usageMask: USAGE.encrypt | USAGE.decrypt | USAGE.wrap }, {}],
  ['not allowed to encrypt', { usageMask: USAGE.decrypt | USAGE.wrap | USAGE.unwrap }, {}],
  ['of the other kind', { algorithm: 'ec', curveid: 'prime256v1' }, {}],
  ['symmetric, for signing', {}, SIGNING],
  ['of another curve', { algorithm: 'ec', curveid: 'secp384r1' }, SIGNING],
  ['not allowed to verify', { algorithm: 'ec', curveid: 'prime256v1', usageMask: USAGE.sign }, SIGNING],
  ['of another modulus', { algorithm: 'rsa', size: 2048 }, { ...SIGNING, algorithm: 'RSA_SIGN_PSS_3072_SHA256' }],
  ['not active yet', { activationDate: '2100-01-01T00:00:00Z' }, {}],
  ['without material', { emptyMaterial: true }, {}],
])('an existing key that is %s is refused', async (_what, key, body) => {
  const { id } = await ekm().localKey(key)
  expectRefused(await ekm().tryCreate({ existing_key_id: id, ...body }), 422, 2, '#/existing_key_id')
})

test('an existing key is given by its name or the id of any version: the latest is used, all are linked', async () => {
  const first = await ekm().localKey()
  const second = await admin().act(first.name as string, 'versions', {})
  const endpoint = await ekm().create({ existing_key_id: first.id })
  expect(endpoint).toMatchObject({ kekName: first.name, kekID: second.id, kekVersion: '1' })
  const blob = await ekm().wrap(endpoint, Buffer.from('x'))
  for (const { id } of [first, second]) {
    const at = { key_path: `/api/v1/keymgr/ekm/endpoints/${id as string}` }
    expect((await ekm().unwrap(at, blob)).status).toBe(200)
  }
  expectRefused(await ekm().tryCreate({ existing_key_id: first.name }), 409, 7, '#/existing_key_id')
  const signing = await ekm().localKey({ algorithm: 'ec', curveid: 'prime256v1' })
  expect(await ekm().create({ existing_key_id: signing.name, ...SIGNING })).toMatchObject({ kekID: signing.id })
})

test('a key under an endpoint is in use, also after the endpoint is renewed; without one it is not', async () => {
  const key = await ekm().localKey()
  const endpoint = await ekm().create({ existing_key_id: key.name })
  await admin().update(key.id as string, { undeletable: false })
  const refusal = await admin().call('DELETE', `/v1/vault/keys2/${key.name as string}`)
  expectRefused(refusal, 409, 9)
  expect(refusal.body.detail).toContain('1 EKM endpoint')
  const { body } = await admin().call('DELETE', `${ENDPOINTS}/${endpoint.id as string}`)
  expect(body).toEqual({ status: 204 })
  expect((await admin().call('GET', `${ENDPOINTS}/${endpoint.id as string}`)).status).toBe(404)
  ekm().letPass()
  expect((await ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' })).status).toBe(404)
  await admin().update(key.id as string, { undeletable: true })
  const again = await ekm().create({ existing_key_id: key.name })
  expect(again.keyURI).toBe(endpoint.keyURI)
  await ekm().wrap(again, Buffer.from('x'))
  await admin().call('DELETE', `${ENDPOINTS}/${again.id as string}`)
  await admin().update(key.id as string, { undeletable: false })
  await admin().remove(key.name as string)
})

test('a new version in the vault is followed; a signing key gets none', async () => {
  const key = await ekm().localKey()
  const endpoint = await ekm().create({ existing_key_id: key.name })
  const next = await admin().act(key.name as string, 'versions', {})
  const { body } = await admin().call('GET', `${ENDPOINTS}/${endpoint.id as string}`)
  expect(body).toMatchObject({ kekID: next.id, kekVersion: '1', keyURI: endpoint.keyURI })
  const signing = await ekm().create(SIGNING)
  expectRefused(await ekm().act(signing.id as string, 'rotate'), 409, 8)
  expectRefused(await admin().tryAct(signing.kekName as string, 'versions', {}), 409, 8)
})

test.each<[string, object, string]>([
  ['is not active yet', { offset: 3_600 }, '#/offset'],
  ['does not wrap', { usageMask: USAGE.encrypt | USAGE.decrypt | USAGE.unwrap }, '#/usageMask'],
  ['does not unwrap', { usageMask: USAGE.encrypt | USAGE.decrypt | USAGE.wrap }, '#/usageMask'],
])('a version that %s stopped the endpoint over its key', async (_what, version, pointer) => {
  const key = await ekm().localKey()
  const endpoint = await ekm().create({ existing_key_id: key.name })
  expectRefused(await admin().tryAct(key.name as string, 'versions', version), 422, 2, pointer)
  ekm().letPass()
  await ekm().wrap(endpoint, Buffer.from('x'))
  const free = await ekm().localKey()
  expect((await admin().tryAct(free.name as string, 'versions', version)).status).toBe(201)
})

test('a use that was taken from a key before does not keep it from a new version', async () => {
  const endpoint = await ekm().create()
  await admin().update(endpoint.kekID as string, { usageMask: USAGE.wrap })
  expect((await ekm().act(endpoint.id as string, 'rotate')).body).toMatchObject({ kekVersion: '1' })
})

test('disable, enable, rotate and destroy work in the permitted states', async () => {
  const { id, name } = await ekm().create()
  expectRefused(await ekm().act(id as string, 'enable'), 409, 8)
  const disabled = await ekm().act(id as string, 'disable')
  expect(disabled).toMatchObject({ status: 200, body: { enabled: false, state: 'DISABLED' } })
  expectRefused(await ekm().act(id as string, 'disable'), 409, 8)
  expectRefused(await ekm().act(id as string, 'rotate'), 409, 8)
  expect((await ekm().act(id as string, 'enable')).body).toMatchObject({ enabled: true, state: 'ENABLED' })
  expect((await ekm().act(id as string, 'rotate')).body).toMatchObject({ kekVersion: '1' })
  expectRefused(await ekm().act(id as string, 'destroy'), 409, 8)
  const records = await ekm().vault.records(`resource_uri=keymgr:${ROOT_DOMAIN_ID}:keymgr:ekm-endpoint:${id as string}`)
  expect(records.map(({ message, success }) => `${message as string} ${String(success)}`)).toEqual([
    'Create EKM Endpoint true',
    'Disable EKM Endpoint true',
    'Enable EKM Endpoint true',
    'Rotate EKM Endpoint true',
  ])
  expect(records.every(({ details }) => details.resource_name === name)).toBe(true)
})

test('the record of a change contained the text of a policy, and not the names in records of calls', async () => {
  const own = await ekm().create({ raw_policy_enabled: true, policy: { rego: REGO } })
  const rego = `${REGO}\n# another\n`
  await admin().ok('PATCH', `${ENDPOINTS}/${own.id as string}`, { policy: { rego } })
  const records = await ekm().vault.records(`resource_uri=${encodeURIComponent(own.uri as string)}`)
  const [before, after] = [REGO, rego].map((text) => ({ dialect: 'v1', hash: hashOf('v1', text) }))
  expect(records.map(({ details }) => [details.before?.policy, details.after?.policy])).toEqual([
    [undefined, before],
    [before, after],
  ])
  expect(JSON.stringify(records)).not.toContain('package mine')
})

test('a PATCH changes the given fields, and the address follows the host', async () => {
  const { id } = await ekm().create({ meta: { a: 1 }, endpoint_type: 'ekm-ude' })
  const path = `${ENDPOINTS}/${id as string}`
  const changed = await admin().ok('PATCH', path, {
    keyURIHostname: 'other.example.test',
    meta: null,
    enabled: false,
    cvm_required_for_encrypt: true,
  })
  expect(changed).toMatchObject({ enabled: false, state: 'DISABLED', cvm_required_for_encrypt: true })
  expect(changed.keyURI).toMatch(/^https:\/\/other\.example\.test\//)
  expect(changed).not.toHaveProperty('meta')
  for (const [body, pointer] of [
    [{ raw_policy_enabled: true }, '#/policy/rego'],
    [{ policy: { rego: REGO } }, '#/policy/rego'],
    [{ raw_policy_enabled: true, policy: BASIC }, '#/policy/basic'],
    [{ policy: { basic: { clients: [EMAIL], justification_required: true } } }, '#/policy/basic/justification_reason'],
    [{ keyURIHostname: 'a/b' }, '#/keyURIHostname'],
  ] as const)
    expectRefused(await admin().call('PATCH', path, body), 422, 2, pointer)
  expectRefused(await admin().call('PATCH', path, { name: 'other' }), 400, 1, '#/name')
  const stale = await admin().call('PATCH', path, { enabled: true }, { 'if-match': '"1"' })
  expect(stale.status).toBe(412)
})

test('a list has the filters of the interface', async () => {
  const own = { keyURIHostname: 'list.example.test' }
  const one = await ekm().create({ ...own, name: 'list-one' })
  const two = await ekm().create({ ...own, name: 'list-two', endpoint_type: 'ekm-ude', ...SIGNING })
  await ekm().act(two.id as string, 'disable')
  const names = async (query: string): Promise<string[]> => {
    const { total, resources } = await admin().ok('GET', `${ENDPOINTS}?keyURIHostname=list.example.test&${query}`)
    expect(total).toBe(resources.length)
    return resources.map(({ name }: any) => name as string)
  }
  expect(await names('sort=name')).toEqual(['list-one', 'list-two'])
  expect(await names('sort=-name')).toEqual(['list-two', 'list-one'])
  for (const [query, wanted] of [
    [`id=${one.id as string}`, ['list-one']],
    ['name=list-t*', ['list-two']],
    [`kekName=${one.kekName as string}`, ['list-one']],
    [`kekID=${two.kekID as string}`, ['list-two']],
    ['key_type=asymmetric', ['list-two']],
    ['algorithm=AES256', ['list-one']],
    ['endpoint_type=ekm-ude', ['list-two']],
    ['enabled=false', ['list-two']],
    ['enabled=true', ['list-one']],
    [`cryptospace_id=${randomUUID()}`, []],
  ] as const)
    expect(await names(query), query).toEqual(wanted)
  expectRefused(await admin().call('GET', `${ENDPOINTS}?colour=red`), 400, 1, 'colour')
  expectRefused(await admin().call('GET', `${ENDPOINTS}?key_type=none`), 400, 1, 'key_type')
})

let child = ''
let theirs: any
beforeAll(async () => {
  const { service } = ekm().vault
  child = (await childAdmin(service)).child
  const body = { name: 'theirs', keyURIHostname: 'child.example.test', policy: BASIC }
  const made = await service.call('POST', ENDPOINTS, { token: child, body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  theirs = made.body
})

test('an endpoint of another domain does not exist; the cloud reaches it, by its own audience', async () => {
  const own = await ekm().create({ name: 'theirs' })
  const { service } = ekm().vault
  for (const [method, action] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/enable'],
    ['POST', '/rotate'],
    ['POST', '/destroy'],
    ['GET', '/policies'],
  ] as const) {
    const body = method === 'PATCH' ? {} : undefined
    const path = `${ENDPOINTS}/${own.id as string}${action}`
    expect((await service.call(method, path, { token: child, body })).status, `${method} ${action}`).toBe(404)
    expect((await admin().call(method, `${ENDPOINTS}/${theirs.id as string}${action}`, body)).status).toBe(404)
  }
  const listed = await service.call('GET', ENDPOINTS, { token: child })
  expect(listed.body.resources.map(({ id }: any) => id as string)).toEqual([theirs.id])
  const byTheirKey = await service.call('POST', ENDPOINTS, {
    token: child,
    body: { name: 'stolen', keyURIHostname: HOST, policy: BASIC, existing_key_id: own.kekID },
  })
  expectRefused(byTheirKey, 404, 5, '#/existing_key_id')
  const claims = { aud: 'https://child.example.test' }
  expect((await ekm().call(theirs, 'wrap', { plaintext: 'AAAA' }, { claims })).status).toBe(200)
  expect((await ekm().call(theirs, 'wrap', { plaintext: 'AAAA' })).status).toBe(401)
})

test('administrators of endpoints rotate the keys of endpoints, and other keys with their owners’ permission', async () => {
  const made = await ekm().create()
  const { id } = await ekm().localKey()
  const over = await ekm().create({ existing_key_id: id })
  const { holder } = await ekm().vault.user('endpoint-admin', ['keymgr Admins'])
  expect((await holder.call('POST', `${ENDPOINTS}/${made.id as string}/rotate`)).body).toMatchObject({
    kekVersion: '1',
  })
  expectRefused(await holder.call('POST', `${ENDPOINTS}/${over.id as string}/rotate`), 403, 4)
  const { holder: other } = await ekm().vault.user('endpoint-user', ['keymgr Users'])
  expectRefused(await other.call('GET', ENDPOINTS), 403, 4)
})

test('an endpoint does not bypass policies: it reads no hidden key, and rotates no protected one', async () => {
  const key = await ekm().localKey()
  const other = await ekm().localKey()
  const endpoint = await ekm().create({ existing_key_id: other.id })
  const deny = async (action: string, uri: string): Promise<void> => {
    const policy = { name: action, effect: 'deny', actions: [action], resources: [uri] }
    const { id } = await admin().ok('POST', '/v1/admin/policies', policy)
    await admin().ok('POST', '/v1/admin/policy-attachments', { policy: id, principalSelector: { groups: ['admin'] } })
  }
  await deny('ReadKey', key.uri as string)
  await deny('RotateKey', other.uri as string)
  ekm().letPass()
  expectRefused(await ekm().tryCreate({ existing_key_id: key.id }), 403, 4)
  expectRefused(await ekm().act(endpoint.id as string, 'rotate'), 403, 4)
})
