import { expect, test } from 'vitest'
import { isOver, nextRows, startOf, type Source } from '../../../clients/console/list/merge.ts'
import { allRows } from '../../../clients/console/list/pages.ts'

const signal = new AbortController().signal
const isBefore = (a: number, b: number): boolean => a > b

/** A list of falling numbers. */
const listOf = (title: string, rows: readonly number[]): Source<number> & { readonly asked: number[] } => {
  const asked: number[] = []
  const load = (skip: number, limit: number) => {
    asked.push(skip)
    return Promise.resolve({ limit, total: rows.length, resources: rows.slice(skip, skip + limit) })
  }
  return { title, load, asked }
}

async function merged(sources: readonly Source<number>[]): Promise<number[]> {
  const rows: number[] = []
  let cursors = startOf(sources)
  while (!isOver(cursors)) {
    const next = await nextRows(sources, cursors, isBefore, signal)
    rows.push(...next.rows)
    cursors = next.cursors
  }
  return rows
}

const falling = (count: number, by: number): number[] => Array.from({ length: count }, (_, at) => (count - at) * by)

test('lists are merged in one order, each row once', async () => {
  const [twos, threes] = [falling(250, 2), falling(170, 3)]
  const rows = await merged([listOf('twos', twos), listOf('none', []), listOf('threes', threes)])
  expect(rows).toEqual([...twos, ...threes].toSorted((a, b) => b - a))
})

test('the first rows ask each list for one page', async () => {
  const [high, low] = [listOf('high', falling(500, 10)), listOf('low', falling(500, 1))]
  const { rows, cursors } = await nextRows([high, low], startOf([high, low]), isBefore, signal)
  expect(rows).toEqual(falling(500, 10).slice(0, 100))
  expect([high.asked, low.asked]).toEqual([[0], [0]])
  expect(cursors.map(({ total }) => total)).toEqual([500, 500])
})

test('a list that fails is left out and named; the others are shown', async () => {
  const broken: Source<number> = { title: 'broken', load: () => Promise.reject(new Error('no answer')) }
  const sources = [listOf('threes', falling(150, 3)), broken]
  const { rows, cursors } = await nextRows(sources, startOf(sources), isBefore, signal)
  expect(rows).toHaveLength(100)
  expect(cursors[1]?.error?.message).toBe('no answer')
  expect(await merged(sources)).toEqual(falling(150, 3))
})

test('a list whose rows are filtered here is read on until it has one', async () => {
  const { load, asked } = listOf('many', falling(1_000, 1))
  const rare: Source<number> = {
    title: 'rare',
    load: async (skip, limit) => {
      const page = await load(skip, limit, signal)
      return { ...page, resources: page.resources.filter((row) => row === 5) }
    },
  }
  expect(await merged([rare])).toEqual([5])
  expect(asked).toHaveLength(10)
})

test('all rows of a list are read by the thousand, up to a maximum', async () => {
  const { load, asked } = listOf('long', falling(2_600, 1))
  const every = (skip: number, limit: number) => load(skip, limit, signal)
  expect((await allRows(every, 10_000)).resources).toEqual(falling(2_600, 1))
  expect(asked).toEqual([0, 1_000, 2_000])
  expect((await allRows(every, 1_500)).resources).toHaveLength(1_500)
})
