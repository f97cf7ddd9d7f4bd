import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { ISSUERS as SUITE_ISSUERS } from '../../../infra/simulators/workspace/simulator.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { ADA, BOB, refused, RESOURCE, useKacls, type CallOptions } from './kacls.ts'
import { usePeer } from './peer.ts'

const kacls = useKacls()
const peer = usePeer()

let endpoint: any
beforeAll(async () => {
  endpoint = await kacls().create({ allow_guest_access: true, meta: { owner_domain: 'shop.example.test' } })
})

const deployment = () => kacls().vault.service.deployment

/** Audit records of calls to an endpoint, after the delivery of `count` log lines. */
async function records({ id, uri }: any, count: number, fields: object = {}): Promise<any[]> {
  await kacls().lines(count, { endpoint: id, ...fields })
  await deployment().logsDelivered()
  const written = await kacls().vault.records(`service=kacls&resource_uri=${encodeURIComponent(uri as string)}`)
  return written.filter(({ message }) => message.startsWith('KACLS endpoint ')) // the others are about management calls
}

const CAROL = 'carol@staff.example.test'
const CAROL_THERE = 'carol@shop.example.test'

test('a call leaves a record with caller, tokens, resource, reason, rule and outcome', async () => {
  const [reason, message_id, resource_name] = [
    randomUUID(),
    randomUUID(),
    `//googleapis.com/drive/files/${randomUUID()}`,
  ]
  const what = { resource_name, perimeter_id: 'Berlin', email_type: 'google', message_id, email: CAROL_THERE }
  const options = { email: CAROL, reason, what: { ...what, role: 'writer' } }
  const answered = await kacls().wrap(endpoint, undefined, options)
  expect(answered.status).toBe(200)
  const [record, ...more] = (await records(endpoint, 1, { reason })).filter(({ details }) => details.reason === reason)
  expect(more).toEqual([])
  expect(record).toEqual({
    id: expect.any(String),
    uri: expect.any(String),
    account: expect.any(String),
    createdAt: expect.any(String),
    recordedAt: expect.any(String),
    severity: 'info',
    service: 'kacls',
    source: 'dsp',
    message: 'KACLS endpoint wrap',
    username: CAROL_THERE,
    clientIP: '127.0.0.1',
    success: true,
    details: {
      action: 'wrap',
      resource_uri: endpoint.uri,
      version: 0,
      issuer: kacls().suite.idpIssuer,
      email: CAROL,
      workspaceEmail: CAROL_THERE,
      authorizationIssuer: SUITE_ISSUERS.drive,
      authorizationEmail: CAROL_THERE,
      role: 'writer',
      emailType: 'google',
      ownerDomain: 'shop.example.test',
      resource: resource_name,
      perimeter: 'Berlin',
      messageId: message_id,
      reason,
      policy: 'default',
      rule: 'allow',
      ms: expect.any(Number),
    },
    requestId: answered.headers['x-request-id'],
    domain: ROOT_DOMAIN_ID,
    principal: { sub: CAROL_THERE, groups: [] },
  })
})

test('the record of a key that was opened has its version, and the perimeter that it was sealed with', async () => {
  const own = await kacls().create()
  const wrapped_key = await kacls().wrapped(own, undefined, { what: { perimeter_id: 'Berlin' } })
  await kacls().act(own.id, 'rotate-key')
  kacls().letPass()
  expect((await kacls().unwrap(own, wrapped_key, { what: { perimeter_id: 'Paris' } })).status).toBe(200)
  await kacls().wrapped(own)
  const written = await records(own, 3)
  const shown = written.map(({ details: { action, version, perimeter } }) => ({ action, version, perimeter }))
  expect(shown).toEqual(
    expect.arrayContaining([
      { action: 'wrap', version: 0, perimeter: 'Berlin' },
      { action: 'unwrap', version: 0, perimeter: 'Berlin' },
      { action: 'wrap', version: 1, perimeter: undefined },
    ]),
  )
})

test.each<[string, CallOptions, object]>([
  ['another person', { what: { email: BOB } }, { rule: 'email', email: ADA, authorizationEmail: BOB }],
  ['the role', { what: { role: 'reader' } }, { rule: 'role', role: 'reader' }],
  ['the address', { what: { kacls_url: 'https://else.example.test' } }, { rule: 'kacls_url' }],
  ['the type of address', { what: { email_type: 'else' } }, { rule: 'email_type', emailType: 'else' }],
  ['delegation', { what: { delegated_to: BOB } }, { rule: 'delegated_to', delegatedTo: BOB }],
  ['the owner', { what: { kacls_owner_domain: 'else' } }, { rule: 'kacls_owner_domain', ownerDomain: 'else' }],
])('a refusal because of %s is recorded with its rule', async (_what, options, details) => {
  const reason = randomUUID()
  expect(await kacls().wrap(endpoint, undefined, { ...options, reason })).toEqual(refused(403))
  const written = await records(endpoint, 1, { reason })
  expect(written.filter((record) => record.details.reason === reason)).toMatchObject([
    {
      severity: 'warning',
      username: ADA,
      success: false,
      errorMessage: 'FORBIDDEN',
      details: { action: 'wrap', resource: RESOURCE, ...details },
    },
  ])
})

test('a blob of another resource, a damaged one and an unusable key leave records of their refusals', async () => {
  const own = await kacls().create()
  const wrapped_key = await kacls().wrapped(own)
  await kacls().unwrap(own, wrapped_key, { what: { resource_name: 'else' } })
  await kacls().unwrap(own, wrapped_key.replace(/.{8}$/, 'AAAAAAA='))
  await kacls().vault.admin.act(own.kekName as string, 'archive')
  kacls().letPass()
  await kacls().wrap(own)
  const written = await records(own, 4)
  const refusals = written.filter(({ success }) => !success)
  expect(refusals.map(({ errorMessage, details: { rule, refusal } }) => ({ errorMessage, rule, refusal }))).toEqual(
    expect.arrayContaining([
      { errorMessage: 'FORBIDDEN', rule: 'resource_name', refusal: undefined },
      { errorMessage: 'BLOB_INVALID', rule: undefined, refusal: 'CIPHERTEXT_INVALID' },
      { errorMessage: 'FORBIDDEN', rule: 'allow', refusal: 'STATE_CONFLICT' },
    ]),
  )
})

test('calls of the migration are on record with their issuer', async () => {
  const own = await kacls().create()
  const wrapped_key = await kacls().wrapped(own)
  expect((await kacls().migration(own, 'digest', 'verifier', { wrapped_key })).status).toBe(200)
  const written = await records(own, 2)
  const record = written.find(({ details }) => details.action === 'digest')
  expect(record).toMatchObject({
    success: true,
    details: { authorizationIssuer: SUITE_ISSUERS.migration, role: 'verifier', resource: RESOURCE, version: 0 },
  })
})

test('each refusal of another service is recorded with its address and the resource', async () => {
  const own = await kacls().create()
  const wrapped_key = await kacls().wrapped(own)
  await kacls().change(own, { allow_privileged_unwrap: true })
  await kacls().put(own.id, 'privileged-unwrap-configuration', { kacls_base_url: [peer().url] })
  await kacls().setPerimeter(own, 'package p\n\nallow := false\n')
  const seconds = Math.floor(deployment().clock.now().getTime() / 1_000)
  const authentication = peer().token(seconds, { kacls_url: own.endpoint_url, resource_name: RESOURCE })
  for (let call = 0; call < 2; call++)
    expect(await kacls().privileged(own, 'privilegedunwrap', { wrapped_key }, { authentication })).toEqual(refused(403))
  const refusals = (await records(own, 3)).filter(({ success }) => !success)
  const details = { action: 'privilegedunwrap', peer: peer().url, resource: RESOURCE, rule: 'no allow' }
  expect(refusals).toMatchObject([
    { username: peer().url, details },
    { username: peer().url, details },
  ])
})

test('status and certs leave a line, and no record', async () => {
  const own = await kacls().create()
  for (const call of ['status', 'certs']) expect((await kacls().get(own, call)).status).toBe(200)
  expect(await records(own, 2)).toEqual([])
})

test('50 calls without valid tokens leave one record with their number and nothing of their claims', async () => {
  const own = await kacls().create()
  const calls = Array.from({ length: 50 }, (_, call) =>
    kacls().wrap(own, undefined, { who: { aud: 'else', email: `${call}@else.test` }, reason: `reason ${call}` }),
  )
  for (const answered of await Promise.all(calls)) expect(answered).toEqual(refused(401))
  const [record, ...more] = await records(own, 50)
  expect(more).toEqual([])
  expect(record).toMatchObject({ username: '', success: false, errorMessage: 'UNAUTHENTICATED' })
  expect(record.details).toEqual({ action: 'wrap', resource_uri: own.uri, unrecorded: 49 })
})

test('calls to unknown endpoints leave one record, in the root domain', async () => {
  const before = (await kacls().vault.records('service=kacls')).length
  const ask = () =>
    kacls().send(
      'POST',
      kacls()
        .at(endpoint, 'wrap')
        .replace(endpoint.id as string, randomUUID()),
      {},
    )
  for (const answered of await Promise.all(Array.from({ length: 10 }, ask))) expect(answered).toEqual(refused(404))
  await kacls().lines(10, { outcome: 'NOT_FOUND' })
  await deployment().logsDelivered()
  const written = await kacls().vault.records('service=kacls')
  expect(written).toHaveLength(before + 1)
  const [record] = written.filter(({ errorMessage }) => errorMessage === 'NOT_FOUND')
  expect(record).toMatchObject({ domain: ROOT_DOMAIN_ID, username: '', details: { action: 'wrap', unrecorded: 9 } })
})

test('long claims are cut in the record', async () => {
  const own = await kacls().create()
  const email = `${'a'.repeat(3_000)}@shop.example.test`
  expect(
    (await kacls().wrap(own, undefined, { who: { email }, what: { email, message_id: 'm'.repeat(3_000) } })).status,
  ).toBe(200)
  const [record] = await records(own, 1)
  for (const text of [
    record.username,
    record.details.email,
    record.details.authorizationEmail,
    record.details.messageId,
  ])
    expect(text).toHaveLength(512)
})
