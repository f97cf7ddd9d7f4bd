import { expect, test } from 'vitest'
import { RecentCache } from '../../../shared/base/recent-cache.ts'

const at = (ms: number): Date => new Date(1_000_000 + ms)

test('a value is read again once it is too old, in either direction of the clock', async () => {
  const cache = new RecentCache<number>(10, 5_000)
  let reads = 0
  const get = (ms: number): Promise<number> => cache.get('a', at(ms), () => Promise.resolve(++reads))
  expect([await get(0), await get(4_999), await get(-4_999)]).toEqual([1, 1, 1])
  expect(await get(5_000)).toBe(2)
  expect(await get(0)).toBe(3)
})

test('a failed read caches nothing, and a forgotten value is read again', async () => {
  const cache = new RecentCache<string>(10, 5_000)
  await expect(cache.get('a', at(0), () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await cache.get('a', at(0), () => Promise.resolve('first'))).toBe('first')
  cache.forget('a')
  expect(await cache.get('a', at(0), () => Promise.resolve('second'))).toBe('second')
})
