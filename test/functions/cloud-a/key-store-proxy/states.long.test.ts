import { randomBytes } from 'node:crypto'
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { FUNCTIONS } from '../../../../infra/functions.ts'
import { startFaultProxy } from '../../../../infra/local/table/fault-proxy.ts'
import { createFunction } from '../../../../infra/local/functions/functions.ts'
import { createLog } from '../../../../infra/local/log.ts'
import { startTable } from '../../../../infra/local/table/table.ts'
import { usesKey } from '../../../../shared/vault/keys/record/uses.ts'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { BUNDLES } from '../../../support/build.ts'
import { expectNoHang } from '../../../support/hang.ts'
import { METADATA, refusal, toDecrypt, useXks, type Operation, type TestStore } from './proxy.ts'
import { startStalling } from './stalling.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

const table = await startTable({})
const faults = await startFaultProxy(table.endpoint)
const stalling = await startStalling(faults.endpoint)
const xks = useXks({ tableEndpoint: stalling.endpoint })
const direct = new DynamoDBClient({
  endpoint: table.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'LOCAL', secretAccessKey: 'local' },
})

let store: TestStore
let key = ''
let encrypted: any

beforeAll(async () => {
  pointProcessAt({ AWS_ENDPOINT_URL_DYNAMODB: table.endpoint }) // writes of this process bypass the faults
  store = await xks().store()
  key = (await xks().key(store)).id
  await xks().ok(store, 'health', '')
  await xks().vault.service.deployment.logsDelivered() // records the use of the credential now, not during a later test
})
afterAll(async () => {
  direct.destroy()
  await stalling.stop()
  await faults.stop()
  await table.stop()
})
beforeEach(async () => {
  stalling.stalled = false
  faults.reset()
  encrypted = await xks().encrypt(store, key, Buffer.from('kept'))
  for (const operation of ['health', 'metadata'] as const) await xks().ok(store, operation, key)
})

const STATE = refusal(400, 'InvalidStateException')
const TIMEOUT = refusal(503, 'DependencyTimeoutException')
const GCM = { encryptionAlgorithm: 'AES_GCM' }
const OPERATIONS: readonly Operation[] = ['health', 'metadata', 'encrypt', 'decrypt']
const fieldsOf = (operation: Operation): object =>
  operation === 'encrypt' ? { ...GCM, plaintext: 'AAAA' } : operation === 'decrypt' ? toDecrypt(encrypted) : {}
const ask = (operation: Operation, of = key, at = store) => xks().call(at, operation, of, fieldsOf(operation))

const usesOf = async (versionId: string): Promise<Record<string, any>> => {
  const { pk, sk } = usesKey(ROOT_DOMAIN_ID, versionId)
  const { name: TableName } = xks().vault.service.deployment.table
  const reply = await direct.send(
    new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }),
  )
  return reply.Item ?? {}
}
async function setUses(versionId: string, uses: number): Promise<void> {
  const { pk, sk } = usesKey(ROOT_DOMAIN_ID, versionId)
  await direct.send(
    new UpdateItemCommand({
      TableName: xks().vault.service.deployment.table.name,
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: 'SET uses = :uses',
      ExpressionAttributeValues: { ':uses': { N: String(uses) } },
    }),
  )
}

test('a warm call of any operation reads and writes no table', async () => {
  for (const operation of OPERATIONS) await ask(operation)
  faults.reset()
  for (const operation of OPERATIONS) expect((await ask(operation)).status).toBe(200)
  expect(faults.counts()).toEqual({})
})

test('all cached state is read again after two seconds, in the background and in one batch', async () => {
  faults.reset()
  xks().vault.advance(2_500)
  expect((await ask('encrypt')).status).toBe(200)
  await expect.poll(() => faults.counts()).toEqual({ BatchGetItem: 1 })
  const [call] = faults.calls()
  const requests = Object.values((call?.request.RequestItems ?? {}) as Record<string, { Keys: object[] }>)
  // store, key, version, the holder of its name, and the blocks of the domain and of the deployment
  expect(requests[0]?.Keys).toHaveLength(6)
  xks().vault.advance(1)
  await ask('encrypt')
  expect(faults.counts()).toEqual({ BatchGetItem: 1 })
})

test('concurrent callers share one read', async () => {
  xks().letPass()
  faults.reset()
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('metadata')))
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  expect(faults.counts().BatchGetItem).toBeLessThanOrEqual(2) // the store, then the key
})

test('a blocked store refuses all four operations within five seconds, and answers at once after it is unblocked', async () => {
  await xks().block(store, true)
  const unknown = '01900000-0000-7000-8000-000000000000'
  expect(await xks().call(store, 'metadata', unknown, {})).toEqual(STATE) // also while uses are still allowed
  xks().letPass()
  expect(await xks().call(store, 'metadata', unknown, {})).toEqual(STATE)
  for (const operation of OPERATIONS) expect(await ask(operation), operation).toEqual(STATE)
  const requestMetadata = { ...METADATA, kmsRequestId: 'while blocked' }
  await xks().call(store, 'encrypt', key, { requestMetadata, plaintext: 'AAAA', encryptionAlgorithm: 'AES_GCM' })
  expect(await xks().lines(1, { kmsRequestId: 'while blocked' })).toMatchObject([{ outcome: 'InvalidStateException' }])
  const unsigned = await xks().call(store, 'health', '', {}, { signing: { secret: 'x'.repeat(44) } })
  expect(unsigned).toEqual(refusal(401, 'AuthenticationFailedException'))
  await xks().block(store, false)
  for (const operation of OPERATIONS) expect((await ask(operation)).status, operation).toBe(200)
})

test('a blocked key is DISABLED and refuses every use; unblocking takes effect at once', async () => {
  await xks().blockKey(key, true)
  xks().letPass()
  expect(await ask('encrypt')).toEqual(STATE)
  expect(await ask('decrypt')).toEqual(STATE)
  expect((await xks().ok(store, 'metadata', key)).keyStatus).toBe('DISABLED')
  await xks().blockKey(key, false)
  expect((await ask('encrypt')).status).toBe(200)
})

test('a local key that is deactivated or destroyed neither encrypts nor decrypts', async () => {
  const own = await xks().key(store)
  const parts = toDecrypt(await xks().encrypt(store, own.id, Buffer.from('mine')))
  const name = own.source.name as string
  await xks().vault.admin.act(name, 'revoke', { reason: 'CessationOfOperation' })
  xks().letPass()
  expect(await ask('encrypt', own.id)).toEqual(STATE)
  expect(await xks().call(store, 'decrypt', own.id, parts)).toEqual(STATE)
  expect((await xks().ok(store, 'metadata', own.id)).keyStatus).toBe('DISABLED')
  await xks().vault.admin.act(name, 'destroy', {}, '?force=true')
  xks().letPass()
  for (const operation of ['encrypt', 'decrypt'] as const)
    expect(await xks().call(store, operation, own.id, { ...parts, plaintext: 'AAAA' })).toEqual(STATE)
  expect((await xks().ok(store, 'metadata', own.id)).keyStatus).toBe('DISABLED')
})

test('a date takes effect at its time, without a read', async () => {
  const deactivationDate = xks().vault.at(1_000)
  const own = await xks().key(store, { deactivationDate })
  expect((await ask('encrypt', own.id)).status).toBe(200)
  faults.reset()
  xks().vault.advance(1_000)
  expect(await ask('encrypt', own.id)).toEqual(STATE)
  expect(faults.counts()).toEqual({})
})

test('deletion of a local key deletes its hosted key', async () => {
  const own = await xks().key(store)
  await xks().encrypt(store, own.id, Buffer.from('mine'))
  await xks().vault.admin.act(own.source.name as string, 'revoke', { reason: 'CessationOfOperation' })
  await xks().vault.admin.act(own.source.name as string, 'destroy', {}, '?force=true')
  await xks().vault.admin.remove(own.source.name as string)
  xks().letPass()
  expect(await ask('metadata', own.id)).toEqual(refusal(404, 'KeyNotFoundException'))
})

test('the path of a deleted store is not found', async () => {
  const own = await xks().store()
  expect((await ask('health', '', own)).status).toBe(200)
  await xks().removeStore(own)
  xks().letPass()
  expect(await ask('health', '', own)).toEqual(refusal(404, 'InvalidUriPathException'))
})

test('the health check uses only its own key, is at most a minute old, and reports a failure of that key', async () => {
  const own = await xks().store()
  const { local_hosted_params: local } = (await xks().storedStore(own)) ?? {}
  expect((await xks().ok(own, 'health')).healthStatus).toBe('ACTIVE')
  expect(await usesOf(local?.health_check_key_id ?? '')).toEqual({})
  await xks().vault.admin.act(local?.health_check_key_id ?? '', 'revoke', { reason: 'CessationOfOperation' })
  xks().vault.advance(60_001)
  const { healthStatus, ekmFleetDetails } = await xks().ok(own, 'health')
  expect([healthStatus, ekmFleetDetails[0].healthStatus]).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
  await xks().vault.admin.act(local?.health_check_key_id ?? '', 'reactivate', { reason: 'DeactivatedToActive' })
  expect((await xks().ok(own, 'health')).healthStatus).toBe('ACTIVE')
})

test('the health check reports a sample that does not decrypt', async () => {
  const other = Buffer.alloc(60, 1).toString('base64')
  const own = await xks().store({ local: { health_check_ciphertext: other } })
  expect((await xks().ok(own, 'health')).healthStatus).toBe('UNAVAILABLE')
})

test.each(['internal-error', 'throttling', 'throughput-exceeded'] as const)(
  'while the table answers %s, warm keys work within the bound, then the answer is 503; they work again after it recovers',
  async (fault) => {
    const back = faults.inject({ fault })
    xks().vault.advance(4_000)
    for (const operation of OPERATIONS) expect((await ask(operation)).status, operation).toBe(200)
    xks().vault.advance(1_500)
    for (const operation of OPERATIONS) expect(await ask(operation), operation).toEqual(TIMEOUT)
    back()
    for (const operation of OPERATIONS) expect((await ask(operation)).status, operation).toBe(200)
  },
)

test('a stalled table gives 503 and delays no other call; warm keys keep working', async () => {
  stalling.stalled = true
  xks().vault.advance(4_000)
  for (const operation of OPERATIONS) {
    const from = performance.now()
    expect((await ask(operation)).status).toBe(200)
    expectNoHang(from)
  }
  xks().vault.advance(1_500)
  for (const operation of OPERATIONS) {
    const from = performance.now()
    expect(await ask(operation)).toEqual(TIMEOUT)
    expectNoHang(from)
  }
  stalling.stalled = false
  for (const operation of OPERATIONS) expect((await ask(operation)).status).toBe(200)
})

test('a failure of the root key is answered in the protocol’s error format', async () => {
  const { kms, rootKeyId, kill } = xks().vault.service.deployment
  kms.setState(rootKeyId, 'Disabled')
  await kill('xks')
  await expect
    .poll(() => ask('health'))
    .toMatchObject({
      status: 500,
      body: { errorName: 'InternalException', errorMessage: 'The key manager failed.' },
    })
  kms.setState(rootKeyId, 'Enabled')
  await xks().warm(store, key)
})

test('a store over its quota is refused as throttled, and other stores are not affected', async () => {
  const { deployment } = xks().vault.service
  const row = FUNCTIONS.find(({ name }) => name === 'xks')
  if (row === undefined) throw new Error('There is no function xks')
  const log = createLog({})
  const environment = { ...deployment.environmentOf('xks'), KEYMGR_XKS_CALLS_PER_SECOND: '5' }
  const throttled = createFunction(row, { bundles: BUNDLES, environment, log })
  const other = await xks().store()
  const send = async (at: TestStore, signing = true) => {
    const event: any = xks().eventOf(at, 'health', '', {})
    if (!signing) event.headers.authorization = event.headers.authorization.replace(/.{8}$/, '00000000')
    const { statusCode, body } = (await throttled.invoke(event)) as { statusCode: number; body: string }
    return [statusCode, (JSON.parse(body) as { errorName?: string }).errorName]
  }
  await expect.poll(async () => (await send(store, false))[0]).toBe(401)
  for (let call = 0; call < 20; call++) expect((await send(store, false))[0]).toBe(401) // no quota was used
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(store)))
  expect(answers.filter(([status]) => status === 200).length).toBeLessThanOrEqual(6)
  expect(answers).toContainEqual([429, 'ThrottlingException'])
  expect(await send(other)).toEqual([200, undefined])
  await throttled.stop(0)
  await log.close()
})

test('successes are marked for the audit where the store asks for it, refusals always; no secret is logged', async () => {
  const audited = await xks().store({ audited: true })
  const own = await xks().key(audited)
  const marker = `marker-${randomBytes(8).toString('hex')}`
  const plaintext = Buffer.from(marker)
  const at = (of: string) => ({ requestMetadata: { ...METADATA, kmsRequestId: `${marker}-${of}` } })
  const made = await xks().encrypt(audited, own.id, plaintext, at('asked'))
  await xks().ok(audited, 'decrypt', own.id, toDecrypt(made, at('asked')))
  await xks().encrypt(store, key, plaintext, at('not-asked'))
  await xks().call(store, 'decrypt', key, { ...toDecrypt(made), ...at('refused') })
  const lines = (count: number, of: string) => xks().lines(count, { kmsRequestId: `${marker}-${of}` })
  expect((await lines(2, 'asked')).map(({ audit, operation }) => [audit, operation])).toEqual([
    [true, 'Encrypt'],
    [true, 'Decrypt'],
  ])
  expect((await lines(1, 'not-asked')).map(({ audit }) => audit)).toEqual([undefined])
  expect(await lines(1, 'refused')).toEqual([
    expect.objectContaining({ audit: true, outcome: 'InvalidCiphertextException' }),
  ])
  const logged = xks()
    .vault.service.deployment.logs()
    .map(({ text }) => text)
    .join('\n')
  const { secret } = audited.credential
  for (const hidden of [secret, plaintext.toString('base64'), made.ciphertext as string])
    expect(logged).not.toContain(hidden)
})

test('the counter of a version is never below its uses, and a crash only loses numbers', async () => {
  const own = await xks().key(store)
  const ivs = new Set<string>()
  for (let round = 0; round < 3; round++) {
    for (let call = 0; call < 20; call++)
      ivs.add((await xks().encrypt(store, own.id, Buffer.from('x'))).initializationVector as string)
    expect(Number((await usesOf(own.source.id as string)).uses.N)).toBeGreaterThanOrEqual(ivs.size)
    await xks().freshInstance(store, own.id)
  }
  expect(ivs.size).toBe(60)
  expect((await usesOf(own.source.id as string)).uses).toEqual({ N: '768' })
})

test('a version with half of its permitted uses gets a successor, with a warning and an audit record', async () => {
  const own = await xks().key(store)
  const before = await xks().encrypt(store, own.id, Buffer.from('before'))
  await setUses(own.source.id as string, 2 ** 31 - 300)
  await xks().freshInstance(store, own.id) // it leases a new block
  await xks().encrypt(store, own.id, Buffer.from('below'))
  expect((await usesOf(own.source.id as string)).due).toBeUndefined()
  await xks().freshInstance(store, own.id)
  await xks().encrypt(store, own.id, Buffer.from('above'))
  expect((await usesOf(own.source.id as string)).due).toEqual({ S: 'rotate-used-key' })
  expect(await xks().vault.sweep()).toMatchObject({ rotated: 1 })
  expect(await xks().vault.sweep()).toMatchObject({ rotated: 0 })
  expect((await usesOf(own.source.id as string)).due).toBeUndefined()
  xks().letPass()
  const after = await xks().encrypt(store, own.id, Buffer.from('after'))
  expect(after.ciphertextMetadata).toBe(Buffer.of(1, 0, 0, 0, 1).toString('base64'))
  expect((await xks().call(store, 'decrypt', own.id, toDecrypt(before))).status).toBe(200)
  const latest = await xks().vault.admin.get(own.source.name as string)
  const records = await xks().vault.records(`resource_uri=${encodeURIComponent(latest.uri as string)}`)
  expect(records).toMatchObject([{ message: 'Rotate Used Local Key', success: true, principal: { sub: 'keymgr' } }])
  const levels = () =>
    xks()
      .vault.service.deployment.logs()
      .filter(({ text }) => text.includes(own.source.id as string))
      .map(({ text }) => (JSON.parse(text) as { level: string }).level)
  await expect.poll(levels).toContain('warn')
})

test('a version with all of its permitted uses encrypts no more, and still decrypts', async () => {
  const own = await xks().key(store)
  const before = await xks().encrypt(store, own.id, Buffer.from('before'))
  await setUses(own.source.id as string, 2 ** 32 - 3)
  await xks().freshInstance(store, own.id)
  for (let use = 0; use < 3; use++) await xks().encrypt(store, own.id, Buffer.from('one of the last'))
  expect(await ask('encrypt', own.id)).toEqual(STATE)
  await xks().freshInstance(store, own.id)
  expect(await ask('encrypt', own.id)).toEqual(STATE)
  expect((await xks().call(store, 'decrypt', own.id, toDecrypt(before))).status).toBe(200)
})

test('warm calls take a small part of the cloud’s time limit', async () => {
  const requestMetadata = { ...METADATA, kmsRequestId: 'timed' }
  for (let call = 0; call < 300; call++) await xks().encrypt(store, key, randomBytes(64), { requestMetadata })
  const timed = await xks().lines(300, { kmsRequestId: 'timed' })
  const times = timed.map(({ ms }) => ms as number).sort((a, b) => a - b)
  expect(times[296]).toBeLessThan(100)
})
