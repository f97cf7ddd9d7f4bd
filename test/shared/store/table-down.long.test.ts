import { expect, test } from 'vitest'
import { Changes } from '../../../shared/store/changes.ts'
import { pageOf } from '../../../shared/store/list.ts'
import { useTable } from '../../support/store.ts'
import { NOW, thing, things } from '../../support/things.ts'

const { proxy } = useTable()

async function create(name: string): Promise<void> {
  const changes = new Changes()
  changes.create(things, 'down', thing(name))
  await changes.commit(NOW)
}
const total = async (): Promise<number> => (await pageOf(things, 'down', 'all', { skip: 0, limit: 0 })).total

test('a table that stays down is reported in time and leaves nothing half done', async () => {
  const stop = proxy().inject({ fault: 'throttling', operation: 'TransactWriteItems' })
  await expect(create('late')).rejects.toMatchObject({ reason: 'UNAVAILABLE' })
  stop()
  expect(await total()).toBe(0)
  expect(await things.find('down', 'name', 'late')).toBeUndefined()
  await create('late')
  expect(await total()).toBe(1)
})
