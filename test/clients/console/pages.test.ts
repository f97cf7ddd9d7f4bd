import { expect, test } from 'vitest'
import { wholePage } from '../../../clients/console/list/pages.ts'

const ROWS = Array.from({ length: 250 }, (_, at) => at)

/** A list whose answers have at most `most` records; records divisible by `hidden` are hidden. */
const listOf = (most: number, hidden = Infinity) => {
  const asked: [skip: number, limit: number][] = []
  const load = (skip: number, limit: number) => {
    asked.push([skip, limit])
    const kept = Math.min(limit, most)
    const resources = ROWS.slice(skip, skip + kept).filter((row) => row % hidden !== 0)
    return Promise.resolve({ limit: kept, total: ROWS.length, resources })
  }
  return { asked, load }
}

test('a page that was cut is followed by the rest of it', async () => {
  const { asked, load } = listOf(40)
  expect(await wholePage(load, 100, 100)).toEqual({ limit: 100, total: 250, resources: ROWS.slice(100, 200) })
  expect(asked).toEqual([
    [100, 100],
    [140, 60],
    [180, 20],
  ])
})

test('the last page ends with the list', async () => {
  const { asked, load } = listOf(40)
  expect((await wholePage(load, 200, 100)).resources).toEqual(ROWS.slice(200))
  expect(asked).toHaveLength(2)
})

test('a whole page is one answer, even if records of it are hidden', async () => {
  const { asked, load } = listOf(1_000, 2)
  expect((await wholePage(load, 0, 100)).resources).toHaveLength(50)
  expect(asked).toHaveLength(1)
})
