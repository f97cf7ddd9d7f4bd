import { randomBytes } from 'node:crypto'
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { FUNCTIONS } from '../../../infra/functions.ts'
import { startFaultProxy } from '../../../infra/local/table/fault-proxy.ts'
import { createFunction } from '../../../infra/local/functions/functions.ts'
import { createLog } from '../../../infra/local/log.ts'
import { startTable } from '../../../infra/local/table/table.ts'
import { usesKey } from '../../../shared/vault/keys/record/uses.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { EKM_KEK } from '../../../shared/endpoints/ekm/store.ts'
import { itemKey, type Key } from '../../../shared/store/layout.ts'
import { BUNDLES } from '../../support/build.ts'
import { issuerKey, mint } from '../../support/issuer.ts'
import { BASIC, ENDPOINTS, HOST, refused, useEkm } from '../ekm/ekm.ts'

const table = await startTable({})
const faults = await startFaultProxy(table.endpoint)
const ekm = useEkm({ tableEndpoint: faults.endpoint })
const direct = new DynamoDBClient({
  endpoint: table.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'LOCAL', secretAccessKey: 'local' },
})

let endpoint: any
let blob: Buffer
beforeAll(async () => {
  endpoint = await ekm().create()
})
afterAll(async () => {
  direct.destroy()
  await faults.stop()
  await table.stop()
})
beforeEach(async () => {
  faults.reset()
  blob = await ekm().wrap(endpoint, Buffer.from('kept'))
  expect((await ekm().unwrap(endpoint, blob)).status).toBe(200)
})

const BODY = { plaintext: 'AAAA' }
const wrap = (at = endpoint) => ekm().call(at, 'wrap', BODY)
const DENIED = refused(403, 'PERMISSION_DENIED')
const UNAVAILABLE = refused(503, 'UNAVAILABLE')

test('a warm call of any operation reads and writes no table, and asks no issuer', async () => {
  const signing = await ekm().create({ key_type: 'asymmetric', algorithm: 'EC_SIGN_P256_SHA256' })
  await ekm().ok(signing, 'asymmetricSign', { data: 'AAAA' })
  await ekm().ok(signing, 'getPublicKey')
  faults.reset()
  const fetches = ekm().issuer.fetches()
  for (let call = 0; call < 10; call++) {
    await ekm().wrap(endpoint, Buffer.from('x'))
    expect((await ekm().unwrap(endpoint, blob)).status).toBe(200)
    await ekm().ok(signing, 'asymmetricSign', { data: 'AAAA' })
    await ekm().ok(signing, 'getPublicKey')
  }
  expect(faults.counts()).toEqual({})
  expect(ekm().issuer.fetches()).toBe(fetches)
})

test('a disabled endpoint answers 403 within five seconds, works within 250 ms of being enabled, and answers 404 once deleted', async () => {
  const own = await ekm().create()
  expect((await wrap(own)).status).toBe(200)
  await ekm().act(own.id as string, 'disable')
  ekm().letPass()
  expect(await wrap(own)).toEqual(DENIED)
  await ekm().act(own.id as string, 'enable')
  ekm().vault.advance(250)
  expect((await wrap(own)).status).toBe(200)
  await ekm().vault.admin.ok('DELETE', `${ENDPOINTS}/${own.id as string}`)
  ekm().letPass()
  expect(await wrap(own)).toEqual(refused(404, 'NOT_FOUND'))
})

test('deletion of an endpoint deletes the references from the versions of its key', async () => {
  const own = await ekm().create()
  const { body: rotated } = await ekm().act(own.id as string, 'rotate')
  const leads = async () => (await Promise.all([own.kekID, rotated.kekID].map(leadOf))).filter(Boolean).length
  expect(await leads()).toBe(2)
  await ekm().vault.admin.ok('DELETE', `${ENDPOINTS}/${own.id as string}`)
  expect(await leads()).toBe(0)
  const again = await ekm().create({ existing_key_id: own.kekName })
  ekm().letPass()
  expect((await wrap(own)).status).toBe(200) // the same key, and therefore the same address
  expect(again.kekID).toBe(rotated.kekID)
})

test('a call to a disabled endpoint read the table each time', async () => {
  const own = await ekm().create()
  await ekm().act(own.id as string, 'disable')
  expect(await wrap(own)).toEqual(DENIED)
  ekm().vault.advance(1_000)
  faults.reset()
  for (let call = 0; call < 5; call++) expect(await wrap(own)).toEqual(DENIED)
  expect(faults.counts().BatchGetItem).toBeLessThanOrEqual(2)
})

test('an endpoint that was enabled with another host was open to tokens for its former one', async () => {
  const own = await ekm().create()
  const path = `${ENDPOINTS}/${own.id as string}`
  await ekm().act(own.id as string, 'disable')
  expect(await wrap(own)).toEqual(DENIED)
  await ekm().vault.admin.ok('PATCH', path, { keyURIHostname: 'moved.example.test', enabled: true })
  ekm().vault.advance(250)
  expect(await wrap(own)).toEqual(refused(401, 'UNAUTHENTICATED'))
})

test('a call without a token of the issuer’s read the table', async () => {
  const own = await ekm().create()
  const stranger = issuerKey('first')
  const nobody = issuerKey('nobody')
  // An unknown key is searched for once.
  await ekm().call(endpoint, 'wrap', BODY, { token: mint(nobody, ekm().claims()) })
  ekm().letPass()
  faults.reset()
  const tokens = [null, 'not.a.token', mint(stranger, ekm().claims()), mint(nobody, ekm().claims())]
  for (const token of tokens)
    expect(await ekm().call(own, 'wrap', BODY, { token })).toEqual(refused(401, 'UNAUTHENTICATED'))
  expect(faults.counts()).toEqual({})
})

test('a caller whom the policy refuses used up the quota of permitted callers', async () => {
  const { send, stop } = throttled()
  const own = await ekm().create()
  const denied = ekm().token({ email: 'else@else.test' })
  const statuses = []
  for (let call = 0; call < 12; call++) statuses.push(await send(own, denied))
  expect(statuses).toContain(403)
  expect(statuses).toContain(429)
  expect(await send(own)).toBe(200)
  await stop()
})

test('another policy and another host take effect within five seconds', async () => {
  const own = await ekm().create()
  expect((await wrap(own)).status).toBe(200)
  const path = `${ENDPOINTS}/${own.id as string}`
  await ekm().vault.admin.ok('PATCH', path, { policy: { basic: { clients: ['else@else.test'] } } })
  ekm().letPass()
  expect(await wrap(own)).toEqual(DENIED)
  await ekm().vault.admin.ok('PATCH', path, { policy: BASIC, keyURIHostname: 'new.example.test' })
  ekm().letPass()
  expect(await wrap(own)).toEqual(refused(401, 'UNAUTHENTICATED'))
  const claims = { aud: 'https://new.example.test' }
  expect((await ekm().call(own, 'wrap', BODY, { claims })).status).toBe(200)
})

test.each<[string, string, object, number, number]>([
  ['deactivated', 'revoke', { reason: 'CessationOfOperation' }, 403, 200],
  ['compromised', 'revoke', { reason: 'KeyCompromise' }, 403, 200],
  ['archived', 'archive', {}, 403, 403],
])('a local key that is %s is refused within five seconds', async (_what, verb, body, wraps, unwraps) => {
  const own = await ekm().create()
  const made = await ekm().wrap(own, Buffer.from('x'))
  await ekm().vault.admin.act(own.kekName as string, verb, verb === 'revoke' ? body : undefined)
  ekm().letPass()
  expect((await wrap(own)).status).toBe(wraps)
  expect((await ekm().unwrap(own, made)).status).toBe(unwraps)
})

test('a usage that is taken from the key is refused, as is a key that was destroyed', async () => {
  const own = await ekm().create()
  const { admin } = ekm().vault
  const made = await ekm().wrap(own, Buffer.from('x'))
  await admin.update(own.kekID as string, { usageMask: 16 })
  ekm().letPass()
  expect((await wrap(own)).status).toBe(200)
  expect(await ekm().unwrap(own, made)).toEqual(DENIED)
  await admin.update(own.kekID as string, { undeletable: false })
  await admin.act(own.kekID as string, 'revoke', { reason: 'CessationOfOperation' })
  expect((await admin.tryAct(own.kekID as string, 'destroy')).status).toBe(409) // the endpoint uses it
  await admin.act(own.kekID as string, 'destroy', undefined, '?force=true')
  ekm().letPass()
  expect(await wrap(own)).toEqual(DENIED)
  expect(await ekm().unwrap(own, made)).toEqual(DENIED)
})

test('an unavailable table gives 503, never a refusal by the owner; warm calls work for up to five seconds', async () => {
  faults.inject({ fault: 'throttling', operation: 'BatchGetItem' })
  expect((await wrap()).status).toBe(200)
  ekm().vault.advance(4_000)
  expect((await wrap()).status).toBe(200)
  ekm().vault.advance(4_000)
  expect(await wrap()).toEqual(UNAVAILABLE)
  const nowhere = { key_path: `/api/v1/keymgr/ekm/endpoints/${randomBytes(32).toString('hex')}` }
  expect(await wrap(nowhere)).toEqual(UNAVAILABLE)
})

test('an instance that cannot read the issuer’s keys answers 503; an instance that has them keeps working', async () => {
  const { issuer, key } = ekm()
  issuer.answer = (response) => response.destroy()
  expect((await wrap()).status).toBe(200)
  await ekm().freshInstance()
  expect(await wrap()).toEqual(UNAVAILABLE)
  issuer.publish(key)
  ekm().vault.advance(1_001)
  expect((await wrap()).status).toBe(200)
})

/** Changes a record, by default a local key's version, as only an internal error could. */
async function damage(id: string, change: (record: any) => object, entity = 'local-key'): Promise<void> {
  const { pk, sk } = itemKey(ROOT_DOMAIN_ID, entity, id)
  const data = (await itemOf({ pk, sk }))?.data?.S ?? ''
  const { name: TableName } = ekm().vault.service.deployment.table
  await direct.send(
    new UpdateItemCommand({
      TableName,
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: 'SET #data = :data',
      ExpressionAttributeNames: { '#data': 'data' },
      ExpressionAttributeValues: { ':data': { S: JSON.stringify(change(JSON.parse(data))) } },
    }),
  )
}

/** With one of its middle characters changed. */
const altered = (sealed: string): string => {
  const at = sealed.length - 24
  return sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
}

test.each<[string, (sealed: string) => string]>([
  ['changed', altered],
  ['cut short', (sealed) => sealed.slice(0, sealed.indexOf('.') + 9)],
  ['under a domain key that is not there', (sealed) => `nobody${sealed}`],
])('material of ours that is %s was answered as a damaged blob, which the cloud abandons', async (_what, change) => {
  const own = await ekm().create()
  const made = await ekm().wrap(own, Buffer.from('x'))
  await damage(own.kekID as string, (record) => ({ ...record, sealed: change(record.sealed as string) }))
  await ekm().freshInstance()
  expect(await ekm().unwrap(own, made)).toEqual(refused(500, 'INTERNAL'))
  expect(await wrap(own)).toEqual(refused(500, 'INTERNAL'))
  await ekm().lines(2, { endpoint: own.id, level: 'error' })
})

test('a stored policy that no longer compiles was a fault of ours; it denies, and states the reason', async () => {
  const own = await ekm().create({ raw_policy_enabled: true, policy: { rego: 'package p\n\nallow := true\n' } })
  const rego = 'package p\n\nallow if not missing\n'
  await damage(own.id as string, (record) => ({ ...record, policy: { rego } }), 'ekm-endpoint')
  const code = 'rego_unsafe_var_error'
  expect(await wrap(own)).toEqual(DENIED)
  await ekm().lines(1, { endpoint: own.id, policyError: code })
  const tried = await ekm().vault.admin.ok('POST', `${ENDPOINTS}/${own.id as string}/policy/test`, { input: {} })
  expect(tried).toMatchObject({ allowed: false, decided_by: { rule: 'error' }, error: { code } })
})

const itemOf = async ({ pk, sk }: Key) => {
  const { name: TableName } = ekm().vault.service.deployment.table
  const get = new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true })
  return (await direct.send(get)).Item
}

const leadOf = (versionId: string) => itemOf(itemKey(ROOT_DOMAIN_ID, EKM_KEK, versionId))
const usesOf = async (versionId: string): Promise<number> =>
  Number((await itemOf(usesKey(ROOT_DOMAIN_ID, versionId)))?.uses?.N)

test('ivs are leased: none repeats after any crash, and uses are counted', async () => {
  const own = await ekm().create()
  const ivs = new Set<string>()
  const take = async (times: number) => {
    const blobs = await Promise.all(Array.from({ length: times }, () => ekm().wrap(own, Buffer.from('x'))))
    for (const made of blobs) ivs.add(made.subarray(9, 17).toString('hex')) // the counter, after a random field
  }
  await take(20)
  await ekm().freshInstance()
  await ekm().wrap(endpoint, Buffer.from('warm'))
  await take(20)
  expect(ivs.size).toBe(40)
  expect(await usesOf(own.kekID as string)).toBeGreaterThanOrEqual(40)
})

async function setUses(versionId: string, uses: number): Promise<void> {
  const { pk, sk } = usesKey(ROOT_DOMAIN_ID, versionId)
  await direct.send(
    new UpdateItemCommand({
      TableName: ekm().vault.service.deployment.table.name,
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: 'SET uses = :uses',
      ExpressionAttributeValues: { ':uses': { N: String(uses) } },
    }),
  )
}

test('a version that is used up was refused as if its owner had forbidden it', async () => {
  const own = await ekm().create()
  const made = await ekm().wrap(own, Buffer.from('x'))
  await setUses(own.kekID as string, 2 ** 32)
  await ekm().freshInstance()
  expect(await wrap(own)).toEqual(refused(429, 'RESOURCE_EXHAUSTED'))
  expect((await ekm().unwrap(own, made)).status).toBe(200)
  await ekm().act(own.id as string, 'rotate')
  ekm().letPass()
  expect((await wrap(own)).status).toBe(200)
})

test('the sweeper creates a successor long before a version is used up, also for a name that looks like another key’s id', async () => {
  const other = await ekm().localKey()
  const key = await ekm().localKey({ name: other.id })
  const own = await ekm().create({ existing_key_id: key.id })
  await setUses(own.kekID as string, 2 ** 31)
  await ekm().wrap(own, Buffer.from('x'))
  await ekm().vault.sweep()
  const { body } = await ekm().vault.admin.call('GET', `${ENDPOINTS}/${own.id as string}`)
  expect(body).toMatchObject({ kekVersion: '1', keyURI: own.keyURI })
  ekm().letPass()
  expect((await ekm().wrap(own, Buffer.from('x'))).readUInt32BE(1)).toBe(1)
})

/** A separate instance that allows five calls per second for each caller of an endpoint. */
function throttled() {
  const { deployment } = ekm().vault.service
  const row = FUNCTIONS.find(({ name }) => name === 'ekm-data')
  if (row === undefined) throw new Error('There is no function ekm-data')
  const log = createLog({})
  const environment = { ...deployment.environmentOf('ekm-data'), KEYMGR_EKM_CALLS_PER_SECOND: '5' }
  const instance = createFunction(row, { bundles: BUNDLES, environment, log })
  const send = async ({ key_path: path }: any, token = ekm().token()) => {
    const http = { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' }
    const { statusCode } = (await instance.invoke({
      rawPath: `${path as string}:wrap`,
      rawQueryString: '',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      requestContext: { http, domainName: HOST, requestId: 'of-a-test', timeEpoch: ekm().now.getTime() },
      body: JSON.stringify(BODY),
      isBase64Encoded: false,
    })) as { statusCode: number }
    return statusCode
  }
  const stop = async () => {
    await instance.stop(0)
    await log.close()
  }
  return { send, stop }
}

test('an endpoint over its quota gets that refusal, and others are not affected', async () => {
  const { send, stop } = throttled()
  const other = await ekm().create()
  for (let call = 0; call < 20; call++) expect(await send(endpoint, 'not.a.token')).toBe(401) // no quota was used
  const statuses = await Promise.all(Array.from({ length: 12 }, () => send(endpoint)))
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(6)
  expect(statuses).toContain(429)
  expect(await send(other)).toBe(200)
  await stop()
})
