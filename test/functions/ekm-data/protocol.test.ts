import { hash, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { EMAIL, HOST, refused, useEkm } from '../ekm/ekm.ts'
import { flippedBit, inspected, tryInspect } from '../../support/inspect.ts'

const ekm = useEkm()

let endpoint: any
beforeAll(async () => {
  endpoint = await ekm().create()
})

const NOT_FOUND = refused(404, 'NOT_FOUND')
const INVALID = refused(400, 'INVALID_ARGUMENT')
const BODY = { plaintext: 'AAAA' }

test('a verb after an encoded colon is accepted in its exact spelling only; a path without a verb is not found', async () => {
  const path = endpoint.key_path as string
  for (const colon of [':', '%3A', '%3a']) expect((await ekm().send(`${path}${colon}wrap`, BODY)).status).toBe(200)
  for (const verb of [':Wrap', ':frobnicate', ':', '', ':wrap:wrap', ':wrap/', ':constructor', ':toString'])
    expect(await ekm().send(`${path}${verb}`, BODY), verb).toEqual(NOT_FOUND)
})

test('the refusal of another method names the supported one, in the protocol’s form', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    const answered = await ekm().call(endpoint, 'wrap', BODY, { method })
    expect(answered).toMatchObject({ status: 405, body: { error: { code: 405, status: 'INVALID_ARGUMENT' } } })
    expect(answered.headers.allow).toBe('POST')
  }
  const session = await ekm().send('/api/v1/keymgr/ekm/session/handshake', '', { method: 'GET' })
  expect(session).toMatchObject({ status: 405, body: { error: { code: 405 } } })
})

test('verbs that are not offered are refused as not implemented, in every spelling', async () => {
  const none = refused(501, 'UNIMPLEMENTED')
  for (const verb of ['createKey', 'destroyKey']) expect(await ekm().call(endpoint, verb), verb).toEqual(none)
  expect(await ekm().send('/api/v1/keymgr/ekm/session/beginsession', {}, { token: null })).toEqual(
    refused(401, 'UNAUTHENTICATED'),
  )
})

test('a signature is verified over data or a digest; one that is not valid is no error', async () => {
  const data = Buffer.from('signed').toString('base64')
  const digest = { sha256: hash('sha256', 'signed', 'base64') }
  const [pss, curve] = await Promise.all(
    ['RSA_SIGN_PSS_2048_SHA256', 'EC_SIGN_P256_SHA256'].map((algorithm) =>
      ekm().create({ key_type: 'asymmetric', algorithm }),
    ),
  )
  const { signature } = await ekm().ok(pss, 'asymmetricSign', { digest })
  for (const signed of [{ data }, { digest }]) {
    expect(await ekm().ok(pss, 'asymmetricVerify', { ...signed, signature })).toEqual({ success: true })
    expect(await ekm().ok(pss, 'asymmetricVerify', { ...signed, signature: 'AAAA' })).toEqual({ success: false })
  }
  const own = await ekm().ok(curve, 'asymmetricSign', { digest })
  expect(await ekm().ok(curve, 'asymmetricVerify', { data, ...own })).toEqual({ success: true })
  expect(await ekm().ok(curve, 'asymmetricVerify', { data: 'AAAA', ...own })).toEqual({ success: false })
  const wrongly = [{ digest, ...own }, { data }, { ...own }, { data, digest, ...own }]
  for (const body of wrongly)
    expect(await ekm().call(curve, 'asymmetricVerify', body)).toEqual(refused(400, 'INVALID_ARGUMENT'))
  const kind = refused(400, 'FAILED_PRECONDITION')
  expect(await ekm().call(endpoint, 'asymmetricVerify', { data, signature: 'AAAA' })).toEqual(kind)
})

test('bodies may use both spellings of names, numbers of reasons, null, unknown members and every base64 alphabet', async () => {
  const plaintext = Buffer.from([0xfb, 0xff, 0xfe, 0xff])
  const [standard, url] = [plaintext.toString('base64'), plaintext.toString('base64url')]
  const aad = Buffer.from('aad').toString('base64')
  const bodies = [
    { plaintext: standard, additionalAuthenticatedData: aad, keyPath: null, additionalContext: null },
    { plaintext: url, additional_authenticated_data: aad, RelativeResourceName: 'stray' },
    {
      plaintext: standard.replaceAll('=', ''),
      additional_authenticated_data: aad,
      additionalAuthenticatedData: null,
      additional_context: {
        relative_resource_name: 'r',
        full_resource_name: null,
        access_reason_context: { reason: 5 },
        is_key_health_check: null,
      },
    },
  ]
  for (const body of bodies) {
    const { wrappedBlob } = await ekm().ok(endpoint, 'wrap', body)
    const opened = await ekm().ok(endpoint, 'unwrap', { wrapped_blob: wrappedBlob, additionalAuthenticatedData: aad })
    expect(opened).toEqual({ plaintext: standard })
  }
})

test.each<[string, unknown]>([
  ['no JSON', '{"plaintext":'],
  ['a list', '[]'],
  ['null', 'null'],
  ['nothing', ''],
  ['what stands for bytes that are not UTF-8', { ...BODY, keyPath: '\uFFFD' }],
  ['a number for bytes', { plaintext: 7 }],
  ['no base64', { plaintext: 'AA*A' }],
  ['base64 cut short', { plaintext: 'AAAAA' }],
  ['base64 with bits that mean nothing', { plaintext: 'AB==' }],
  ['half the padding', { plaintext: 'AA=' }],
  ['both spellings', { ...BODY, keyPath: 'a', key_path: 'a' }],
  ['a context that is a text', { ...BODY, additionalContext: 'x' }],
  ['a context that is a list', { ...BODY, additionalContext: [] }],
  ['a reason that is a boolean', { ...BODY, additionalContext: { accessReasonContext: { reason: true } } }],
  ['a reason that is a fraction', { ...BODY, additionalContext: { accessReasonContext: { reason: 1.5 } } }],
  ['a reason’s context that is a text', { ...BODY, additionalContext: { accessReasonContext: 'x' } }],
  ['a health check that is a text', { ...BODY, additionalContext: { isKeyHealthCheck: 'true' } }],
  ['a name that is too long', { ...BODY, additionalContext: { relativeResourceName: 'x'.repeat(1_025) } }],
  ['a full name that is too long', { ...BODY, additionalContext: { fullResourceName: 'x'.repeat(1_025) } }],
  ['a body that is too large', { ...BODY, filling: 'x'.repeat(1_048_576) }],
])('a body with %s is refused as that', async (_what, body) => {
  expect(await ekm().call(endpoint, 'wrap', body)).toEqual(INVALID)
})

test('the type of a body is JSON, with parameters or unsaid, and nothing else', async () => {
  const as = (type: string) => ekm().call(endpoint, 'wrap', BODY, { headers: { 'content-type': type } })
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json ;v=1'])
    expect((await as(type)).status).toBe(200)
  expect(await as('text/plain')).toEqual(INVALID)
})

test('every answer forbids keeping it and names its request', async () => {
  const answers = [
    await ekm().call(endpoint, 'wrap', BODY),
    await ekm().call(endpoint, 'wrap', {}),
    await ekm().call(endpoint, 'wrap', BODY, { token: null }),
    await ekm().send('/api/v1/keymgr/ekm/session/nothing', {}),
  ]
  for (const { headers } of answers) {
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' })
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  }
})

test('a health check is an operation like any other, and is recorded as a health check', async () => {
  const relativeResourceName = `projects/p/${randomUUID()}`
  const body = { ...BODY, additionalContext: { relativeResourceName, isKeyHealthCheck: true } }
  expect((await ekm().call(endpoint, 'wrap', body)).status).toBe(200)
  const claims = { email: 'somebody@else.test' }
  expect((await ekm().call(endpoint, 'wrap', body, { claims })).status).toBe(403)
  const lines = await ekm().lines(2, { resource: relativeResourceName })
  for (const line of lines) expect(line).toMatchObject({ healthCheck: true })
})

test('an address identifies its endpoint on every host: the token decides about the host', async () => {
  const answered = await ekm().call(endpoint, 'wrap', BODY, { headers: { host: 'else.example.test' } })
  expect(answered.status).toBe(200)
  expect(HOST).not.toBe('else.example.test')
})

test('an inspection names the endpoint, version and callers of a blob, and whether it opens now', async () => {
  const { admin } = ekm().vault
  const made = await ekm().create()
  const { wrappedBlob } = await ekm().ok(made, 'wrap', BODY)
  const answer = await inspected(admin, { ciphertext: wrappedBlob })
  expect(answer).toMatchObject({
    kind: 'wrapped blob of an EKM endpoint',
    proof: 'authenticated',
    domain: { id: expect.any(String) },
    endpoint: { kind: 'EKM endpoint', id: made.id, name: made.name },
    local_key: { id: made.kekID, name: made.kekName, version: 0, state: 'Active', latest: true },
    can_be_opened: true,
    obstacles: [],
    opened_by: [{ kind: 'service account', names: [EMAIL], total: 1 }],
  })
  expect(JSON.stringify(answer)).not.toContain(BODY.plaintext)
  await ekm().act(made.id as string, 'rotate')
  await ekm().act(made.id as string, 'disable')
  const later = await inspected(admin, { ciphertext: wrappedBlob, endpoint: made.name })
  expect(later).toMatchObject({ local_key: { version: 0, latest: false }, can_be_opened: false })
  expect(later.obstacles).toEqual([`The EKM endpoint ${made.name as string} is disabled.`])
})

test('an inspection with additional data recognizes a blob only by its header, if the endpoint is named', async () => {
  const { admin } = ekm().vault
  const aad = Buffer.from('bound').toString('base64')
  const { wrappedBlob: ciphertext } = await ekm().ok(endpoint, 'wrap', { ...BODY, additionalAuthenticatedData: aad })
  expect(await inspected(admin, { ciphertext, aad })).toMatchObject({
    proof: 'authenticated',
    endpoint: { id: endpoint.id },
  })
  expect((await tryInspect(admin, { ciphertext })).status).toBe(404)
  const named = await inspected(admin, { ciphertext, endpoint: endpoint.id })
  expect(named).toMatchObject({ proof: 'header', endpoint: { id: endpoint.id }, local_key: { version: 0 } })
  expect((await tryInspect(admin, { ciphertext, aad: 'AAAA', endpoint: endpoint.id })).status).toBe(404)
  for (const bit of [5, 40, 200])
    expect(
      (await tryInspect(admin, { ciphertext: flippedBit(ciphertext as string, bit), aad })).body,
    ).not.toHaveProperty('endpoint')
})
