import { expect, test } from 'vitest'
import { appendWaiting } from '../../../../shared/audit/log/append.ts'
import { batchOf } from '../../../../shared/audit/log/batch-of.ts'
import { lastBatch, putBatch } from '../../../../shared/audit/log/batches.ts'
import { packedIds, unpackedIds } from '../../../../shared/audit/log/packed-ids.ts'
import { positionsOf } from '../../../../shared/audit/log/positions-of.ts'
import { leavesOf, sequencedRecords, treeSize } from '../../../../shared/audit/log/read.ts'
import { frontierAt, rootAt, rootsOf, subtreesBetween } from '../../../../shared/audit/log/tree.ts'
import { leafOf } from '../../../../shared/audit/platform-record.ts'
import { uuid } from '../../../../shared/base/ids.ts'
import { CompactRange } from '../../../../shared/crypto/merkle/compact-range.ts'
import {
  consistencyPath,
  inclusionPath,
  provesConsistency,
  provesInclusion,
} from '../../../../shared/crypto/merkle/proofs.ts'
import type { AuditRecord } from '../../../../shared/http/audit/model.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { itemKey } from '../../../../shared/store/layout.ts'
import { recordAt, writeRecords } from '../../../support/audit-log.ts'
import { useTable } from '../../../support/store.ts'

useTable()

const START = Date.parse('2026-02-03T00:00:00.000Z')
const at = (minutes: number): Date => new Date(START + minutes * 60_000)
const iso = (minutes: number): string => at(minutes).toISOString()
/** Numbers of records per batch in these logs. */
const COUNTS = [1, 2, 7, 1, 16, 3, 30]

/** A log whose batch of each minute has the given records. */
async function logOf(batches: readonly (readonly AuditRecord[])[]): Promise<void> {
  let start = 0
  for (const [minute, records] of batches.entries()) {
    const domain = records[0]?.domain ?? ''
    await writeRecords(records, at(minute), start)
    expect(await putBatch(domain, batchOf(records, await lastBatch(domain), at(minute)))).toBe(true)
    start += records.length
  }
}

function batchesOf(domain: string): AuditRecord[][] {
  return COUNTS.map((count, minute) =>
    Array.from({ length: count }, (_, n) => recordAt(domain, new Date(at(minute).getTime() - 30_000 + n))),
  )
}

test('the log returns leaves and records by position, in pages of any size', async () => {
  const domain = uuid(at(0))
  const batches = batchesOf(domain)
  await logOf(batches)
  const records = batches.flat()
  for (const most of [1, 4, 1_000]) {
    const read: string[] = []
    for (let from = 0; ;) {
      const { records: some, next } = await sequencedRecords(domain, from, most)
      for (const { position, id, record } of some) {
        expect(position).toBe(read.length)
        expect(record).toEqual(records[position])
        read.push(id)
      }
      if (next === from) break
      from = next
    }
    expect(read).toEqual(records.map(({ id }) => id))
  }
  const leaves = await leavesOf(domain, 9, 5)
  expect(leaves).toEqual(records.slice(9, 14).map((record) => ({ id: record.id, hash: leafOf(record) })))
  expect(await leavesOf(domain, records.length, 5)).toEqual([])
})

test('a damaged record stops neither appends of other records nor readers of the log', async () => {
  const domain = uuid(at(0))
  const records = [0, 1, 2, 3].map((n) => recordAt(domain, new Date(at(0).getTime() + n)))
  const ids = records.map(({ id }) => id)
  await writeRecords(records, at(1))
  const damage = async (id: string | undefined): Promise<void> => {
    const { pk, sk } = itemKey(domain, 'audit-record', id ?? '')
    const [names, values] = [{ '#data': 'data' }, { ':data': { S: '{"createdAt":5}' } }]
    const changes = new Changes()
    changes.plan({ update: { pk, sk }, expression: 'SET #data = :data', names, values }, () => new Error('absent'))
    await changes.commit(at(1))
  }
  await damage(ids[0])
  expect((await appendWaiting(domain, ids, at(2))).appended).toBe(3)
  await damage(ids[2])
  const { records: read, next } = await sequencedRecords(domain, 0, 100)
  expect(read.map(({ id, record }) => [id, record?.id])).toEqual([
    [ids[1], ids[1]],
    [ids[2], undefined],
    [ids[3], ids[3]],
  ])
  expect(next).toBe(3)
})

test('the tree of a log is that of its leaves, and proves each leaf and each former tree', async () => {
  const domain = uuid(at(0))
  const batches = batchesOf(domain)
  await logOf(batches)
  const leaves = batches.flat().map(leafOf)
  const size = leaves.length
  const trees = [new CompactRange()]
  const grown = new CompactRange()
  for (const leaf of leaves) {
    grown.append(leaf)
    trees.push(new CompactRange({ begin: 0, end: grown.end }, grown.hashes))
  }
  const root = grown.root()
  for (let part = 0; part <= size; part += 3) {
    expect(await frontierAt(domain, part)).toEqual(trees[part]?.hashes)
    const whole = new CompactRange({ begin: 0, end: part }, await frontierAt(domain, part))
    whole.appendRange({ begin: part, end: size }, await subtreesBetween(domain, part, size))
    expect(whole.root()).toEqual(root)
  }
  expect(await rootAt(domain, size)).toEqual(root)
  for (const index of [0, 1, 9, 10, 31, 58, 59]) {
    const path = await rootsOf(domain, inclusionPath(index, size))
    expect(provesInclusion({ index, size, leaf: leaves[index] as Buffer, root }, path)).toBe(true)
  }
  for (const from of [1, 3, 32, 59, 60]) {
    const path = await rootsOf(domain, consistencyPath(from, size))
    const first = { size: from, root: trees[from]?.root() as Buffer }
    expect(provesConsistency(first, { size, root }, path)).toBe(true)
  }
  await expect(frontierAt(domain, size + 1)).rejects.toThrow(RangeError)
})

test('the positions of a period contain all of its records, late ones too, and few others', async () => {
  const domain = uuid(at(0))
  const batches = batchesOf(domain)
  const late = recordAt(domain, at(1))
  batches[5] = [...(batches[5] ?? []), late] // a record created four minutes before its batch
  await logOf(batches)
  const starts = COUNTS.map((_, n) => batches.slice(0, n).flat().length)
  const whole = batches.flat().length
  expect(await positionsOf(domain, iso(-10), iso(60))).toEqual({ first: 0, end: whole })
  // records are created half a minute before their batch; the batch with the late one may contain records of all times
  // in between
  expect(await positionsOf(domain, iso(2.1), iso(2.9))).toEqual({ first: starts[3], end: starts[6] })
  expect(await positionsOf(domain, iso(5.1), iso(5.9))).toEqual({ first: starts[6], end: whole })
  expect(await positionsOf(domain, iso(0.9), iso(1.1))).toEqual({ first: starts[5], end: starts[6] })
  expect(await positionsOf(domain, iso(0.4), iso(0.6))).toEqual({ first: starts[1], end: starts[2] })
  expect(await positionsOf(domain, iso(0.4), iso(1.1))).toEqual({ first: starts[1], end: starts[6] })
  expect(await positionsOf(domain, iso(-10), iso(-5))).toBeUndefined()
  expect(await positionsOf(domain, iso(50), iso(60))).toBeUndefined()
  expect(await positionsOf(domain, iso(4), iso(3))).toBeUndefined()
})

test('a clock that steps back, or a record from the future, keeps the order, and every record is found', async () => {
  const domain = uuid(at(0))
  const records = [recordAt(domain, at(10)), recordAt(domain, at(2)), recordAt(domain, at(30))]
  const minutes = [10, 5, 6]
  for (const [n, record] of records.entries()) {
    await writeRecords([record], at(0), n)
    await putBatch(domain, batchOf([record], await lastBatch(domain), at(minutes[n] ?? 0)))
  }
  expect((await lastBatch(domain))?.at).toBe(iso(10))
  expect((await leavesOf(domain, 0, 9)).map(({ id }) => id)).toEqual(records.map(({ id }) => id))
  expect(await positionsOf(domain, iso(2), iso(2))).toEqual({ first: 1, end: 2 })
  expect(await positionsOf(domain, iso(29), iso(31))).toEqual({ first: 2, end: 3 })
})

test('a position can be used once', async () => {
  const domain = uuid(at(0))
  const [one, other] = [recordAt(domain, at(0)), recordAt(domain, at(0))]
  expect(await putBatch(domain, batchOf([one], undefined, at(0)))).toBe(true)
  expect(await putBatch(domain, batchOf([other], undefined, at(0)))).toBe(false)
  expect((await lastBatch(domain))?.ids).toEqual([one.id])
})

test('a domain without records has an empty log', async () => {
  const domain = uuid(at(0))
  expect(await treeSize(domain)).toBe(0)
  expect(await lastBatch(domain)).toBeUndefined()
  expect(await frontierAt(domain, 0)).toEqual([])
  expect(await leavesOf(domain, 0, 10)).toEqual([])
  expect(await positionsOf(domain, iso(0), iso(1))).toBeUndefined()
  expect(await sequencedRecords(domain, 0, 10)).toEqual({ records: [], next: 0 })
})

test('ids are packed into at most eleven bytes each, and unpacked again', () => {
  const ids = Array.from({ length: 2_000 }, (_, n) => uuid(at(n / 60_000)))
  const packed = packedIds(ids)
  expect(packed.length).toBeLessThan(ids.length * 11)
  expect(unpackedIds(packed, ids.length)).toEqual(ids)
  expect(unpackedIds(packedIds([]), 0)).toEqual([])
  expect(() => packedIds(['no id'])).toThrow(RangeError)
  expect(() => unpackedIds(packed, 1)).toThrow()
})
