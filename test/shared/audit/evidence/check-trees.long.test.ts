import { DeleteItemCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { checkTrees } from '../../../../shared/audit/evidence/check/check-trees.ts'
import { signHeads } from '../../../../shared/audit/evidence/sign-heads.ts'
import { batchesFrom } from '../../../../shared/audit/log/batches.ts'
import { drainOutbox } from '../../../../shared/audit/log/drain.ts'
import { leavesOf, treeSize } from '../../../../shared/audit/log/read.ts'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { provesConsistency } from '../../../../shared/crypto/merkle/proofs.ts'
import type { AuditRecord } from '../../../../shared/http/audit/model.ts'
import { itemKey, logBatchKey, numberedKey, type Key } from '../../../../shared/store/layout.ts'
import type { Attributes } from '../../../../shared/store/table.ts'
import { recordAt, writeRecords } from '../../../support/audit-log.ts'
import { pointProcessAt } from '../../../support/own-process.ts'
import { useService } from '../../../support/service.ts'

const service = useService()
let now = new Date()
let token = ''
let table: DynamoDBClient
beforeAll(async () => {
  pointProcessAt(service().deployment.environmentOf('triggers'))
  table = new DynamoDBClient({})
  token = await service().logIn()
  await grow()
})

const sweep = () => ({ now, hasTime: () => true })
const keyOf = ({ pk, sk }: Key) => ({ pk: { S: pk }, sk: { S: sk } })
const TableName = (): string => process.env.KEYMGR_TABLE ?? ''

/** Items before a test changed them without the service. */
const originals: Attributes[] = []
afterEach(async () => {
  for (const Item of originals.splice(0).reverse())
    await table.send(new PutItemCommand({ TableName: TableName(), Item }))
})

async function original(key: Key): Promise<Attributes> {
  const { Item = {} } = await table.send(new GetItemCommand({ TableName: TableName(), Key: keyOf(key) }))
  originals.push(Item)
  return Item
}

async function alter(key: Key, change: (item: Attributes) => Attributes): Promise<void> {
  await table.send(new PutItemCommand({ TableName: TableName(), Item: change(await original(key)) }))
}

async function remove(key: Key): Promise<void> {
  await original(key)
  await table.send(new DeleteItemCommand({ TableName: TableName(), Key: keyOf(key) }))
}

let told = 0
/** Checks everything once. @returns records of the findings */
async function check(): Promise<AuditRecord[]> {
  now = new Date(now.getTime() + 600_000)
  await checkTrees(sweep())
  const { body } = await service().call('GET', '/v1/audit/records?message=Check%20Audit%20Tree', { token })
  const found = (body.resources as AuditRecord[]).slice(0, (body.total as number) - told)
  told = body.total as number
  return found
}

const domain = ROOT_DOMAIN_ID
let ids: string[] = []

/** A log of three batches and two heads. */
async function grow(): Promise<void> {
  for (const head of [true, false, true]) {
    const records = Array.from({ length: 40 }, () => recordAt(domain, now))
    await writeRecords(records, now)
    await drainOutbox(sweep())
    if (head) await signHeads(sweep())
  }
  ids = (await leavesOf(domain, 0, 1_000)).map(({ id }) => id)
}

const recordKey = (id: string | undefined): Key => itemKey(domain, 'audit-record', id ?? '')
const data = (item: Attributes): Record<string, unknown> => JSON.parse(item.data?.S ?? '') as Record<string, unknown>
const withData = (item: Attributes, fields: object): Attributes => ({
  ...item,
  data: { S: JSON.stringify({ ...data(item), ...fields }) },
})

test('an unchanged tree has no findings, however often it is checked', async () => {
  expect(ids.length).toBeGreaterThanOrEqual(120)
  for (let walk = 0; walk < 3; walk++) expect(await check()).toEqual([])
})

type Tampering = () => Promise<unknown>
const TAMPERING: [string, string, number[] | undefined, Tampering][] = [
  [
    'a record is altered',
    'Records are not what they were',
    [50],
    () => alter(recordKey(ids[50]), (item) => withData(item, { username: 'eve' })),
  ],
  [
    'a record cannot be read',
    'Records are not what they were',
    [51],
    () => alter(recordKey(ids[51]), (item) => ({ ...item, data: { S: '{}' } })),
  ],
  ['a record is deleted', 'Records are missing', [52], () => remove(recordKey(ids[52]))],
  [
    'two records are swapped',
    'Records are not what they were',
    [10, 90],
    async () => {
      const kept: Record<string, unknown>[] = []
      for (const at of [10, 90]) await alter(recordKey(ids[at]), (item) => (kept.push(data(item)), item))
      const [one, other] = kept
      await alter(recordKey(ids[10]), (item) => withData(item, { ...other, id: ids[10] }))
      await alter(recordKey(ids[90]), (item) => withData(item, { ...one, id: ids[90] }))
    },
  ],
  [
    'a record is moved to another position',
    'Records name another position',
    [20, 21],
    () => alter(recordKey(ids[20]), (item) => withData(item, { position: 21 })),
  ],
  [
    'a record and its leaf are altered alike',
    'The tree is not the one whose head was signed',
    undefined,
    async () => {
      await alter(recordKey(ids[3]), (item) => withData(item, { username: 'eve' }))
      await alter(logBatchKey(domain, 0), (item) => {
        const hashes = Buffer.from(item.hashes?.B ?? [])
        hashes.fill(7, 96, 128)
        return { ...item, hashes: { B: hashes } }
      })
    },
  ],
  [
    'a batch is deleted',
    'Batches of the log do not follow each other',
    undefined,
    async () => {
      const starts: number[] = []
      for await (const { start } of batchesFrom(domain, 0)) starts.push(start)
      await remove(logBatchKey(domain, starts[1] ?? 0))
    },
  ],
  [
    'a batch cannot be read',
    'Batches of the log cannot be read',
    undefined,
    () => alter(logBatchKey(domain, 0), (item) => ({ ...item, ids: { B: Buffer.from('no ids') } })),
  ],
  [
    'the last batch is deleted',
    'The log is shorter than it was',
    undefined,
    async () => {
      let last = 0
      for await (const { start } of batchesFrom(domain, 0)) last = start
      await remove(logBatchKey(domain, last))
    },
  ],
  [
    'a head is altered',
    'Signed heads are not what was signed',
    undefined,
    () =>
      alter(numberedKey(domain, 'audit-head', 'heads', 0), (item) => {
        const row = JSON.parse(item.row?.S ?? '') as object
        return { ...item, row: { S: JSON.stringify({ ...row, root: '00'.repeat(32) }) } }
      }),
  ],
]

test.each(TAMPERING)('%s: "%s"', async (_what, sentence, positions, tamper) => {
  const size = await treeSize(domain)
  await tamper()
  const found = await check()
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({ severity: 'critical', success: false, service: 'audit', domain })
  expect(found[0]?.errorMessage).toContain(sentence)
  if (positions !== undefined) expect(found[0]?.details.positions).toEqual(positions)
  for (const position of found[0]?.details.positions as number[]) expect(position).toBeLessThanOrEqual(size)
  expect(await check()).toHaveLength(1) // reported again as long as it persists
})

test('only a record whose retention has ended may be missing', async () => {
  await remove(recordKey(ids[30]))
  const before = now
  await drainOutbox(sweep()) // publishes earlier findings
  now = new Date(now.getTime() + 89 * 86_400_000)
  expect(await check()).toHaveLength(1)
  await drainOutbox(sweep())
  now = new Date(before.getTime() + 91 * 86_400_000)
  expect(await check()).toEqual([])
})

test('a record that was added past the outbox is found', async () => {
  const added = recordAt(domain, now)
  await writeRecords([added], now, 5)
  const [found] = await check()
  expect(found?.errorMessage).toContain('Records were added past the log')
})

// last, because it leaves a different log
test('a table that was restored from before a published head does not agree with that head', async () => {
  const logKey = itemKey(domain, 'audit-log', 'log')
  await drainOutbox(sweep())
  await signHeads(sweep())
  const log = await original(logKey)
  const { size, heads } = data(log) as { size: number; heads: number }
  await writeRecords([recordAt(domain, now), recordAt(domain, now)], now)
  await drainOutbox(sweep())
  await signHeads(sweep())
  const published = service().deployment.events().at(-1)
  expect(published).toMatchObject({ 'detail-type': 'Audit Tree Head', detail: { size: size + 2 } })
  const head = published?.detail as { size: number; root: string }
  const consistent = async (): Promise<boolean> => {
    const { status, body } = await service().call('GET', `/v1/audit/proofs/consistency?from=${head.size}`, { token })
    expect(status).toBe(200)
    const to = { size: body.to.size as number, root: Buffer.from(body.to.root as string, 'hex') }
    const path = (body.path as string[]).map((hash) => Buffer.from(hash, 'hex'))
    return provesConsistency({ size: head.size, root: Buffer.from(head.root, 'hex') }, to, path)
  }
  expect(await consistent()).toBe(true)
  for (const key of [logBatchKey(domain, size), numberedKey(domain, 'audit-head', 'heads', heads)]) await remove(key)
  originals.splice(0)
  await table.send(new PutItemCommand({ TableName: TableName(), Item: log }))
  const others = Array.from({ length: 5 }, () => recordAt(domain, now))
  await writeRecords(others, now)
  await drainOutbox(sweep())
  await signHeads(sweep())
  expect(await treeSize(domain)).toBeGreaterThan(head.size)
  expect(await consistent()).toBe(false)
})
