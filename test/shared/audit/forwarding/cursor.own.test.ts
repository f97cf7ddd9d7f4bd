import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEvents, type Events } from '../../../../infra/local/stand-ins/events.ts'
import { cursorOf } from '../../../../shared/audit/forwarding/deliver/cursor.ts'
import { drainOutbox } from '../../../../shared/audit/log/drain.ts'
import { sequencedRecords } from '../../../../shared/audit/log/read.ts'
import { recordAt, writeRecords } from '../../../support/audit-log.ts'
import { pointProcessAt } from '../../../support/own-process.ts'
import { useTable } from '../../../support/store.ts'

const { proxy } = useTable()
let bus: Events
beforeAll(async () => {
  bus = await startEvents({ buses: [], now: () => NOW })
  pointProcessAt({ AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint })
})
afterAll(() => bus.stop())

const NOW = new Date('2026-02-03T00:00:00.000Z')
const secondsLater = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
const append = async (domain: string, at: Date): Promise<string> => {
  const record = recordAt(domain, at)
  await writeRecords([record], at)
  await drainOutbox({ now: at, hasTime: () => true })
  return record.id
}
const find = (domain: string) =>
  cursorOf(domain, 'target', { source: domain, since: secondsLater(60).toISOString() }).then(
    ({ item }) => item.position,
  )

test('a new target loses no record, regardless of concurrent appends', async () => {
  await append('reads', NOW)
  proxy().reset()
  await find('reads')
  const reads = proxy().calls().length
  expect(reads).toBeGreaterThan(2)
  for (let at = 1; at <= reads; at++) {
    const domain = `before read ${at}`
    await append(domain, NOW)
    let seen = 0
    let id = ''
    proxy().meanwhile(
      () => ++seen === at,
      async () => {
        id = await append(domain, secondsLater(61))
      },
    )
    const { records } = await sequencedRecords(domain, await find(domain), 100)
    expect(
      records.map((one) => one.id),
      domain,
    ).toContain(id)
  }
})
