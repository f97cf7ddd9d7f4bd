import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { freshIv } from '../../../../shared/serving/key-use/key-uses.ts'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { useTable } from '../../../support/store.ts'

const { proxy } = useTable()
const now = { monoMs: performance.now(), epochMs: Date.now(), untilMs: performance.now() + 60_000 }

test('ivs count on from a place of the version’s own, and uses are taken in blocks that are fetched ahead', async () => {
  proxy().reset()
  const ivs: Buffer[] = []
  for (let use = 0; use < 3_000; use++) ivs.push(await freshIv(ROOT_DOMAIN_ID, 'one', now))
  const origin = Buffer.from(hash('sha256', 'one'), 'hex').readBigUInt64BE()
  expect(ivs.map((iv) => BigInt.asUintN(64, iv.readBigUInt64BE(4) - origin))).toEqual(
    Array.from({ length: 3_000 }, (_, use) => BigInt(use)),
  )
  expect(ivs.every(({ length }) => length === 12)).toBe(true)
  const fields = new Set(ivs.map((iv) => iv.readUInt32BE(0)))
  const { UpdateItem: leases = 0 } = proxy().counts()
  expect(leases).toBeLessThanOrEqual(5) // 256, 512, 1,024, 2,048, and one in advance
  expect(fields.size).toBeLessThanOrEqual(leases)
  expect(fields.size).toBeGreaterThan(1)
})

test('concurrent callers share the leased block, and none gets the iv of another', async () => {
  proxy().reset()
  const ivs = await Promise.all(Array.from({ length: 200 }, async () => freshIv(ROOT_DOMAIN_ID, 'two', now)))
  expect(new Set(ivs.map((iv) => iv.toString('hex'))).size).toBe(200)
  expect(proxy().counts().UpdateItem).toBeLessThanOrEqual(2)
})

test('a lease whose answer was lost is never used: the next one begins after it', async () => {
  const before = await freshIv(ROOT_DOMAIN_ID, 'three', now)
  const ivs = new Set([before.toString('hex', 4)])
  const back = proxy().inject({ fault: 'commit-then-timeout', operation: 'UpdateItem', times: 6 })
  for (let use = 1; use < 1_000; use++) {
    const iv = await Promise.resolve(freshIv(ROOT_DOMAIN_ID, 'three', now)).catch(() => undefined)
    if (iv) expect(ivs.size, iv.toString('hex')).toBe(ivs.add(iv.toString('hex', 4)).size - 1)
  }
  back()
  expect(ivs.size).toBeGreaterThan(900)
})
