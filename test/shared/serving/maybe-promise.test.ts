import { expect, test } from 'vitest'
import { afterBoth } from '../../../shared/serving/maybe-promise.ts'

const sum = (a: number, b: number): number => a + b
const later = (value: number): Promise<number> => Promise.resolve(value)

test('two known values are joined without a promise', () => {
  expect(afterBoth(1, () => 2, sum)).toBe(3)
})

test.each([
  ['the first', () => afterBoth(later(1), () => 2, sum)],
  ['the second', () => afterBoth(1, () => later(2), sum)],
  ['neither', () => afterBoth(later(1), () => later(2), sum)],
])('values of which %s is known later are joined then', async (_which, join) => {
  expect(await join()).toBe(3)
})

const failed = (): Promise<number> => Promise.reject(new Error('first'))
const thrown = (): number => {
  throw new Error('second')
}

test('a second value that fails at once is reported, and leaves no rejection unhandled', async () => {
  expect(() => afterBoth(1, thrown, sum)).toThrow('second')
  await expect(afterBoth(later(1), thrown, sum)).rejects.toThrow('second')
  await expect(afterBoth(failed(), thrown, sum)).rejects.toThrow(/first|second/)
  const pending = Promise.withResolvers<number>()
  await expect(afterBoth(pending.promise, thrown, sum)).rejects.toThrow('second')
  pending.reject(new Error('first')) // an unhandled rejection would fail this file
})
