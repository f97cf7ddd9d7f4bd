import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { auditRecord } from '../../../../shared/http/audit/record.ts'
import { auditRecords } from '../../../../shared/http/audit/store.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { uriOfStore } from '../../../../shared/clouds/cloud-a/key-stores/identifiers.ts'
import { METADATA, refusal, useXks, type TestStore } from './proxy.ts'

const xks = useXks()

let quiet: TestStore
let audited: TestStore
let key = ''
let auditedKey = ''

beforeAll(async () => {
  ;[quiet, audited] = await Promise.all([xks().store(), xks().store({ audited: true })])
  ;[{ id: key }, { id: auditedKey }] = await Promise.all([xks().key(quiet), xks().key(audited)])
})
beforeEach(async () => {
  await Promise.all([xks().warm(quiet, key), xks().warm(audited, auditedKey)])
})

const deployment = () => xks().vault.service.deployment
const GCM = { encryptionAlgorithm: 'AES_GCM', plaintext: 'c2VjcmV0' }
const metadataOf = (kmsRequestId: string) => ({ requestMetadata: { ...METADATA, kmsRequestId } })

const lines = (count: number, fields: object) => xks().lines(count, fields)

const recordsOf = (query: string): Promise<any[]> => xks().vault.records(`service=xks&${query}`)
const recordsOfStore = (id: string) => recordsOf(`resource_uri=${encodeURIComponent(uriOfStore(ROOT_DOMAIN_ID, id))}`)

interface LogEvent {
  readonly id: string
  readonly timestamp: number
  readonly message: string
}

/** An event as the log service delivers it. */
function deliver(logEvents: readonly LogEvent[]): Promise<unknown> {
  const data = gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents })).toString('base64')
  return deployment().invoke('triggers', { awslogs: { data } })
}

const eventOf = (line: unknown): LogEvent => ({
  id: randomUUID(),
  timestamp: xks().now.getTime(),
  message: typeof line === 'string' ? line : JSON.stringify(line),
})

/** A proxy's log line for a refusal that is not recorded yet. */
async function refusedLine(): Promise<any> {
  const kmsRequestId = randomUUID()
  await xks().call(quiet, 'encrypt', randomUUID(), { ...GCM, ...metadataOf(kmsRequestId) })
  const [line] = await lines(1, { kmsRequestId })
  return { ...line, kmsRequestId: randomUUID(), traceId: randomUUID() }
}

test('a refusal leaves a record in the domain of its store, with caller, action, reason and the cloud’s request id', async () => {
  const [kmsRequestId, missing] = [randomUUID(), randomUUID()]
  const answered = await xks().call(quiet, 'encrypt', missing, { ...GCM, ...metadataOf(kmsRequestId) })
  expect(answered).toEqual(refusal(404, 'KeyNotFoundException'))
  const [line] = await lines(1, { kmsRequestId })
  await deployment().logsDelivered()
  expect(await recordsOf(`request_id=${line.traceId}`)).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      uri: expect.stringContaining(`:${ROOT_DOMAIN_ID}:audit:records:`),
      account: expect.any(String),
      createdAt: expect.any(String),
      recordedAt: expect.any(String),
      severity: 'warning',
      service: 'xks',
      source: 'dsp',
      message: 'External key store Encrypt',
      username: METADATA.awsPrincipalArn,
      clientIP: '127.0.0.1',
      success: false,
      errorMessage: 'KeyNotFoundException',
      details: {
        action: 'Encrypt',
        resource_uri: uriOfStore(ROOT_DOMAIN_ID, quiet.id),
        key: missing,
        kmsRequestId,
        kmsOperation: METADATA.kmsOperation,
        kmsKeyArn: METADATA.kmsKeyArn,
      },
      requestId: line.traceId,
      domain: ROOT_DOMAIN_ID,
      principal: { sub: METADATA.awsPrincipalArn, groups: [] },
    },
  ])
})

test('a success leaves a record only if the store asks for it', async () => {
  const [silent, told] = [randomUUID(), randomUUID()]
  await xks().encrypt(quiet, key, Buffer.from('secret'), metadataOf(silent))
  await xks().encrypt(audited, auditedKey, Buffer.from('secret'), metadataOf(told))
  await Promise.all([silent, told].map((kmsRequestId) => lines(1, { kmsRequestId })))
  await deployment().logsDelivered()
  const ofCall = (records: any[], kmsRequestId: string) =>
    records.filter(({ details }) => details.kmsRequestId === kmsRequestId)
  const [record, ...more] = ofCall(await recordsOfStore(audited.id), told)
  expect(more).toEqual([])
  expect(record).toMatchObject({ success: true, severity: 'info', details: { action: 'Encrypt', key: auditedKey } })
  expect(record).not.toHaveProperty('errorMessage')
  expect(ofCall(await recordsOf('message=External%20key%20store%20Encrypt'), silent)).toEqual([])
})

test('50 calls without a signature leave one record with their number and none of their claims', async () => {
  const calls = Array.from({ length: 50 }, () =>
    xks().call(quiet, 'encrypt', key, GCM, { headers: { authorization: '' } }),
  )
  for (const answered of await Promise.all(calls))
    expect(answered).toEqual(refusal(401, 'AuthenticationFailedException'))
  await lines(50, { keyStore: quiet.id, outcome: 'AuthenticationFailedException' })
  await deployment().logsDelivered()
  const [record, ...more] = (await recordsOfStore(quiet.id)).filter(
    ({ clientIP, username }) => clientIP === '127.0.0.1' && username === '',
  )
  expect(more).toEqual([])
  expect(record).toMatchObject({ success: false, username: '', errorMessage: 'AuthenticationFailedException' })
  expect(record.details).toEqual({
    action: 'Encrypt',
    resource_uri: uriOfStore(ROOT_DOMAIN_ID, quiet.id),
    unrecorded: 49,
  })
})

test('calls to unknown stores are recorded in the root domain', async () => {
  const nobodys = { ...quiet, path: quiet.path.replace(quiet.id, randomUUID()) }
  expect(await xks().call(nobodys, 'health')).toEqual(refusal(404, 'InvalidUriPathException'))
  await lines(1, { outcome: 'InvalidUriPathException' })
  await deployment().logsDelivered()
  const [record, ...more] = (await recordsOf('')).filter(
    ({ errorMessage }) => errorMessage === 'InvalidUriPathException',
  )
  expect(more).toEqual([])
  expect(record).toMatchObject({ domain: ROOT_DOMAIN_ID, details: { action: 'GetHealthStatus' } })
  expect(record.details).not.toHaveProperty('resource_uri')
})

test('a repeated delivery is recorded once, also together with new lines', async () => {
  const [first, second] = [eventOf(await refusedLine()), eventOf(await refusedLine())]
  const anonymous = eventOf({ ...(await refusedLine()), outcome: 'AuthenticationFailedException', ip: '203.0.113.9' })
  expect(await deliver([first, anonymous])).toEqual({ recorded: 2 })
  expect(await deliver([first, anonymous])).toEqual({ recorded: 0 })
  expect(await deliver([first, second, anonymous])).toEqual({ recorded: 1 })
  for (const { message } of [first, second, anonymous])
    expect(await recordsOf(`request_id=${JSON.parse(message).traceId}`)).toHaveLength(1)
})

test('lines that the platform has wrapped are read; other lines, notes and truncated lines leave nothing', async () => {
  const [asObject, asText, asRecord, unmarked] = await Promise.all([1, 2, 3, 4].map(refusedLine))
  const { audit: _, ...plain } = unmarked
  const delivered = [
    { level: 'INFO', message: asObject },
    { level: 'INFO', message: JSON.stringify(asText) },
    { type: 'function', record: asRecord },
    plain,
    { type: 'platform.report', record: { status: 'success' } },
    'Checking health of destination',
    JSON.stringify(unmarked).slice(0, -10),
    { audit: true, message: 'of another kind' },
  ]
  expect(await deliver(delivered.map(eventOf))).toEqual({ recorded: 3 })
})

test('no line of a delivery of a thousand is lost, even if one is too large for the table', async () => {
  const line = await refusedLine()
  const events = Array.from({ length: 1_000 }, (_, at) =>
    eventOf({ ...line, traceId: randomUUID(), ...(at === 500 && { awsPrincipalArn: 'a'.repeat(450_000) }) }),
  )
  expect(await deliver(events)).toEqual({ recorded: 1_000 })
  expect(await deliver(events)).toEqual({ recorded: 0 })
})

test('texts of any length leave a line and a record of moderate size', async () => {
  const kmsRequestId = randomUUID()
  const long = 'a'.repeat(230_000)
  const requestMetadata = { ...METADATA, kmsRequestId, awsPrincipalArn: long, kmsKeyArn: long, kmsOperation: long }
  const answered = await xks().call(quiet, 'encrypt', randomUUID(), { ...GCM, requestMetadata })
  expect(answered).toEqual(refusal(404, 'KeyNotFoundException'))
  const [line] = await lines(1, { kmsRequestId })
  expect(line).toMatchObject({ awsPrincipalArn: 'a'.repeat(2_048), kmsKeyArn: 'a'.repeat(2_048) })
  expect(line.kmsOperation).toBe('a'.repeat(256))
  await deployment().logsDelivered()
  const [record] = await recordsOf(`request_id=${line.traceId}`)
  expect(record).toMatchObject({ username: 'a'.repeat(2_048), details: { kmsRequestId } })
})

test('a line without a record does not affect other lines, in any domain', async () => {
  const line = await refusedLine()
  const good = Array.from({ length: 5 }, () => ({ ...line, traceId: randomUUID() }))
  const elsewhere = { ...line, domain: randomUUID(), traceId: randomUUID() }
  const large = { ...line, traceId: randomUUID(), awsPrincipalArn: 'a'.repeat(450_000) }
  const impossible = { ...line, domain: 'd'.repeat(3_000) }
  const [first, ...others] = good
  const delivered = [first, large, impossible, elsewhere, ...others].map(eventOf)
  expect(await deliver(delivered)).toEqual({ recorded: 7 })
  for (const { traceId } of [...good, large]) expect(await recordsOf(`request_id=${traceId}`)).toHaveLength(1)
  const [shortened] = await recordsOf(`request_id=${large.traceId}`)
  expect(shortened).toMatchObject({ username: 'a'.repeat(2_048), details: { shortened: true } })
  expect(await deliver(delivered)).toEqual({ recorded: 0 })
})

test('records that are large together, and some too large alone, are all published and marked', async () => {
  await deployment().fire('drain-outbox')
  const line = await refusedLine()
  const large = Array.from({ length: 12 }, () => ({
    ...line,
    traceId: randomUUID(),
    awsPrincipalArn: 'a'.repeat(45_000),
  }))
  expect(await deliver(large.map(eventOf))).toEqual({ recorded: 12 })
  const domain = randomUUID()
  const tooLarge = Array.from({ length: 15 }, () => recordTooLarge(domain))
  for (const record of tooLarge) {
    const changes = new Changes()
    changes.create(auditRecords, domain, record)
    await changes.commit(xks().now)
  }
  expect(await deployment().fire('drain-outbox')).toEqual({ appended: 27, published: 27 })
  expect(await deployment().fire('drain-outbox')).toEqual({ appended: 0, published: 0 })
  const published = deployment()
    .events()
    .map(({ detail }) => detail as any)
  const traceIds = published.map(({ requestId }) => requestId)
  expect(traceIds).toEqual(expect.arrayContaining(large.map(({ traceId }) => traceId)))
  expect(published.find(({ id }) => id === tooLarge[0]?.id).details).toEqual({
    action: 'PATCH',
    after: { text: 'b'.repeat(2_048) },
    shortened: true,
  })
})

/** A record that fits into the table but not on the bus. Fifteen of them exceed a transaction. */
function recordTooLarge(domain: string) {
  const record = auditRecord(domain, xks().now, {
    severity: 'info',
    service: 'vault',
    message: 'Update Key',
    username: 'somebody',
    clientIP: '127.0.0.1',
    success: true,
    details: { action: 'PATCH' },
    principal: { sub: '', groups: [] },
  })
  return { ...record, details: { ...record.details, after: { text: 'b'.repeat(300_000) } } }
}
