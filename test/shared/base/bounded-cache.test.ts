import { expect, test } from 'vitest'
import { BoundedCache } from '../../../shared/base/bounded-cache.ts'

test('above its number of entries, those set or used longest ago are dropped', () => {
  const cache = new BoundedCache<number>(3)
  for (const [at, key] of ['a', 'b', 'c'].entries()) cache.set(key, at)
  cache.use('a', () => -1)
  cache.set('b', 4)
  cache.set('d', 3)
  expect([...cache]).toEqual([
    ['a', 0],
    ['b', 4],
    ['d', 3],
  ])
})

test('a value is created once, also when it is undefined', () => {
  const cache = new BoundedCache<undefined>(2)
  const made: number[] = []
  for (const time of [1, 2, 3])
    cache.use('a', () => {
      made.push(time)
      return undefined
    })
  expect(made).toEqual([1])
})

test('above the weight in all, entries go until the rest fits; the newest stays, however heavy', () => {
  const cache = new BoundedCache<string>(100, { most: 5, of: ({ length }) => length })
  for (const key of ['a', 'b', 'c']) cache.set(key, 'xx')
  expect([...cache.keys()]).toEqual(['b', 'c'])
  cache.set('c', 'xxx')
  expect([...cache.keys()]).toEqual(['b', 'c'])
  cache.delete('b')
  cache.set('d', 'xx')
  expect([...cache.keys()]).toEqual(['c', 'd'])
  cache.set('e', 'x'.repeat(9))
  expect([...cache.keys()]).toEqual(['e'])
})
