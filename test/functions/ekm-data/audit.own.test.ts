import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { uriOfEndpoint } from '../../../shared/endpoints/ekm/identifiers.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { hashOf } from '../../../shared/rego/light.ts'
import { CLOUD_C, CONNECTIONS, connectionBody, PROJECT } from '../cloud-c/cloud-c.ts'
import { evidence, labTexts } from '../../support/attestation/evidence.ts'
import { AttestedClient } from '../../support/attested-client.ts'
import { EMAIL, ENDPOINTS, HOST, refused, useEkm } from '../ekm/ekm.ts'

const ekm = useEkm()

let endpoint: any
beforeAll(async () => {
  endpoint = await ekm().create()
})

const deployment = () => ekm().vault.service.deployment

/** Records of calls to the endpoint, after the delivery of `count` log lines with these fields. */
async function records(count: number, fields: object): Promise<any[]> {
  await ekm().lines(count, fields)
  await deployment().logsDelivered()
  return ekm().vault.records(
    `service=ekm&resource_uri=${encodeURIComponent(uriOfEndpoint(ROOT_DOMAIN_ID, endpoint.id))}`,
  )
}

const contextOf = (relativeResourceName: string, reason = 'CUSTOMER_INITIATED_ACCESS') => ({
  plaintext: 'AAAA',
  additionalContext: {
    relativeResourceName,
    fullResourceName: `//kms/${relativeResourceName}`,
    accessReasonContext: { reason },
  },
})

test('a call leaves a record in the domain of its endpoint, with caller, reason, key, rule and outcome', async () => {
  const [done, refusal] = [randomUUID(), randomUUID()]
  await ekm().ok(endpoint, 'wrap', contextOf(done))
  const claims = { email: 'Somebody@else.test' }
  expect(await ekm().call(endpoint, 'wrap', contextOf(refusal), { claims })).toEqual(refused(403, 'PERMISSION_DENIED'))
  await records(1, { resource: done })
  const written = await records(1, { resource: refusal })
  const policies = await ekm().vault.admin.ok('GET', `${ENDPOINTS}/${endpoint.id as string}/policies`)
  const recordOf = (resource: string) => written.find(({ details }) => details.resource === resource)
  expect(recordOf(done)).toEqual({
    id: expect.any(String),
    uri: expect.any(String),
    account: expect.any(String),
    createdAt: expect.any(String),
    recordedAt: expect.any(String),
    severity: 'info',
    service: 'ekm',
    source: 'dsp',
    message: 'EKM endpoint wrap',
    username: EMAIL,
    clientIP: '127.0.0.1',
    success: true,
    details: {
      action: 'wrap',
      resource_uri: uriOfEndpoint(ROOT_DOMAIN_ID, endpoint.id as string),
      key: endpoint.kekID,
      version: 0,
      reason: 'CUSTOMER_INITIATED_ACCESS',
      resource: done,
      fullResource: `//kms/${done}`,
      policy: hashOf('v1', policies.raw_policy as string),
      rule: 'allow',
      ms: expect.any(Number),
    },
    requestId: expect.any(String),
    domain: ROOT_DOMAIN_ID,
    principal: { sub: EMAIL, groups: [] },
  })
  expect(recordOf(refusal)).toMatchObject({
    severity: 'warning',
    username: 'somebody@else.test',
    success: false,
    errorMessage: 'PERMISSION_DENIED',
    details: { action: 'wrap', rule: 'client_listed' },
  })
})

test('successes for keys of a managed project are recorded on request of the project; refusals always', async () => {
  const { admin, service } = ekm().vault
  const own = await ekm().create({ policy: { basic: { clients: [EMAIL, 'other@else.test'] } } })
  const connection = connectionBody(service.deployment.cloudC, 'of the project')
  await admin.ok('POST', CONNECTIONS, connection)
  const added = { connection: 'of the project', project_id: PROJECT }
  const project = await admin.ok('POST', `${CLOUD_C}/projects`, added)
  expect(project.enable_success_audit_event).toBe(false)
  const key = (of: string) => `projects/${of}/locations/europe-west3/keyRings/orders/cryptoKeys/${randomUUID()}`
  const [quiet, elsewhere, claimed, refusal, loud] = [
    key(PROJECT),
    key('other'),
    key(PROJECT),
    key(PROJECT),
    key(PROJECT),
  ]
  await ekm().ok(own, 'wrap', contextOf(quiet))
  await ekm().ok(own, 'wrap', contextOf(elsewhere))
  await ekm().ok(own, 'wrap', contextOf(claimed), { claims: { email: 'other@else.test' } })
  expect((await ekm().call(own, 'unwrap', contextOf(refusal))).status).toBe(400)
  await ekm().lines(4, { endpoint: own.id })
  await deployment().logsDelivered()
  await admin.ok('PATCH', `${CLOUD_C}/projects/${project.id}`, { enable_success_audit_event: true })
  await ekm().ok(own, 'wrap', contextOf(loud))
  await ekm().lines(5, { endpoint: own.id })
  await deployment().logsDelivered()
  const written = await ekm().vault.records(`service=ekm&resource_uri=${encodeURIComponent(own.uri as string)}`)
  const resources = written.map(({ details }) => details.resource as string)
  expect(resources.toSorted()).toEqual([elsewhere, claimed, refusal, loud].toSorted())
})

test('the record of an old blob that was opened named the latest version', async () => {
  const own = await ekm().create()
  const blob = await ekm().wrap(own, randomBytes(8))
  await ekm().act(own.id as string, 'rotate')
  ekm().letPass()
  expect((await ekm().unwrap(own, blob)).status).toBe(200)
  await ekm().wrap(own, randomBytes(8))
  await ekm().lines(1, { endpoint: own.id, version: 1 })
  expect(await ekm().lines(1, { endpoint: own.id, operation: 'unwrap' })).toMatchObject([{ version: 0 }])
  await deployment().logsDelivered()
  const written = await ekm().vault.records(`service=ekm&resource_uri=${encodeURIComponent(own.uri as string)}`)
  const versions = written.map(({ details }) => [details.action, details.version])
  expect(versions.filter(([action]) => action === 'unwrap')).toEqual([['unwrap', 0]])
})

test('a policy in Rego is named by its hash, also where it refuses', async () => {
  const rego = 'package mine\n\ndefault allow := false\n'
  const own = await ekm().create({ raw_policy_enabled: true, policy: { rego } })
  expect(await ekm().call(own, 'wrap', { plaintext: 'AAAA' })).toEqual(refused(403, 'PERMISSION_DENIED'))
  await ekm().lines(1, { endpoint: own.id, policy: hashOf('v1', rego) })
})

test('a refused token on an endpoint without earlier calls is on record with the endpoint', async () => {
  const own = await ekm().create()
  const answered = await ekm().call(own, 'wrap', {}, { claims: { aud: 'nobody' } })
  expect(answered).toEqual(refused(401, 'UNAUTHENTICATED'))
  await ekm().lines(1, { outcome: 'UNAUTHENTICATED', endpoint: own.id })
})

test('50 calls without a valid token leave one record with their number and none of their claims', async () => {
  const body = contextOf(randomUUID())
  const calls = Array.from({ length: 50 }, () => ekm().call(endpoint, 'wrap', body, { claims: { aud: 'nobody' } }))
  for (const answered of await Promise.all(calls)) expect(answered).toEqual(refused(401, 'UNAUTHENTICATED'))
  const written = await records(50, { outcome: 'UNAUTHENTICATED', endpoint: endpoint.id as string })
  const [record, ...more] = written.filter(({ errorMessage }) => errorMessage === 'UNAUTHENTICATED')
  expect(more).toEqual([])
  expect(record).toMatchObject({ username: '', success: false, principal: { sub: '' } })
  expect(record.details).toEqual({
    action: 'wrap',
    resource_uri: uriOfEndpoint(ROOT_DOMAIN_ID, endpoint.id as string),
    unrecorded: 49,
  })
})

test('calls to unknown endpoints are on record in the root domain', async () => {
  const nowhere = { key_path: `/api/v1/keymgr/ekm/endpoints/${randomBytes(32).toString('hex')}` }
  expect(await ekm().call(nowhere, 'unwrap')).toEqual(refused(404, 'NOT_FOUND'))
  await ekm().lines(1, { outcome: 'NOT_FOUND' })
  await deployment().logsDelivered()
  const [record, ...more] = (await ekm().vault.records('service=ekm')).filter(
    ({ errorMessage }) => errorMessage === 'NOT_FOUND',
  )
  expect(more).toEqual([])
  expect(record).toMatchObject({ domain: ROOT_DOMAIN_ID, username: EMAIL, details: { action: 'unwrap' } })
  expect(record.details).not.toHaveProperty('resource_uri')
})

test('the record of refused evidence names the failed check; equal refusals are one record', async () => {
  await ekm().vault.admin.ok('PATCH', '/v1/keymgr/ekm/attestation-trust', labTexts())
  const { id } = await ekm().create({ endpoint_type: 'ekm-ude' })
  const { certificate } = await ekm().vault.admin.ok('GET', `${ENDPOINTS}/${id as string}/session-certificate`)
  const email = 'attested@project.iam.gserviceaccount.com'
  const finalized = async (of: (nonce: Buffer) => Buffer): Promise<number> => {
    const stet = new AttestedClient(ekm(), HOST, certificate as string, { email })
    await stet.begin()
    await stet.handshake()
    await stet.agreed(await stet.negotiate([2, 3]))
    return (await stet.finalize(of(stet.nonce))).status
  }
  const foreign = () => evidence({ nonce: Buffer.alloc(48) })
  expect(await finalized(foreign)).toBe(403)
  expect(await finalized(foreign)).toBe(403)
  expect(await finalized((nonce) => evidence({ nonce, certificate: undefined }))).toBe(403)
  await ekm().lines(3, { operation: 'finalize', email })
  await deployment().logsDelivered()
  const written = await ekm().vault.records(`service=ekm&username=${email}`)
  expect(written.map(({ details }) => details).sort((a, b) => (a.evidence < b.evidence ? -1 : 1))).toEqual([
    { action: 'finalize', evidence: 'key: the message has no certificate of the attestation key' },
    { action: 'finalize', evidence: expect.stringMatching(/^nonce: /), unrecorded: 1 },
  ])
  expect(written[0]).toMatchObject({ errorMessage: 'PERMISSION_DENIED', success: false, domain: ROOT_DOMAIN_ID })
})

test('a caller with a valid token created a record for every unknown id', async () => {
  const email = 'curious@else.test'
  const ask = () =>
    ekm().call(
      { key_path: `/api/v1/keymgr/ekm/endpoints/${randomBytes(32).toString('hex')}` },
      'wrap',
      {},
      {
        claims: { email },
      },
    )
  for (const answered of await Promise.all(Array.from({ length: 20 }, ask)))
    expect(answered).toEqual(refused(404, 'NOT_FOUND'))
  await ekm().lines(20, { email })
  await deployment().logsDelivered()
  const written = await ekm().vault.records(`service=ekm&username=${email}`)
  expect(written.map(({ details }) => details)).toEqual([{ action: 'wrap', unrecorded: 19 }])
})

test('the record of a refusal without policy did not name its cause', async () => {
  const own = await ekm().create()
  await ekm().vault.admin.act(own.kekName as string, 'archive')
  expect(await ekm().call(own, 'wrap', { plaintext: 'AAAA' })).toEqual(refused(403, 'PERMISSION_DENIED'))
  await ekm().act(own.id as string, 'disable')
  ekm().letPass()
  expect(await ekm().call(own, 'wrap', { plaintext: 'AAAA' })).toEqual(refused(403, 'PERMISSION_DENIED'))
  await ekm().lines(2, { endpoint: own.id })
  await deployment().logsDelivered()
  const written = await ekm().vault.records(`service=ekm&resource_uri=${encodeURIComponent(own.uri as string)}`)
  expect(written.map(({ details: { rule, refusal } }) => ({ rule, refusal }))).toEqual(
    expect.arrayContaining([{ rule: 'allow', refusal: 'STATE_CONFLICT' }, { rule: 'enabled' }]),
  )
})

test('neither plaintext nor blob nor token reaches a log line', async () => {
  const plaintext = randomBytes(24)
  const aad = randomBytes(24)
  const token = ekm().token()
  const additionalAuthenticatedData = aad.toString('base64')
  const { wrappedBlob } = await ekm().ok(
    endpoint,
    'wrap',
    { plaintext: plaintext.toString('base64'), additionalAuthenticatedData },
    { token },
  )
  await ekm().ok(endpoint, 'unwrap', { wrappedBlob, additionalAuthenticatedData }, { token })
  await ekm().call(endpoint, 'unwrap', { wrappedBlob }, { token })
  const lines = deployment()
    .logs()
    .map(({ text }) => text)
    .join('\n')
  for (const secret of [plaintext, aad, Buffer.from(wrappedBlob as string, 'base64')])
    for (const encoding of ['base64', 'hex', 'base64url'] as const)
      expect(lines).not.toContain(secret.toString(encoding))
  expect(lines).not.toContain(token.split('.')[2])
  expect(lines.length).toBeGreaterThan(100)
})
