import { beforeAll, expect, test } from 'vitest'
import { Changes } from '../../../shared/store/changes.ts'
import { sweepDue } from '../../../shared/store/due.ts'
import { itemKey, rowKey } from '../../../shared/store/layout.ts'
import { getItem } from '../../../shared/store/table.ts'
import { localKeys } from '../../../shared/vault/keys/store.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useVault } from './vault.ts'
import '../../../shared/wiring.ts'

/*
 * Earlier versions stored a time with an offset as it was received, in the record and in its list row. Such a record is
 * made here by writing both as those versions did.
 */

const vault = useVault({})
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The time, as a clock with this offset writes it. */
const withOffset = (time: string, hours: number): string => {
  const shown = new Date(Date.parse(time) + hours * HOUR).toISOString().slice(0, -1)
  return `${shown}${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`
}

const domain = (): string => vault().service.domain.id

/** Writes a key's deactivation date in the record and in its rows as an earlier version did. */
async function asStoredEarlier(id: string, deactivationDate: string): Promise<void> {
  const stored = await localKeys.get(domain(), id)
  if (stored === undefined) throw new Error(`There is no key ${id}`)
  const item = { ...stored.item, deactivationDate }
  const changes = new Changes()
  const update = (key: { pk: string; sk: string }, field: string, value: object) =>
    changes.plan(
      {
        update: key,
        expression: 'SET #field = :value',
        names: { '#field': field },
        values: { ':value': { S: JSON.stringify(value) } },
      },
      () => new Error('It was changed meanwhile'),
    )
  update(itemKey(domain(), localKeys.name, id), 'data', item)
  for (const set of localKeys.sets(item))
    update(rowKey(domain(), localKeys.name, set, id), 'row', { ...localKeys.row(item), deactivationDate })
  await changes.commit(vault().service.deployment.clock.now())
}

/** Deactivation dates in order of time, in an order of texts that is another one. */
const NAMES = ['first', 'second', 'third', 'fourth']
let dates: string[] = []
const ids = new Map<string, string>()

beforeAll(async () => {
  const { admin, at, service } = vault()
  pointProcessAt(service.deployment.environmentOf('triggers'))
  dates = [at(DAY), at(DAY + HOUR), at(DAY + 2 * HOUR), at(DAY + 3 * HOUR)]
  const offsets = [9, -5, undefined, -11]
  for (const [n, name] of NAMES.entries()) {
    const { id } = await admin.create({ name, deactivationDate: dates[n] })
    ids.set(name, id as string)
    const offset = offsets[n]
    if (offset !== undefined) await asStoredEarlier(id as string, withOffset(dates[n] ?? '', offset))
  }
})

const listed = async (query: string): Promise<any[]> =>
  (await vault().admin.ok('GET', `/v1/vault/keys2?${query}`)).resources as any[]
const namesOf = (keys: readonly any[]): string[] => keys.map(({ name }) => name as string)

test('records are shown in UTC, alone and in lists', async () => {
  for (const [n, name] of NAMES.entries()) expect((await vault().admin.get(name)).deactivationDate, name).toBe(dates[n])
  expect((await listed('sort=name')).map(({ deactivationDate }) => deactivationDate as string).sort()).toEqual(dates)
})

test('lists are sorted by the moment, in both directions', async () => {
  expect(namesOf(await listed('sort=deactivationDate'))).toEqual(NAMES)
  expect(namesOf(await listed('sort=-deactivationDate'))).toEqual(NAMES.toReversed())
})

test('filters by a time compare moments', async () => {
  const { at } = vault()
  const before = async (time: string) =>
    namesOf(await listed(`sort=deactivationDate&expires_before=${encodeURIComponent(time)}`))
  expect(await before(at(DAY + HOUR / 2))).toEqual(['first'])
  expect(await before(at(DAY + 2.5 * HOUR))).toEqual(['first', 'second', 'third'])
})

test('the date takes effect at its moment, before the sweep and through it', async () => {
  const { admin, advance, service } = vault()
  advance(DAY + HOUR + 60_000)
  const states = async (): Promise<string[]> => {
    const found: string[] = []
    for (const name of NAMES) found.push((await admin.get(name)).state as string)
    return found
  }
  const inOrder = ['Deactivated', 'Deactivated', 'Active', 'Active']
  expect(await states()).toEqual(inOrder)
  expect(namesOf(await listed('state=Active')).sort()).toEqual(['fourth', 'third'])
  await sweepDue({ now: service.deployment.clock.now(), hasTime: () => true })
  expect(await states()).toEqual(inOrder)
  const { item } = (await localKeys.get(domain(), ids.get('first') ?? '')) ?? {}
  expect(item).toMatchObject({ state: 'Deactivated', deactivationDate: dates[0] })
  expect((await listed('state=Deactivated')).map(({ updatedAt }) => updatedAt as string)).toEqual(dates.slice(0, 2))
})

test('a change writes record and row in UTC, and a key that is destroyed and deleted leaves nothing', async () => {
  const { admin } = vault()
  await admin.update('fourth', { labels: { changed: 'yes' } })
  const id = ids.get('fourth') ?? ''
  const row = await getItem(rowKey(domain(), localKeys.name, 'latest', id))
  expect(JSON.parse(row?.row?.S ?? '{}')).toMatchObject({ deactivationDate: dates[3] })
  await admin.act('first', 'destroy')
  await admin.ok('DELETE', '/v1/vault/keys2/first')
  expect(await localKeys.get(domain(), ids.get('first') ?? '')).toBeUndefined()
  expect(namesOf(await listed('sort=deactivationDate'))).toEqual(['second', 'third', 'fourth'])
})
