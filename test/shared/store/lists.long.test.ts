import { beforeAll, beforeEach, expect, test } from 'vitest'
import { lowestUuid } from '../../../shared/base/ids.ts'
import { listed } from '../../../shared/resource/listed.ts'
import { entity, type Stored } from '../../../shared/store/entity.ts'
import { idsAfter, pageOf, walk } from '../../../shared/store/list.ts'
import { countsOf, readRank, tidyRank } from '../../../shared/store/rank.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { useTable } from '../../support/store.ts'
import { createThings, NOW, thing, things, type Thing } from '../../support/things.ts'

const { proxy } = useTable()

const DOMAIN = 'many'
const COUNT = 2_600
let made: Thing[] = []
const idsInOrder = (): string[] => made.map(({ id }) => id).sort()

beforeAll(async () => {
  // ids from ten different milliseconds, not created in their order
  made = Array.from({ length: COUNT }, (_, at) =>
    thing(`thing-${at}`, at % 3 === 0 ? 'blue' : 'red', new Date(NOW.getTime() + ((at * 7) % 10))),
  )
  await createThings(DOMAIN, made)
  await tidyRank(DOMAIN, 'thing')
})
beforeEach(() => proxy().reset())

const ids = (items: readonly { item: Thing }[]): string[] => items.map(({ item }) => item.id)

test.each([
  ['all', 'ascending', () => true],
  ['all', 'descending', () => true],
  ['color:blue', 'ascending', ({ color }: Thing) => color === 'blue'],
  ['color:blue', 'descending', ({ color }: Thing) => color === 'blue'],
])('the pages of %s, %s, are the whole list in order of id, without gap or repetition', async (set, order, isIn) => {
  const descending = order === 'descending'
  const whole = made
    .filter(isIn)
    .map(({ id }) => id)
    .sort()
  if (descending) whole.reverse()
  const limit = 211
  const pages: string[] = []
  for (let skip = 0; skip < whole.length; skip += limit) {
    const page = await pageOf(things, DOMAIN, set, { skip, limit, descending })
    expect(page.total).toBe(whole.length)
    pages.push(...ids(page.items))
  }
  expect(pages).toEqual(whole)
})

test.each([0, 1, 499, 500, 501, 999, 1_000, 1_001, 1_999, 2_499, 2_500, 2_599])(
  'a page at skip %i is the slice of the whole that begins there',
  async (skip) => {
    const { items } = await pageOf(things, DOMAIN, 'all', { skip, limit: 100 })
    expect(ids(items)).toEqual(idsInOrder().slice(skip, skip + 100))
  },
)

test('past the end a page is empty and the total still exact', async () => {
  expect(await pageOf(things, DOMAIN, 'all', { skip: COUNT, limit: 10 })).toEqual({ total: COUNT, items: [] })
})

test('a page costs three reads at the front and at most four at any skip', async () => {
  await pageOf(things, DOMAIN, 'all', { skip: 0, limit: 100 })
  expect(proxy().counts()).toEqual({ Query: 2, BatchGetItem: 1 })
  for (const skip of [100, 1_450, 1_999, 2_500]) {
    proxy().reset()
    await pageOf(things, DOMAIN, 'all', { skip, limit: 100 })
    const { Query = 0, BatchGetItem = 0 } = proxy().counts()
    expect(Query).toBeLessThanOrEqual(3)
    expect(BatchGetItem).toBe(1)
  }
})

test('no page skips more than half a bucket', async () => {
  for (const skip of [700, 1_600, 2_450]) {
    proxy().reset()
    await pageOf(things, DOMAIN, 'all', { skip, limit: 10 })
    const steps = proxy()
      .calls()
      .filter(({ request }) => request.Select === 'COUNT')
      .map(({ request }) => request.Limit)
    for (const rows of steps) expect(rows).toBeLessThanOrEqual(751)
  }
})

test('buckets hold about a thousand rows each, and add up', async () => {
  const counts = countsOf(await readRank(DOMAIN, 'thing'), 'all')
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(COUNT)
  for (const count of counts) expect(count).toBeLessThanOrEqual(1_500)
  expect(counts.length).toBeGreaterThanOrEqual(2)
})

/** Names, in order of the ids. */
const namesWith = (ending: string): string[] =>
  made
    .filter(({ name }) => name.endsWith(ending))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ name }) => name)
const reversed = (name: string): string => Array.from(name).reverse().join('')

test('a walk applies filters, counts all matches and keeps the order of ids', async () => {
  const plan = { sets: ['all'], narrowBy: 'name', skip: 2, limit: 3 }
  const found = await walk(things, DOMAIN, { ...plan, matches: ({ name }) => name.endsWith('77') })
  expect(found.total).toBe(namesWith('77').length)
  expect(found.items.map(({ item }) => item.name)).toEqual(namesWith('77').slice(2, 5))
})

const shown = { served: 'all', present: ({ item }: Stored<Thing>) => ({ ...item, backwards: reversed(item.name) }) }
const ending = (end: string) => ({ ...shown, matches: ({ name }: { name: string }) => name.endsWith(end) })

test('a list is sorted by fields of its rows, and by those that only whole records have', async () => {
  const byName = [{ by: 'name', descending: true }]
  const inRows = await listed(things, DOMAIN, { skip: 1, limit: 3, sort: byName }, shown)
  expect(inRows.total).toBe(COUNT)
  expect(inRows.resources.map(({ name }) => name)).toEqual(namesWith('').sort().reverse().slice(1, 4))
  const backwards = [{ by: 'backwards', descending: false }]
  const whole = await listed(things, DOMAIN, { skip: 1, limit: 3, sort: backwards }, ending('7'))
  expect(whole.total).toBe(namesWith('7').length)
  expect(whole.resources.map((one) => one.backwards)).toEqual(namesWith('7').map(reversed).sort().slice(1, 4))
})

test('ties are in the order of ids, whichever way is sorted', async () => {
  const sort = [{ by: 'nothing', descending: true }]
  const page = await listed(things, DOMAIN, { skip: 0, limit: 5, sort }, ending('77'))
  expect(page.resources.map(({ name }) => name)).toEqual(namesWith('77').slice(0, 5))
})

test('rows of an earlier version, without the time of the last change, are sorted by their records', async () => {
  const newer = entity({ ...things, row: ({ name, color }) => ({ name, color, updatedAt: reversed(name) }) })
  const sort = [{ by: 'updatedAt', descending: false }]
  const listing = { ...ending('77'), present: ({ item }: Stored<Thing>) => newer.row(item) }
  const page = await listed(newer, DOMAIN, { skip: 0, limit: 5, sort }, listing)
  expect(page.resources.map(({ updatedAt }) => updatedAt)).toEqual(namesWith('77').map(reversed).sort().slice(0, 5))
})

test('a walk through a range of ids reads only that range', async () => {
  const from = lowestUuid(new Date(NOW.getTime() + 3))
  const to = lowestUuid(new Date(NOW.getTime() + 5))
  const found = await walk(things, DOMAIN, {
    sets: ['all'],
    from,
    to,
    matches: () => true,
    narrowBy: 'name',
    skip: 0,
    limit: 1_000,
  })
  expect(ids(found.items)).toEqual(idsInOrder().filter((id) => id >= from && id < to))
})

test('work that pages through a set can resume anywhere', async () => {
  const seen: string[] = []
  let after: string | undefined
  do {
    const some = await idsAfter(things, DOMAIN, 'all', after, 900)
    seen.push(...some)
    after = some.length < 900 ? undefined : some.at(-1)
  } while (after !== undefined)
  expect(seen).toEqual(idsInOrder())
})

test('totals and pages stay exact during concurrent creates, removals and tidying', async () => {
  const domain = 'busy'
  const first = Array.from({ length: 800 }, (_, at) => thing(`b-${at}`))
  await createThings(domain, first)
  const gone = first.filter((_, at) => at % 4 === 0)
  const remove = async (): Promise<void> => {
    for (let at = 0; at < gone.length; at += 8) {
      const changes = new Changes()
      const found = await things.getMany(
        domain,
        gone.slice(at, at + 8).map(({ id }) => id),
      )
      for (const stored of found) changes.remove(things, domain, stored)
      await changes.commit(NOW)
    }
  }
  const more = Array.from({ length: 200 }, (_, at) => thing(`c-${at}`))
  const tidy = async (): Promise<void> => {
    for (let round = 0; round < 10; round++) await tidyRank(domain, 'thing')
  }
  await Promise.all([createThings(domain, more, 5, 4), remove(), tidy()])
  await tidyRank(domain, 'thing')
  const whole = [...first.filter((item) => !gone.includes(item)), ...more].map(({ id }) => id).sort()
  for (const skip of [0, 377, 790]) {
    const page = await pageOf(things, domain, 'all', { skip, limit: 10 })
    expect(page.total).toBe(whole.length)
    expect(ids(page.items)).toEqual(whole.slice(skip, skip + 10))
  }
})

test('removed items leave nothing in the directory', async () => {
  const domain = 'passing'
  const items = Array.from({ length: 1_700 }, (_, at) => thing(`p-${at}`))
  await createThings(domain, items)
  await tidyRank(domain, 'thing')
  expect((await readRank(domain, 'thing')).directory.buckets.length).toBeGreaterThan(1)
  for (let at = 0; at < items.length; at += 15) {
    const changes = new Changes()
    const some = items.slice(at, at + 15).map(({ id }) => id)
    for (const stored of await things.getMany(domain, some)) changes.remove(things, domain, stored)
    await changes.commit(NOW)
  }
  await tidyRank(domain, 'thing')
  expect((await readRank(domain, 'thing')).directory.buckets).toHaveLength(1)
  expect(await pageOf(things, domain, 'all', { skip: 0, limit: 10 })).toEqual({ total: 0, items: [] })
  await createThings(domain, [thing('p-again')])
  expect((await pageOf(things, domain, 'all', { skip: 0, limit: 10 })).total).toBe(1)
})
