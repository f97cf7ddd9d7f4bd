import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Changes } from '../../../shared/store/changes.ts'
import { numbered } from '../../../shared/store/numbered.ts'
import { useTable } from '../../support/store.ts'
import { NOW } from '../../support/things.ts'

const { proxy } = useTable()

const DOMAIN = 'numbers'
const LIST = 'list'
const COUNT = 2_345
const rows = numbered('thing-row')
const rowAt = (n: number) => ({ n: String(n), even: n % 2 === 0, none: null })

async function write(list: string, first: number, end: number, AT_ONCE = 100): Promise<void> {
  for (let at = first; at < end; at += AT_ONCE) {
    const changes = new Changes()
    const some = Array.from({ length: Math.min(AT_ONCE, end - at) }, (_, n) => rowAt(at + n))
    rows.plan(changes, DOMAIN, list, at, some)
    await changes.commit(NOW)
  }
}

beforeAll(async () => {
  await write(LIST, 0, COUNT)
  await write('list2', 0, 3)
})
beforeEach(() => proxy().reset())

test.each([
  [0, 10],
  [0, COUNT],
  [995, 1_005],
  [1_000, 2_000],
  [2_340, 2_400],
  [9_000, 9_010],
  [7, 7],
])('rows %i up to %i are read', async (first, end) => {
  const wanted = Array.from({ length: Math.max(0, Math.min(end, COUNT) - first) }, (_, n) => rowAt(first + n))
  expect(await rows.slice(DOMAIN, LIST, first, end)).toEqual(wanted)
})

test("a page costs one read anywhere, two across a block's end", async () => {
  for (const [first, reads] of [
    [0, 1],
    [2_300, 1],
    [995, 2],
  ] as const) {
    proxy().reset()
    await rows.slice(DOMAIN, LIST, first, first + 10)
    expect(proxy().counts()).toEqual({ Query: reads })
  }
})

test('a walk from the beginning reads the whole list, up to its stated length', async () => {
  const all = async (count: number) => {
    const found: unknown[] = []
    for await (const some of rows.blocks(DOMAIN, LIST, count)) found.push(...some.map(({ n }) => Number(n)))
    return found
  }
  expect(await all(COUNT)).toEqual(Array.from({ length: COUNT }, (_, n) => n))
  expect(await all(1_001)).toHaveLength(1_001)
  expect(await all(0)).toEqual([])
})

test('rows are picked by number, in the requested order', async () => {
  const picked = await rows.pick(DOMAIN, LIST, [2_344, 0, 1_000, 5_000])
  expect(picked).toEqual([2_344, 0, 1_000].map(rowAt))
})

test('rows are replaced and removed, and lists are independent', async () => {
  await write('other', 0, 5)
  await write('other', 3, 7, 2)
  expect(await rows.slice(DOMAIN, 'other', 0, 100)).toEqual([0, 1, 2, 3, 4, 5, 6].map(rowAt))
  const changes = new Changes()
  rows.planRemoval(changes, DOMAIN, 'other', 2, 60)
  await changes.commit(NOW)
  expect(await rows.slice(DOMAIN, 'other', 0, 100)).toEqual([0, 1].map(rowAt))
  expect(await rows.slice(DOMAIN, 'list2', 0, 100)).toHaveLength(3)
})
