import { expect, test } from 'vitest'
import { expireAuditRecord } from '../../../shared/http/audit/expire-record.ts'
import { auditRecord } from '../../../shared/http/audit/record.ts'
import { auditRecords, EXPIRE, PUBLISH } from '../../../shared/http/audit/store.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { dueItems } from '../../../shared/store/due.ts'
import { entity } from '../../../shared/store/entity.ts'
import { queryDue } from '../../../shared/store/due-index.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useTable } from '../../support/store.ts'

useTable()

const DOMAIN = '00000000-0000-7000-8000-000000000000'
const MADE = new Date('2026-01-01T00:00:00.000Z')
const after = (days: number) => new Date(MADE.getTime() + days * 86_400_000)
const keep = (days: string) => pointProcessAt({ KEYMGR_AUDIT_RETENTION_DAYS: days })

const recordIn = (domain: string) =>
  auditRecord(domain, MADE, {
    severity: 'info',
    service: 'vault',
    message: 'Create Key',
    username: 'ada',
    clientIP: '127.0.0.1',
    success: true,
    details: { action: 'create' },
    principal: { sub: 'ada', groups: [] },
  })

/** Publishes a record under the present setting. @returns its id */
async function published(): Promise<string> {
  const record = recordIn(DOMAIN)
  const changes = new Changes()
  changes.create(auditRecords, DOMAIN, { ...record, published: true })
  await changes.commit(MADE)
  return record.id
}

/** Sweeps what is due on a day. @returns the number of due items */
async function sweep(days: number): Promise<number> {
  const now = after(days)
  let due = 0
  for await (const items of dueItems(EXPIRE, { now, hasTime: () => true }))
    for (const item of items) {
      await expireAuditRecord(item, { now, hasTime: () => true })
      due++
    }
  return due
}

const isKept = async (id: string): Promise<boolean> => (await auditRecords.get(DOMAIN, id)) !== undefined

test('a record is removed after ninety days, or after the configured number', async () => {
  keep('')
  const first = await published()
  keep('400')
  const second = await published()
  expect(await sweep(89)).toBe(0)
  keep('')
  await sweep(91)
  expect([await isKept(first), await isKept(second)]).toEqual([false, true])
  keep('400')
  await sweep(399)
  expect(await isKept(second)).toBe(true)
  await sweep(401)
  expect(await isKept(second)).toBe(false)
})

test('a longer retention applies to earlier records too', async () => {
  keep('')
  const id = await published()
  keep('400')
  expect(await sweep(91)).toBe(1)
  expect(await isKept(id)).toBe(true)
  expect(await sweep(92)).toBe(0)
  keep('never')
  expect(await sweep(401)).toBe(1)
  expect(await isKept(id)).toBe(true)
  expect(await sweep(36_500)).toBe(0)
})

test.each(['30', '90.5', 'forever'])('a retention of %s is a fault of the deployment', async (days) => {
  keep(days)
  await expect(published()).rejects.toThrow('KEYMGR_AUDIT_RETENTION_DAYS must be a number of days from 90, or never')
})

test('records wait in partitions by domain, and those that former versions wrote are found beside them', async () => {
  const former = entity({ ...auditRecords, due: ({ createdAt }) => ({ what: PUBLISH.due, at: createdAt }) })
  const domains = Array.from({ length: 16 }, (_, at) => `00000000-0000-7000-8000-00000000001${at.toString(16)}`)
  const written: string[] = []
  const write = async (kept: typeof former, domain: string): Promise<void> => {
    const record = recordIn(domain)
    const changes = new Changes()
    changes.create(kept, domain, record)
    await changes.commit(MADE)
    written.push(record.id)
  }
  await write(former, DOMAIN)
  for (const domain of domains) await write(auditRecords, domain)
  expect(await queryDue(PUBLISH.due, MADE, 100)).toHaveLength(1)
  const found: string[] = []
  for await (const items of dueItems(PUBLISH, { now: MADE, hasTime: () => true }, 1))
    found.push(...items.map(({ id }) => id))
  expect(found.toSorted()).toEqual(written.toSorted())
})
