import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { atOnce } from '../../../shared/base/at-once.ts'
import { Refusal } from '../../../shared/base/errors.ts'
import { Changes } from '../../../shared/store/changes.ts'
import { entity, type Entity } from '../../../shared/store/entity.ts'
import { itemKey, rowKey } from '../../../shared/store/layout.ts'
import { pageOf, walk } from '../../../shared/store/list.ts'
import { removing } from '../../../shared/store/remove-some.ts'
import { getItem, putNew } from '../../../shared/store/table.ts'
import { allEntities } from '../../support/all-entities.ts'
import { useTable } from '../../support/store.ts'
import { createThings, NOW, thing, things } from '../../support/things.ts'

useTable()
const ID = '01900000-0000-7000-8000-000000000001'

/** Writes an item with one field, and a list row that refers to it, directly to the table. */
async function plant(name: string, domain: string, data: string, id = ID): Promise<void> {
  const { pk, sk } = itemKey(domain, name, id)
  await putNew({ pk: { S: pk }, sk: { S: sk }, rev: { N: '1' }, data: { S: data } })
  const row = rowKey(domain, name, 'all', id)
  await putNew({ pk: { S: row.pk }, sk: { S: row.sk }, row: { S: '{}' } })
}

let entities: Entity<unknown, unknown>[] = []
beforeAll(async () => {
  entities = [...(await allEntities()).values()]
})

test.each(['{"id":"another","createdAt":5}', 'no JSON', '[]'])(
  'of every kind, an item with the data %s is shown, left out, refused, and removed',
  async (data) => {
    expect(entities.length).toBeGreaterThan(80)
    await atOnce(entities, 16, async (entity) => {
      const domain = `${entity.name} ${data.length}`
      await plant(entity.name, domain, data)
      const shown = await entity.getMany(domain, [ID], 'salvage')
      expect(shown, entity.name).toMatchObject([{ rev: 1 }])
      if (shown[0]?.damage === undefined) return // a kind without required fields
      expect(await entity.getMany(domain, [ID], 'leave out')).toEqual([])
      await expect(entity.getMany(domain, [ID])).rejects.toThrow()
      const all = { sets: ['all'], matches: () => true, narrowBy: '', skip: 0, limit: 10, broken: 'salvage' } as const
      expect((await walk(entity, domain, all)).items, entity.name).toHaveLength(1)
      const changes = new Changes()
      for (const stored of shown) changes.remove(entity, domain, stored)
      await changes.commit(NOW)
      expect(await getItem(itemKey(domain, entity.name, ID)), entity.name).toBeUndefined()
    })
  },
)

const labelled = entity({
  name: 'labelled',
  schema: z.object({ id: z.string(), labels: z.record(z.string(), z.string()) }),
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

test('a refusal names the outermost fields that are damaged, each once', async () => {
  await plant('labelled', 'names', JSON.stringify({ id: ID, labels: { 'project x': 5, 'project y': 6 } }))
  const sentence = `The stored record ${ID} is damaged in labels.`
  await expect(labelled.get('names', ID)).rejects.toThrow(new Refusal('DAMAGED', sentence))
  const [shown] = await labelled.getMany('names', [ID], 'salvage')
  expect(shown?.damage?.fields).toEqual(['labels.project x', 'labels.project y'])
})

test('a page shows the valid fields of a damaged item and all others; the purge of a domain completes', async () => {
  const all = Array.from({ length: 40 }, (_, at) => thing(`t-${String(at).padStart(2, '0')}`))
  await createThings('page', all)
  const [, , one] = all
  if (one === undefined) throw new Error('It was made')
  const stored = await things.get('page', one.id)
  const changes = new Changes()
  const { pk, sk } = itemKey('page', 'thing', one.id)
  changes.plan(
    {
      update: { pk, sk },
      expression: 'SET #data = :data',
      names: { '#data': 'data' },
      values: { ':data': { S: JSON.stringify({ ...stored?.item, due: 7 }) } },
    },
    () => new Error('unconditional'),
  )
  await changes.commit(NOW)
  await expect(pageOf(things, 'page', 'all', { skip: 0, limit: 100 })).rejects.toThrow()
  const { items, total } = await pageOf(things, 'page', 'all', { skip: 0, limit: 100, broken: 'salvage' })
  expect(total).toBe(40)
  expect(items.map(({ item }) => item)).toEqual(all)
  expect(items.flatMap(({ damage }) => damage?.fields ?? [])).toEqual(['due'])
  const step = removing(things, 'all')
  while (await step('page', NOW));
  expect((await pageOf(things, 'page', 'all', { skip: 0, limit: 1 })).total).toBe(0)
})
