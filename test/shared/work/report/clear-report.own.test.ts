import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startObjects, type Objects } from '../../../../infra/local/stand-ins/objects.ts'
import { clearRemains } from '../../../../shared/work/report/clear-report.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { putObject, signedAddress } from '../../../../shared/store/objects.ts'
import { contentRows, reportParts, reportRemains, textOf } from '../../../../shared/work/report/store.ts'
import { useTable } from '../../../support/store.ts'
import { NOW } from '../../../support/things.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

useTable()
const BUCKET = 'reports-of-tests'
const DOMAIN = 'clearing'
const ROWS_A_TIME = 90
let objects: Objects

beforeAll(async () => {
  objects = await startObjects({ buckets: [BUCKET], now: () => NOW })
  pointProcessAt({ AWS_ENDPOINT_URL_S3: objects.endpoint, KEYMGR_BUCKET: BUCKET })
})
afterAll(() => objects.stop())

/** Writes the remains of a report: one part with more rows than it counts, and a text. */
async function leave(id: string, rows: number, counted: number): Promise<void> {
  const part = `${id}-0`
  for (let at = 0; at < rows; at += ROWS_A_TIME) {
    const changes = new Changes()
    const some = Array.from({ length: Math.min(ROWS_A_TIME, rows - at) }, () => ({ key_name: 'orders' }))
    contentRows.plan(changes, DOMAIN, part, at, some)
    await changes.commit(NOW)
  }
  const at = NOW.toISOString()
  const changes = new Changes()
  changes.create(reportParts, DOMAIN, {
    ...{ id: part, phase: 'failed', count: 0, reached: counted, generation: 0, turns: 1, failures: 0 },
    ...{ isSecondTry: false, leaseUntil: at },
  })
  changes.create(reportRemains, DOMAIN, { id, parts: [part], dueAt: at })
  await changes.commit(NOW)
}

const rowsOf = (id: string): Promise<unknown[]> => contentRows.slice(DOMAIN, `${id}-0`, 0, 10_000)

test('several short sweeps remove the remains of a report', async () => {
  await leave('short-of-time', 2_500, 2_000)
  let sweeps = 0
  for (; (await reportRemains.get(DOMAIN, 'short-of-time')) !== undefined; sweeps++) {
    let left = 10
    await clearRemains(DOMAIN, 'short-of-time', { now: NOW, hasTime: () => left-- > 0 })
    expect(sweeps).toBeLessThan(10)
  }
  expect(sweeps).toBeGreaterThan(1)
  expect(await rowsOf('short-of-time')).toEqual([])
  expect(await reportParts.get(DOMAIN, 'short-of-time-0')).toBeUndefined()
})

/** Status of reading an object by a signed address. */
const statusOf = async (key: string): Promise<number> =>
  (await fetch(await signedAddress(key, { fileName: 'text.csv', now: NOW, seconds: 60 }))).status

test('a stored text without a record is removed too', async () => {
  const key = textOf(DOMAIN, 'unnoted')
  await putObject(key, 'text/csv', Readable.from(['key name']))
  expect(await statusOf(key)).toBe(200)
  await leave('unnoted', 1, 1)
  await clearRemains(DOMAIN, 'unnoted', { now: NOW, hasTime: () => true })
  expect(await statusOf(key)).toBe(404)
})
