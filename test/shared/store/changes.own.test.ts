import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Changes, Stale } from '../../../shared/store/changes.ts'
import { entity } from '../../../shared/store/entity.ts'
import { itemKey } from '../../../shared/store/layout.ts'
import { pageOf } from '../../../shared/store/list.ts'
import { readRank, tidyRank } from '../../../shared/store/rank.ts'
import { queryDue } from '../../../shared/store/due-index.ts'
import { backOff } from '../../../shared/store/table.ts'
import type { Fault } from '../../../infra/local/table/fault-proxy.ts'
import { useTable } from '../../support/store.ts'
import { NOW, thing, things, type Thing } from '../../support/things.ts'

const { proxy } = useTable()
beforeEach(() => proxy().reset())

async function create(domain: string, item: Thing): Promise<void> {
  const changes = new Changes()
  changes.create(things, domain, item)
  await changes.commit(NOW)
}
const total = async (domain: string, set = 'all'): Promise<number> =>
  (await pageOf(things, domain, set, { skip: 0, limit: 0 })).total

async function stored(domain: string, id: string) {
  const found = await things.get(domain, id)
  if (found === undefined) throw new Error('It was just made')
  return found
}

describe.each<readonly [string, Fault | undefined]>([
  ['a table without faults', undefined],
  ['conflicts', 'transaction-conflict'],
  ['throttling', 'throttling'],
  ['answers that are lost after the write', 'commit-then-timeout'],
  ['internal errors', 'internal-error'],
])('with %s', (what, fault) => {
  const inject = (): void => {
    if (fault) proxy().inject({ fault, operation: 'TransactWriteItems', probability: 0.2, seed: 7 })
  }

  test('of fifty identical concurrent creates one succeeds, and the count is one', async () => {
    inject()
    const domain = `race ${what}`
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => create(domain, thing('same'))))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const reason of refused) expect(reason).toMatchObject({ reason: 'NAME_TAKEN' })
    proxy().reset()
    expect(await total(domain)).toBe(1)
  })

  test('fifty different concurrent creates all succeed, and the count is fifty', async () => {
    inject()
    const domain = `crowd ${what}`
    await Promise.all(Array.from({ length: 50 }, (_, at) => create(domain, thing(`n-${at}`, at % 2 ? 'red' : 'blue'))))
    proxy().reset()
    expect([await total(domain), await total(domain, 'color:red'), await total(domain, 'color:blue')]).toEqual([
      50, 25, 25,
    ])
    const { items } = await pageOf(things, domain, 'all', { skip: 0, limit: 100 })
    expect(new Set(items.map(({ item }) => item.name)).size).toBe(50)
  })
})

test('the digest of a member changes with its item, in the same transaction', async () => {
  const item = thing('digested')
  await create('digests', item)
  const digests = async () => (await things.membersAfter('digests', 'd', undefined, 10)).map(({ digest }) => digest)
  expect(await digests()).toEqual([undefined])
  for (const color of ['blue', 'green', 'red']) {
    const before = await stored('digests', item.id)
    const [change, late] = [new Changes(), new Changes()]
    change.update(things, 'digests', before, { ...item, color })
    late.update(things, 'digests', before, { ...item, color: 'late' })
    await change.commit(NOW)
    await expect(late.commit(NOW)).rejects.toBeInstanceOf(Stale)
    expect(await digests()).toEqual([color === 'red' ? undefined : color])
  }
})

test('an item changed since it was read is not overwritten', async () => {
  const item = thing('mine')
  await create('stale', item)
  const seen = await stored('stale', item.id)
  const [one, other] = [new Changes(), new Changes()]
  one.update(things, 'stale', seen, { ...item, color: 'green' })
  other.update(things, 'stale', seen, { ...item, color: 'black' })
  await one.commit(NOW)
  await expect(other.commit(NOW)).rejects.toBeInstanceOf(Stale)
  expect((await stored('stale', item.id)).item.color).toBe('green')
  expect([
    await total('stale', 'color:red'),
    await total('stale', 'color:green'),
    await total('stale', 'color:black'),
  ]).toEqual([0, 1, 0])
})

test('the changes of one request take effect together or not at all', async () => {
  await create('together', thing('taken'))
  const changes = new Changes()
  changes.create(things, 'together', thing('free'))
  changes.create(things, 'together', thing('taken'))
  await expect(changes.commit(NOW)).rejects.toMatchObject({ reason: 'NAME_TAKEN' })
  expect(await things.find('together', 'name', 'free')).toBeUndefined()
  expect(await total('together')).toBe(1)
})

test('a name moves from one item to its successor in one commit, and is free after a removal', async () => {
  const [former, successor] = [thing('heir'), thing('heir')]
  await create('heirs', former)
  const pass = new Changes()
  pass.update(things, 'heirs', await stored('heirs', former.id), { ...former, name: 'retired' })
  pass.create(things, 'heirs', successor)
  await pass.commit(NOW)
  expect(await things.holder('heirs', 'name', 'heir')).toBe(successor.id)
  const clear = new Changes()
  clear.remove(things, 'heirs', await stored('heirs', successor.id))
  await clear.commit(NOW)
  expect(await things.holder('heirs', 'name', 'heir')).toBeUndefined()
  expect(await things.members('heirs', 'h')).toEqual([])
  await create('heirs', thing('heir'))
})

test('two items cannot claim one name within a request', () => {
  const changes = new Changes()
  changes.create(things, 'twice', thing('one'))
  expect(() => changes.create(things, 'twice', thing('one'))).toThrow('is taken')
})

test('an update without listed changes rewrites no row and counts nothing', async () => {
  const item = { ...thing('quiet'), due: '2026-06-01T00:00:00.000Z' }
  await create('quiet', item)
  proxy().reset()
  const changes = new Changes()
  changes.update(things, 'quiet', await stored('quiet', item.id), { ...item, due: '2026-07-01T00:00:00.000Z' })
  await changes.commit(NOW)
  const [transaction] = proxy()
    .calls()
    .filter(({ operation }) => operation === 'TransactWriteItems')
  expect(transaction?.request.TransactItems).toHaveLength(1)
})

test('a due item is found at its time', async () => {
  const item = { ...thing('waits'), due: '2026-05-05T00:00:00.000Z' }
  await create('waiting', item)
  expect(await queryDue('thing-due', new Date('2026-05-04T23:59:59.999Z'), 10)).toEqual([])
  expect(await queryDue('thing-due', new Date('2026-05-05T00:00:00.000Z'), 10)).toMatchObject([{ sk: item.id }])
  expect(await things.get('another domain', item.id)).toBeUndefined()
})

test.each([
  ['a write', 'TransactWriteItems', () => create('full', thing('no-space'))],
  ['a read', 'GetItem', () => things.get('full', 'no-space')],
])('on a full disk %s is refused with the reason, and is not repeated', async (_what, operation, act) => {
  const ofTheSdk = [1, 2, 3]
  proxy().inject({ fault: 'disk-full', operation, calls: ofTheSdk })
  await expect(act()).rejects.toMatchObject({
    reason: 'UNAVAILABLE',
    message: 'The disk of the store is full: nothing was changed. Free some space and try again.',
  })

  proxy().reset()
  expect(await things.get('full', 'no-space')).toBeUndefined()
})

test('more writes than one transaction holds are a fault before anything is written', async () => {
  const changes = new Changes()
  for (let at = 0; at < 30; at++) changes.create(things, 'large', thing(`l-${at}`))
  await expect(changes.commit(NOW)).rejects.toThrow('does not fit one transaction')
  expect(await total('large')).toBe(0)
})

describe('an item that must not go while a set has members', () => {
  const prepared = async (domain: string) => {
    await create(domain, thing('owner', 'none'))
    const owner = await things.find(domain, 'name', 'owner')
    if (owner === undefined) throw new Error('It was just made')
    const joining = new Changes()
    joining.relyOnPresence(things, domain, owner.item.id)
    joining.create(things, domain, thing('member', 'blue'))
    return { owner, joining }
  }

  test.each([false, true])('is kept by one that enters during its removal (tidied: %s)', async (isTidied) => {
    const domain = `kept ${String(isTidied)}`
    const { owner, joining } = await prepared(domain)
    const going = new Changes()
    expect(await going.relyOnCount(things, domain, 'color:blue')).toBe(0)
    going.plan({ remove: itemKey(domain, 'thing', owner.item.id) }, () => new Error('unconditional'))
    await joining.commit(NOW)
    if (isTidied) await tidyRank(domain, 'thing')
    await expect(going.commit(NOW)).rejects.toBeInstanceOf(Stale)
    expect(await new Changes().relyOnCount(things, domain, 'color:blue')).toBe(1)
  })

  test('admits none after its removal, and any number during mere changes', async () => {
    const { owner, joining } = await prepared('gone')
    const going = new Changes()
    going.remove(things, 'gone', owner)
    await going.commit(NOW)
    await expect(joining.commit(NOW)).rejects.toBeInstanceOf(Stale)
    const { owner: changed, joining: first } = await prepared('changed')
    const changing = new Changes()
    changing.update(things, 'changed', changed, { ...changed.item, color: 'green' })
    await changing.commit(NOW)
    proxy().inject({ fault: 'transaction-conflict', operation: 'TransactWriteItems', probability: 0.3, seed: 5 })
    const others = Array.from({ length: 30 }, (_, at) => {
      const one = new Changes()
      one.relyOnPresence(things, 'changed', changed.item.id)
      one.create(things, 'changed', thing(`m-${at}`, 'blue'))
      return one.commit(NOW)
    })
    await Promise.all([first.commit(NOW), ...others])
    expect(await total('changed', 'color:blue')).toBe(31)
  })

  test('is removed if nothing entered, also if the lists were tidied meanwhile', async () => {
    const { owner } = await prepared('quiet')
    const going = new Changes()
    await going.relyOnCount(things, 'quiet', 'color:blue')
    going.plan({ remove: itemKey('quiet', 'thing', owner.item.id) }, () => new Error('unconditional'))
    await tidyRank('quiet', 'thing')
    await going.commit(NOW)
    expect(await things.get('quiet', owner.item.id)).toBeUndefined()
  })
})

describe('a set with room for five', () => {
  const room = { set: 'color:red', most: 5 }
  const full = (count: number): Error => new Error(`full: ${count}`)
  const enter = (domain: string, name: string, color = 'red') =>
    whileStale(async () => {
      const changes = new Changes()
      await changes.relyOnRoom(things, domain, room, full)
      changes.create(things, domain, thing(name, color))
      await changes.commit(NOW)
    })
  /** Like a request, which is repeated for 15 seconds. */
  async function whileStale(work: () => Promise<void>): Promise<void> {
    for (let run = 0; run < 100; run++)
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Stale)) throw error
        await backOff(run)
      }
    throw new Error('Always stale')
  }

  test.each([false, true])('admits five of 20 concurrent items (conflicts: %s)', async (conflicts) => {
    const domain = `room ${String(conflicts)}`
    if (conflicts)
      proxy().inject({ fault: 'transaction-conflict', operation: 'TransactWriteItems', probability: 0.3, seed: 7 })
    const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => enter(domain, `t-${at}`)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    expect(await total(domain, 'color:red')).toBe(5)
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
    expect(new Set(refused)).toEqual(new Set(['Error: full: 5']))
  })

  test('is read again when its lists were tidied meanwhile, and has room again when one leaves', async () => {
    for (let at = 0; at < 4; at++) await enter('tidied', `t-${at}`)
    const changes = new Changes()
    await changes.relyOnRoom(things, 'tidied', room, full)
    changes.create(things, 'tidied', thing('t-4', 'red'))
    await tidyRank('tidied', 'thing')
    await expect(changes.commit(NOW)).rejects.toBeInstanceOf(Stale)
    await enter('tidied', 't-4')
    await expect(enter('tidied', 't-5')).rejects.toThrow('full: 5')
    const first = await things.find('tidied', 'name', 't-0')
    if (first === undefined) throw new Error('It was made')
    const leaving = new Changes()
    leaving.update(things, 'tidied', first, { ...first.item, color: 'blue' })
    await leaving.commit(NOW)
    await enter('tidied', 't-5')
    expect(await total('tidied', 'color:red')).toBe(5)
  })
})

describe('a directory that would outgrow its item', () => {
  const bounds = { bucketRows: 4, directoryBytes: 900 }
  const names = Array.from({ length: 150 }, (_, at) => `n-${String(at).padStart(3, '0')}`)
  const directoryOf = async (domain: string) => (await readRank(domain, 'thing')).directory

  test('has larger buckets, and every page stays as it was', async () => {
    const domain = 'outgrown'
    for (let at = 0; at < names.length; at += 10) {
      await Promise.all(names.slice(at, at + 10).map((name, n) => create(domain, thing(name, n % 3 ? 'red' : 'blue'))))
      await tidyRank(domain, 'thing', undefined, bounds)
      expect(JSON.stringify(await directoryOf(domain)).length).toBeLessThanOrEqual(900)
    }
    const { grain, buckets } = await directoryOf(domain)
    expect(grain).toBeGreaterThanOrEqual(4)
    expect(buckets.length).toBeGreaterThan(2)
    for (const set of ['all', 'color:red', 'color:blue']) {
      const { items: all } = await pageOf(things, domain, set, { skip: 0, limit: 1_000 })
      expect(await total(domain, set)).toBe(all.length)
      for (let skip = 0; skip < all.length; skip += 7) {
        const page = await pageOf(things, domain, set, { skip, limit: 5 })
        expect(page.items.map(({ item }) => item.id)).toEqual(all.slice(skip, skip + 5).map(({ item }) => item.id))
      }
    }
    expect(await total(domain)).toBe(150)
  })

  test('keeps counting changed and removed items', async () => {
    const { items } = await pageOf(things, 'outgrown', 'color:red', { skip: 20, limit: 30 })
    for (const one of items) {
      const changes = new Changes()
      changes.remove(things, 'outgrown', one)
      await changes.commit(NOW)
    }
    await tidyRank('outgrown', 'thing', undefined, bounds)
    expect([
      await total('outgrown'),
      await total('outgrown', 'color:red'),
      await total('outgrown', 'color:blue'),
    ]).toEqual([120, 60, 60])
  })
})

test('a write whose answer is lost, and whose repetition meets a conflict, takes effect once', async () => {
  const domain = 'lost, then a conflict'
  const made = thing('once')
  await create(domain, made)
  const stored = await things.get(domain, made.id)
  if (stored === undefined) throw new Error('The thing was not created')
  proxy().inject({ fault: 'commit-then-timeout', operation: 'TransactWriteItems', calls: [1] })
  proxy().inject({ fault: 'transaction-conflict', operation: 'TransactWriteItems', calls: [2] })
  const changes = new Changes()
  changes.update(things, domain, stored, { ...stored.item, color: 'green' })
  await changes.commit(NOW)
  proxy().reset()
  expect(await things.get(domain, made.id)).toMatchObject({ rev: stored.rev + 1, item: { color: 'green' } })
})

/** Items that use a thing. */
const usersOfThings = (required?: true) =>
  entity({
    name: required ? 'needing-user' : 'user-of-thing',
    schema: z.object({ id: z.string(), of: z.string() }),
    id: ({ id }) => id,
    sets: () => [],
    families: ({ id, of }) => [
      { name: of, key: id, uses: { entity: things.name, id: of, ...(required && { required }) } },
    ],
    row: () => ({}),
  })

describe.each([true, undefined] as const)('a use, required: %s', (required) => {
  const users = usersOfThings(required)
  const domain = `uses ${String(required)}`
  const begin = async (id: string, of: string): Promise<void> => {
    const changes = new Changes()
    changes.create(users, domain, { id, of })
    await changes.commit(NOW)
  }
  const removal = async (id: string): Promise<Changes> => {
    const changes = new Changes()
    changes.remove(things, domain, await stored(domain, id))
    return changes
  }

  test('that begins between the search for uses and the removal makes the removal fail', async () => {
    const item = thing('used')
    await create(domain, item)
    const changes = await removal(item.id)
    expect(await users.members(domain, item.id)).toEqual([])
    await Promise.all(['one', 'two', 'three'].map((id) => begin(id, item.id)))
    await expect(changes.commit(NOW)).rejects.toBeInstanceOf(Stale)
    expect((await stored(domain, item.id)).rev).toBe(4)
    expect(await users.members(domain, item.id)).toHaveLength(3)
  })

  test('of a removed item begins only if it needs no item', async () => {
    const item = thing('removed')
    await create(domain, item)
    await (await removal(item.id)).commit(NOW)
    const begun = begin('late', item.id)
    if (required) await expect(begun).rejects.toBeInstanceOf(Stale)
    else await begun
    expect(await users.members(domain, item.id)).toEqual(required ? [] : ['late'])
    expect(await things.get(domain, item.id)).toBeUndefined()
  })

  test('is begun together with a change of its item, or a condition on it', async () => {
    const item = thing('both')
    await create(domain, item)
    for (const change of ['update', 'rely'] as const) {
      const changes = new Changes()
      changes.create(users, domain, { id: change, of: item.id })
      const known = await stored(domain, item.id)
      if (change === 'update') changes.update(things, domain, known, { ...item, color: 'green' })
      else changes.rely(things, domain, known)
      await changes.commit(NOW)
      expect((await stored(domain, item.id)).rev).toBe(known.rev + 1)
    }
  })
})
