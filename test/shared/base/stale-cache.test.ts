import { expect, test } from 'vitest'
import type { Moment } from '../../../shared/base/moment.ts'
import { StaleCache } from '../../../shared/base/stale-cache.ts'
import { refused } from '../crypto/refused.ts'

const BOUNDS = { refreshAfterMs: 2_000, staleAfterMs: 5_000, entries: 3 }
/** Keys that were read, with the number of reads. */
class Source {
  reads = 0
  broken = false
  value: string | undefined = 'first'
  readonly read = (): Promise<string | undefined> => {
    this.reads++
    return this.broken ? Promise.reject(new Error('away')) : Promise.resolve(this.value)
  }
}
const at = (ms: number, epochMs = ms): Moment => ({ monoMs: ms, epochMs, untilMs: performance.now() + 10_000 })

test('a cached value is used until it is stale, by either clock, and never after', async () => {
  for (const moment of [at(5_001, 0), at(0, 5_001), at(0, -5_001)]) {
    const source = new Source()
    const kept = new StaleCache<string>(BOUNDS)
    expect(await kept.get('a', at(0), source.read)).toBe('first')
    source.broken = true
    expect(kept.get('a', at(5_000), source.read)).toBe('first')
    await expect(kept.get('a', moment, source.read)).rejects.toThrow('away')
  }
})

test('a caller without time to wait caused a warning in the log', async () => {
  const warned: string[] = []
  const note = ({ name }: Error): number => warned.push(name)
  process.on('warning', note)
  const late = { ...at(0), untilMs: performance.now() - 10 }
  const wait = () => new StaleCache<string>(BOUNDS).get('a', late, () => new Promise(() => undefined))
  await refused('UNAVAILABLE', wait)
  process.off('warning', note)
  expect(warned).toEqual([])
})

test('a value counts from when its reading began, not from when it ended', async () => {
  const kept = new StaleCache<string>(BOUNDS)
  const slow = Promise.withResolvers<string>()
  const first = kept.get('a', at(0), () => slow.promise)
  slow.resolve('old')
  expect(await first).toBe('old')
  expect(await kept.get('a', at(5_001), () => Promise.resolve('new'))).toBe('new')
})

test('it is read again in the background, once, and the new value replaces it', async () => {
  const source = new Source()
  const kept = new StaleCache<string>(BOUNDS)
  await kept.get('a', at(0), source.read)
  source.value = 'second'
  expect([kept.get('a', at(2_001), source.read), kept.get('a', at(2_002), source.read)]).toEqual(['first', 'first'])
  await Promise.resolve()
  expect(source.reads).toBe(2)
  expect(kept.get('a', at(7_001), source.read)).toBe('second') // five seconds from 2,001 on
})

test('concurrent readers share a read; an old read is not waited for', async () => {
  const kept = new StaleCache<string>(BOUNDS)
  const frozen = Promise.withResolvers<string>()
  const both = [0, 1].map(async (ms) => kept.get('a', at(ms), () => frozen.promise))
  expect(await kept.get('a', at(10_000), () => Promise.resolve('new'))).toBe('new')
  frozen.resolve('of long ago')
  expect(await Promise.all(both)).toEqual(['of long ago', 'of long ago'])
  expect(kept.get('a', at(10_001), () => Promise.reject(new Error('not asked')))).toBe('new')
})

test('neither a missing value nor a failure is cached', async () => {
  const source = new Source()
  const kept = new StaleCache<string>(BOUNDS)
  source.value = undefined
  expect(await kept.get('a', at(0), source.read)).toBeUndefined()
  source.broken = true
  await expect(kept.get('a', at(0), source.read)).rejects.toThrow('away')
  Object.assign(source, { broken: false, value: 'there' })
  expect(await kept.get('a', at(0), source.read)).toBe('there')
  expect(source.reads).toBe(3)
})

test('a value that is missing at the next read is dropped', async () => {
  const source = new Source()
  const kept = new StaleCache<string>(BOUNDS)
  await kept.get('a', at(0), source.read)
  source.value = undefined
  expect(await kept.refresh('a', at(1), source.read)).toBeUndefined()
  expect(await kept.get('a', at(2), source.read)).toBeUndefined()
  expect(source.reads).toBe(3)
})

test('the cache never exceeds its size', async () => {
  const kept = new StaleCache<string>(BOUNDS)
  for (const name of ['a', 'b', 'c', 'd']) await kept.get(name, at(0), () => Promise.resolve(name))
  const asked: string[] = []
  for (const name of ['d', 'c', 'b', 'a'])
    await kept.get(name, at(1), () => {
      asked.push(name)
      return Promise.resolve(name)
    })
  expect(asked).toEqual(['a'])
})

test('a waiting caller fails when its time is over, and the value is cached for the next', async () => {
  const kept = new StaleCache<string>(BOUNDS)
  const slow = Promise.withResolvers<string>()
  const now: Moment = { monoMs: 0, epochMs: 0, untilMs: performance.now() + 20 }
  await refused('UNAVAILABLE', () => kept.get('a', now, () => slow.promise))
  slow.resolve('late')
  await slow.promise
  expect(kept.get('a', now, () => Promise.reject(new Error('not asked')))).toBe('late')
})
