import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectRefused } from '../vault/vault.ts'
import { BASIC, EMAIL, ENDPOINTS, HOST, refused, useEkm, type CallOptions } from './ekm.ts'

const ekm = useEkm()
const admin = () => ekm().vault.admin
const SPACES = '/v1/keymgr/ekm/cryptospaces'

const spaceBody = (more: object = {}) => ({
  name: `s-${randomBytes(6).toString('hex')}`,
  keyURIHostname: HOST,
  policy: BASIC,
  ...more,
})
const makeSpace = (more: object = {}) => admin().ok('POST', SPACES, spaceBody(more))
const getSpace = ({ id }: any) => admin().ok('GET', `${SPACES}/${id as string}`)
const actOn = ({ id }: any, action: string) => admin().call('POST', `${SPACES}/${id as string}/${action}`)

const call = ({ path }: any, verb: string, body: unknown = {}, options: CallOptions = {}) =>
  ekm().send(`${path as string}:${verb}`, body, options)

/** Lets the cloud make a key. */
async function makeKey(space: any, body: object = {}): Promise<any> {
  const { status, body: answer, text } = await call(space, 'createKey', body)
  expect(status, text).toBe(200)
  expect(Object.keys(answer)).toEqual(['keyPath'])
  const { resources } = await admin().ok('GET', `${ENDPOINTS}?cryptospace_id=${space.id as string}&limit=100`)
  return resources.find((endpoint: any) => endpoint.key_path === answer.keyPath)
}

test('a space is created, shown, listed, changed and deleted', async () => {
  const space = await makeSpace({ meta: { team: 'payments' } })
  expect(space).toMatchObject({
    keyURIHostname: HOST,
    path: `/api${SPACES}/${space.id as string}`,
    blocked: false,
    endpoint_count: 0,
    enable_success_audit_event: true,
    meta: { team: 'payments' },
    policy: { basic: { clients: [EMAIL] } },
  })
  expect(await getSpace(space)).toEqual(space)
  const listed = await admin().ok('GET', `${SPACES}?name=${space.name as string}`)
  expect(listed.resources).toEqual([space])
  const one = `${SPACES}/${space.id as string}`
  const changed = await admin().ok('PATCH', one, { policy: null, enable_success_audit_event: false, meta: null })
  expect(changed).not.toHaveProperty('policy')
  expect(changed).not.toHaveProperty('meta')
  expect(changed.enable_success_audit_event).toBe(false)
  await admin().ok('DELETE', one)
  expectRefused(await admin().call('GET', one), 404, 5)
})

test('bodies of spaces are checked', async () => {
  const space = await makeSpace()
  expectRefused(await admin().call('POST', SPACES, spaceBody({ name: space.name })), 409, 7)
  expectRefused(await admin().call('POST', SPACES, spaceBody({ nonsense: 1 })), 400, 1)
  expectRefused(await admin().call('POST', SPACES, spaceBody({ policy: {} })), 422, 2)
  expectRefused(await admin().call('POST', SPACES, spaceBody({ policy: { rego: 'package p\n\nallow if {' } })), 422, 2)
  const listed = { basic: { clients: [EMAIL], attestation_zones: ['zone-1'] } }
  expectRefused(await admin().call('POST', SPACES, spaceBody({ policy: listed })), 422, 2)
  const { holder } = await ekm().vault.user(`space-user-${randomBytes(3).toString('hex')}`, ['keymgr Users'])
  expectRefused(await holder.call('GET', SPACES), 403, 4)
})

test('the cloud creates a key in a space, and uses it at the returned path', async () => {
  const space = await makeSpace()
  const endpoint = await makeKey(space)
  expect(endpoint).toMatchObject({
    cryptospace_id: space.id,
    state: 'ENABLED',
    algorithm: 'AES256',
    policy: { basic: { clients: [EMAIL] } },
  })
  const blob = await ekm().wrap(endpoint, Buffer.from('of the space'))
  const { body } = await ekm().unwrap(endpoint, blob)
  expect(Buffer.from(body.plaintext as string, 'base64').toString()).toBe('of the space')
  expect(await getSpace(space)).toMatchObject({ endpoint_count: 1 })
  const { resources } = await admin().ok('GET', `/v1/audit/records?resource_uri=${endpoint.uri as string}`)
  expect(resources).toContainEqual(
    expect.objectContaining({ message: 'Create EKM Endpoint', username: EMAIL, success: true }),
  )
})

test('the cloud creates signing keys', async () => {
  const endpoint = await makeKey(await makeSpace(), { algorithm: 'EC_SIGN_P256_SHA256' })
  expect(endpoint).toMatchObject({ key_type: 'asymmetric', algorithm: 'EC_SIGN_P256_SHA256' })
  const { pem } = await ekm().ok(endpoint, 'getPublicKey')
  expect(pem).toContain('BEGIN PUBLIC KEY')
})

test('algorithms have the cloud’s names too, and unknown ones are refused', async () => {
  const space = await makeSpace()
  expect(await makeKey(space, { algorithm: 'EXTERNAL_SYMMETRIC_ENCRYPTION' })).toMatchObject({ algorithm: 'AES256' })
  expect(await call(space, 'createKey', { algorithm: 'DES' })).toEqual(refused(400, 'INVALID_ARGUMENT'))
  expect(await call(space, 'createKey', 'not json')).toEqual(refused(400, 'INVALID_ARGUMENT'))
  expect(await getSpace(space)).toMatchObject({ endpoint_count: 1 })
})

test('the policy of a space decides who creates keys, and for which reasons', async () => {
  const basic = { clients: [EMAIL], justification_required: true, justification_reason: ['CUSTOMER_INITIATED_ACCESS'] }
  const space = await makeSpace({ policy: { basic } })
  const reason = { accessReasonContext: { reason: 'CUSTOMER_INITIATED_ACCESS' } }
  const denied = refused(403, 'PERMISSION_DENIED')
  expect(await call(space, 'createKey')).toEqual(denied)
  expect(await call(space, 'createKey', reason, { claims: { email: 'other@shop.test' } })).toEqual(denied)
  expect((await call(space, 'createKey', { additionalContext: reason })).status).toBe(200)
  expect((await call(space, 'createKey', reason)).status).toBe(200)
  expect(await call(await makeSpace({ policy: undefined }), 'createKey')).toEqual(denied)
  const { resources } = await admin().ok('GET', `/v1/audit/records?resource_uri=${space.uri as string}&success=false`)
  expect(resources.map(({ username }: any) => username as string).sort()).toEqual(['other@shop.test', EMAIL].sort())
})

test('a raw policy distinguishes the creation of keys from their use', async () => {
  const rego = 'package p\n\ndefault allow := false\n\nallow if input.operation == "createKey"\n'
  const space = await makeSpace({ policy: { rego } })
  const endpoint = await makeKey(space)
  expect(endpoint).toMatchObject({ raw_policy_enabled: true, policy: { rego } })
  expect((await ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' })).status).toBe(403)
})

test('a caller learns which permissions it has', async () => {
  const space = await makeSpace()
  const permissions = ['createKey', 'DESTROY_KEY', 'WRAP', 'unwrap', 'somethingElse']
  const { body } = await call(space, 'checkCryptoSpacePermissions', { permissions })
  expect(body).toEqual({ permissions: ['createKey', 'DESTROY_KEY', 'WRAP', 'unwrap'] })
  const often = Array.from({ length: 32 }, (_, at) => (at % 2 === 0 ? 'wrap' : 'WRAP'))
  expect((await call(space, 'checkCryptoSpacePermissions', { permissions: often })).body).toEqual({
    permissions: often,
  })
  const tooOften = { permissions: [...often, 'wrap'] }
  expect(await call(space, 'checkCryptoSpacePermissions', tooOften)).toEqual(refused(400, 'INVALID_ARGUMENT'))
  const other = await call(space, 'checkCryptoSpacePermissions', { permissions }, { claims: { email: 'x@shop.test' } })
  expect(other.body).toEqual({ permissions: [] })
  expect(await call(space, 'checkCryptoSpacePermissions', { permissions: 'createKey' })).toEqual(
    refused(400, 'INVALID_ARGUMENT'),
  )
})

test('a blocked space creates no keys, and its keys refuse every call until it is unblocked', async () => {
  const space = await makeSpace()
  const endpoint = await makeKey(space)
  expect((await ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' })).status).toBe(200)
  expect((await actOn(space, 'block')).body).toMatchObject({ blocked: true })
  expectRefused(await actOn(space, 'block'), 409, 8)
  expect(await call(space, 'createKey')).toEqual(refused(403, 'PERMISSION_DENIED'))
  ekm().letPass()
  expect(await ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' })).toEqual(refused(403, 'PERMISSION_DENIED'))
  expect((await actOn(space, 'unblock')).body).toMatchObject({ blocked: false })
  ekm().letPass()
  expect((await ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' })).status).toBe(200)
})

test('a destroyed key cannot be restored, and its space may then be deleted', async () => {
  const space = await makeSpace()
  const endpoint = await makeKey(space)
  const id = endpoint.id as string
  expectRefused(await admin().call('DELETE', `${SPACES}/${space.id as string}`), 409, 9)
  expect((await ekm().act(id, 'destroy')).body).toMatchObject({ state: 'DESTROYED', enabled: false })
  ekm().letPass()
  expect(await ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' })).toEqual(refused(404, 'NOT_FOUND'))
  expect(await admin().ok('GET', `/v1/vault/keys2/${endpoint.kekID as string}`)).toMatchObject({ state: 'Destroyed' })
  for (const action of ['destroy', 'enable', 'rotate']) expectRefused(await ekm().act(id, action), 409, 8)
  expectRefused(await admin().call('PATCH', `${ENDPOINTS}/${id}`, { enabled: true }), 409, 8)
  expect(await getSpace(space)).toMatchObject({ endpoint_count: 0 })
  await admin().ok('DELETE', `${SPACES}/${space.id as string}`)
  expect(await call(space, 'createKey')).toEqual(refused(404, 'NOT_FOUND'))
  await admin().ok('DELETE', `${ENDPOINTS}/${id}`)
})

test('the cloud destroys a key in a space, if the policy of the key permits it', async () => {
  const space = await makeSpace()
  const [endpoint, kept] = [await makeKey(space), await makeKey(space, { algorithm: 'EC_SIGN_P256_SHA256' })]
  const denied = await ekm().call(endpoint, 'destroyKey', {}, { claims: { email: 'other@shop.test' } })
  expect(denied).toEqual(refused(403, 'PERMISSION_DENIED'))
  expect(await ekm().ok(endpoint, 'destroyKey')).toEqual({})
  expect(await ekm().ok(endpoint, 'destroyKey')).toEqual({}) // safe to repeat
  await ekm().vault.sweep()
  ekm().letPass()
  expect(await ekm().call(endpoint, 'wrap', { plaintext: 'AAAA' })).toEqual(refused(404, 'NOT_FOUND'))
  expect(await ekm().call(endpoint, 'destroyKey')).toEqual(refused(404, 'NOT_FOUND'))
  const at = `${ENDPOINTS}/${endpoint.id as string}`
  expect(await admin().ok('GET', at)).toMatchObject({ state: 'DESTROYED', enabled: false })
  expect(await admin().ok('GET', `/v1/vault/keys2/${endpoint.kekID as string}`)).toMatchObject({ state: 'Destroyed' })
  expect((await ekm().ok(kept, 'getPublicKey')).pem).toContain('BEGIN PUBLIC KEY')
  const records = await ekm().vault.records(`resource_uri=${endpoint.uri as string}&success=true`)
  expect(records.map(({ message }) => message)).toContain('Destroy EKM Endpoint')
})

test('a key with another use is never destroyed', async () => {
  const endpoint = await makeKey(await makeSpace())
  const virtual = await admin().ok('POST', '/v1/keymgr/virtual/keys', { source_key_id: endpoint.kekID })
  const refusal = await ekm().act(endpoint.id as string, 'destroy')
  expectRefused(refusal, 409, 9)
  expect(refusal.body.detail).toContain('is used by 1 virtual key.')
  expect(await ekm().ok(endpoint, 'destroyKey')).toEqual({})
  await ekm().vault.sweep()
  ekm().letPass()
  const blob = await ekm().wrap(endpoint, Buffer.from('still there'))
  expect((await ekm().unwrap(endpoint, blob)).status).toBe(200)
  await admin().ok('PATCH', `/v1/keymgr/virtual/keys/${virtual.id as string}`, { deletable: true })
  await admin().ok('DELETE', `/v1/keymgr/virtual/keys/${virtual.id as string}`)
  expect((await ekm().act(endpoint.id as string, 'destroy')).status).toBe(200)
})

test('successful calls with keys of a space are left out of the audit on request, refusals are not', async () => {
  const endpoint = await makeKey(await makeSpace({ enable_success_audit_event: false }))
  await ekm().ok(endpoint, 'wrap', { plaintext: 'AAAA' })
  expect((await ekm().call(endpoint, 'unwrap', { wrappedBlob: 'AAAA' })).status).toBe(400)
  await ekm().lines(2, { endpoint: endpoint.id as string })
  await ekm().vault.service.deployment.logsDelivered()
  const written = await ekm().vault.records(`service=ekm&resource_uri=${endpoint.uri as string}`)
  expect(written.map(({ message }) => message as string)).toEqual(['EKM endpoint unwrap'])
})

test('an endpoint of no space is not destroyed', async () => {
  const { id } = await ekm().create()
  expectRefused(await ekm().act(id as string, 'destroy'), 409, 8)
})

test('only a valid token for the host of the space gets information', async () => {
  const space = await makeSpace()
  const none = refused(401, 'UNAUTHENTICATED')
  expect(await call(space, 'createKey', {}, { token: null })).toEqual(none)
  expect(await call(space, 'createKey', {}, { token: await ekm().vault.service.logIn() })).toEqual(none)
  expect(await call(space, 'createKey', {}, { claims: { aud: 'https://other.example.test' } })).toEqual(none)
  const unknown = { path: `/api${SPACES}/${randomUUID()}` }
  expect(await call(unknown, 'createKey')).toEqual(refused(404, 'NOT_FOUND'))
  expect(await call(unknown, 'createKey', {}, { token: null })).toEqual(none)
  expect(await call(space, 'frobnicate')).toEqual(refused(404, 'NOT_FOUND'))
  expect(await call(space, 'createKey', {}, { method: 'GET' })).toMatchObject({ status: 405 })
})

test('other domains do not see a space', async () => {
  const space = await makeSpace()
  const root = ekm().vault.service.root
  const token = await root.logIn()
  const one = `${SPACES}/${space.id as string}`
  expect((await root.call('GET', one, { token })).status).toBe(404)
  expect((await root.call('POST', `${one}/block`, { token })).status).toBe(404)
  expect((await root.call('DELETE', one, { token })).status).toBe(404)
})
