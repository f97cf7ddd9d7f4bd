import * as fs from 'node:fs'
import * as path from 'node:path'
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import { startEvents, type Events } from '../../../../infra/local/stand-ins/events.ts'
import { temporaryFolder } from '../deployment-support.ts'

const folder = temporaryFolder()
const file = path.join(folder, 'events.jsonl')
const now = new Date('2026-03-01T12:00:00Z')
let events: Events
let client: EventBridgeClient

beforeAll(async () => {
  events = await startEvents({ buses: ['audit'], file, now: () => now })
  client = new EventBridgeClient({
    endpoint: events.endpoint,
    region: LOCAL_ACCOUNT.region,
    credentials: LOCAL_ACCOUNT.credentials,
  })
})
afterAll(async () => {
  await events.stop()
  fs.rmSync(folder, { recursive: true })
})

const good: PutEventsRequestEntry = {
  EventBusName: 'audit',
  Source: 'keymgr',
  DetailType: 'Create Key',
  Detail: '{"id":"1"}',
}
const put = (...Entries: PutEventsRequestEntry[]) => client.send(new PutEventsCommand({ Entries }))

test('an accepted event is kept and written as the platform shows it to targets', async () => {
  const { FailedEntryCount, Entries } = await put({ ...good, Resources: ['keymgr:root:vault:keys:a-v0'] })
  expect(FailedEntryCount).toBe(0)
  const event = {
    version: '0',
    id: Entries?.[0]?.EventId,
    'detail-type': 'Create Key',
    source: 'keymgr',
    account: LOCAL_ACCOUNT.id,
    time: '2026-03-01T12:00:00.000Z',
    region: LOCAL_ACCOUNT.region,
    resources: ['keymgr:root:vault:keys:a-v0'],
    detail: { id: '1' },
    bus: 'audit',
  }
  expect(events.all().at(-1)).toEqual(event)
  expect(JSON.parse(String(fs.readFileSync(file, 'utf8').trim().split('\n').at(-1)))).toEqual(event)
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
})

test('an entry keeps its own time, and its bus may be an ARN or the default one', async () => {
  const Time = new Date('2020-05-05T05:05:05Z')
  await put({ ...good, Time, EventBusName: 'arn:aws:events:us-east-1:000000000000:event-bus/audit' })
  expect(events.all().at(-1)).toMatchObject({ time: '2020-05-05T05:05:05.000Z', bus: 'audit' })
  await put({ ...good, EventBusName: undefined })
  expect(events.all().at(-1)).toMatchObject({ bus: 'default' })
})

test.each([
  ['without a source', { ...good, Source: undefined }, 'InvalidArgument'],
  ['without a detail type', { ...good, DetailType: '' }, 'InvalidArgument'],
  ['without a detail', { ...good, Detail: undefined }, 'InvalidArgument'],
  ['whose detail is no JSON', { ...good, Detail: '{' }, 'MalformedDetail'],
  ['whose detail is no object', { ...good, Detail: '[1]' }, 'MalformedDetail'],
  ['that claims to come from the platform', { ...good, Source: 'aws.kms' }, 'NotAuthorizedForSourceException'],
  ['for a bus that is not there', { ...good, EventBusName: 'nowhere' }, 'InvalidArgument'],
])('an entry %s fails alone', async (_what, bad, ErrorCode) => {
  const before = events.all().length
  const { FailedEntryCount, Entries } = await put(bad, good)
  expect(FailedEntryCount).toBe(1)
  expect(Entries).toEqual([expect.objectContaining({ ErrorCode }), { EventId: expect.any(String) as string }])
  expect(events.all()).toHaveLength(before + 1)
})

test.each([
  ['no entry', []],
  ['eleven entries', Array<PutEventsRequestEntry>(11).fill(good)],
  ['more than 256 KB', [{ ...good, Detail: JSON.stringify({ a: 'x'.repeat(256 * 1024) }) }]],
  [
    'more than 256 KB together',
    Array<PutEventsRequestEntry>(3).fill({ ...good, Detail: JSON.stringify({ a: 'x'.repeat(90_000) }) }),
  ],
])('a request with %s is refused whole', async (_what, entries) => {
  const before = events.all().length
  await expect(put(...entries)).rejects.toMatchObject({ name: 'ValidationException' })
  expect(events.all()).toHaveLength(before)
})
