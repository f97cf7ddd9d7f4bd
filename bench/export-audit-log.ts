import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { FUNCTIONS } from '../infra/functions.ts'
import { LOCAL_ACCOUNT, LOCAL_NAMES } from '../infra/local/stand-ins/account.ts'
import { startDeployment } from '../infra/local/deployment.ts'
import { startTable } from '../infra/local/table/table.ts'
import { batchOf } from '../shared/audit/log/batch-of.ts'
import { putBatch, type Batch } from '../shared/audit/log/batches.ts'
import { auditLogs, newLog } from '../shared/audit/log/store.ts'
import { newAddressKey } from '../shared/audit-exports/address.ts'
import { auditExports, exportParts } from '../shared/audit-exports/store.ts'
import { atOnce } from '../shared/base/at-once.ts'
import { commonFields, resourceUri, ROOT_DOMAIN_ID, uuid } from '../shared/base/ids.ts'
import type { AuditRecord } from '../shared/http/audit/model.ts'
import { auditRecords } from '../shared/http/audit/store.ts'
import { Changes } from '../shared/store/changes.ts'
import { itemKey } from '../shared/store/layout.ts'
import { recordAt } from '../test/support/audit-log.ts'
import { exactly, type Figure } from './figure.ts'
import { startInstance, type Instance } from './instance.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'

/** `KEYMGR_BENCH_ENTRIES` sets another number. */
const MANY = Number(process.env.KEYMGR_BENCH_ENTRIES ?? scaled(1_000_000, 20_000))
const FEW = Math.min(MANY / 2, 10_000)
const BATCH = 2_000
const TOGETHER = 100
const AT_ONCE = 8
const DOMAIN = ROOT_DOMAIN_ID
const DAY_MS = 86_400_000
/** Between records. */
const EACH_MS = 50

const FROM = new Date(Date.now() - 2 * DAY_MS)
const timeOf = (n: number): Date => new Date(FROM.getTime() + n * EACH_MS)

/** Writes records to the table in the form they have once they are in the log; they are in no list. */
async function putRecords(client: DynamoDBClient, records: readonly AuditRecord[], first: number): Promise<void> {
  const parts = Array.from({ length: Math.ceil(records.length / TOGETHER) }, (_, n) => n * TOGETHER)
  await atOnce(parts, AT_ONCE, async (from) => {
    const TransactItems = records.slice(from, from + TOGETHER).map((record, at) => {
      const { pk, sk } = itemKey(DOMAIN, auditRecords.name, record.id)
      const data = JSON.stringify({ ...record, position: first + from + at })
      return {
        Put: {
          TableName: LOCAL_NAMES.table,
          Item: { pk: { S: pk }, sk: { S: sk }, rev: { N: '1' }, data: { S: data } },
        },
      }
    })
    await client.send(new TransactWriteItemsCommand({ TransactItems }))
  })
}

/** A log of many records, in batches. @returns the ids of the first records, for bare reads */
async function seedLog(endpoint: string): Promise<string[]> {
  const client = new DynamoDBClient({ endpoint, ...LOCAL_ACCOUNT })
  let before: Batch | undefined
  const ids: string[] = []
  for (let at = 0; at < MANY; at += BATCH) {
    const records = Array.from({ length: Math.min(BATCH, MANY - at) }, (_, n) => recordAt(DOMAIN, timeOf(at + n)))
    await putRecords(client, records, at)
    before = batchOf(records, before, timeOf(at + BATCH))
    await putBatch(DOMAIN, before)
    ids.push(...records.map(({ id }) => id))
  }
  const changes = new Changes()
  changes.create(auditLogs, DOMAIN, { ...newLog(FROM), size: MANY, bus: MANY })
  await changes.commit(new Date())
  client.destroy()
  return ids
}

/** Only reads records, as many at a time as an export does. @returns milliseconds */
async function bareMs(ids: readonly string[]): Promise<number> {
  const from = performance.now()
  for (let at = 0; at < ids.length; at += TOGETHER * AT_ONCE) {
    const parts = Array.from({ length: AT_ONCE }, (_, n) => ids.slice(at + n * TOGETHER, at + (n + 1) * TOGETHER))
    await atOnce(
      parts.filter(({ length }) => length > 0),
      AT_ONCE,
      (part) => auditRecords.getMany(DOMAIN, part),
    )
  }
  return performance.now() - from
}

/** An export of the first records, step by step. @returns milliseconds */
async function exportMs({ invoke }: Instance, count: number): Promise<number> {
  const now = new Date()
  const id = uuid(now)
  const changes = new Changes()
  changes.create(auditExports, DOMAIN, {
    ...commonFields(DOMAIN, id, resourceUri(DOMAIN, 'audit', 'audit-log-exports', id), now),
    ...{ tenant: DOMAIN, from: timeOf(0).toISOString(), to: timeOf(count - 1).toISOString() },
    ...{ created_by: 'bench', status: 'in_progress', sealed: await newAddressKey(DOMAIN, id), generation: 0 },
    dueAt: new Date(now.getTime() + DAY_MS).toISOString(),
  })
  await changes.commit(now)
  const step = async (name: string): Promise<any> =>
    invoke({
      ...{ trigger: 'export-audit-log', step: name, domain: DOMAIN, job: id, generation: 0 },
      scheduled_time: new Date().toISOString(),
      ...(name === 'part' && { part: id }),
    })
  const from = performance.now()
  await step('plan')
  for (let turn = await step('part'); turn.next !== 'done'; turn = await step('part'))
    if (turn.next === 'wait') throw new Error('The export waits')
  await step('finish')
  const ms = performance.now() - from
  const listed = (await exportParts.get(DOMAIN, id))?.item.listed
  const status = (await auditExports.get(DOMAIN, id))?.item.status
  if (listed !== count || status !== 'completed') throw new Error(`The export is ${status}, with ${listed} of ${count}`)
  return ms
}

/**
 * Peak memory of an instance that exports this many records, in portions. Ours: the same amount of work for each
 * portion size, as for reports.
 */
async function peakOf(start: () => Instance, portion: number): Promise<{ bytes: number; ms: number }> {
  const instance = start()
  let ms = 0
  for (let done = 0; done < MANY; done += portion) ms += await exportMs(instance, portion)
  const bytes = await instance.peakMemory()
  await instance.stop()
  return { bytes, ms }
}

/** Peak memory of the exporting function, and its rate against only reading the same records. */
export async function measure(): Promise<Figure[]> {
  const engine = await startTable()
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    tableEndpoint: engine.endpoint,
    environment: UNTHROTTLED,
  })
  try {
    const environment = deployment.environmentOf('triggers')
    Object.assign(process.env, environment)
    const row = FUNCTIONS.find(({ name }) => name === 'triggers')
    if (row === undefined) throw new Error('There is no function triggers')
    const ids = await seedLog(engine.endpoint)
    await deployment.fire('sign-heads')
    const start = (): Instance => startInstance(row, environment)
    const bare = await bareMs(ids)
    const many = await peakOf(start, MANY)
    const few = await peakOf(start, FEW)
    const shown = ({ bytes, ms }: typeof many) =>
      `${(bytes / 1_048_576).toFixed(0)} MiB in ${(ms / 1_000).toFixed(0)} s`
    const rate = (ms: number): string => `${Math.round((MANY / ms) * 1_000)} records/s`
    const number = (count: number): string => count.toLocaleString('en')
    return [
      {
        name: `audit export: peak memory, ${number(MANY)} records / ${number(FEW)}`,
        measured: exactly(many.bytes / few.bytes),
        promise: { atMost: 1.2 },
        note: `${shown(many)} against ${shown(few)}`,
      },
      {
        name: `audit export of ${number(MANY)}: rate / bare reads`,
        measured: exactly(bare / many.ms),
        promise: { atLeast: 0.5 },
        note: `${rate(many.ms)} against ${rate(bare)}`,
      },
    ]
  } finally {
    await deployment.stop()
    await engine.stop()
  }
}
