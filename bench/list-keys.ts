import { Changes } from '../shared/store/changes.ts'
import { itemKey } from '../shared/store/layout.ts'
import { localKeys } from '../shared/vault/keys/store.ts'
import { exactly, type Figure } from './figure.ts'
import { compare, milliseconds, versus } from './rounds.ts'
import { seedKeys } from './seed-keys.ts'
import { scaled } from './scale.ts'
import {
  assertStatus,
  listOf,
  NO_CONTEXT,
  passTime,
  read,
  startService,
  sumOf,
  tableCallsOf,
  type BenchService,
  type Login,
  type MakeEvent,
} from './service.ts'

const FEW = 1_000
const MANY = scaled(100_000, 8_000)
const LIMIT = 100

/**
 * A page of 100 keys: the cost of `skip` and of the number of keys, and whether `total` is exact. A page of 1,000 keys:
 * the cost of a damaged one.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const few = await domainWithKeys(service, 'few', FEW)
    const many = await domainWithKeys(service, 'many', MANY)
    passTime(service.deployment)
    const page = (as: Login, skip: number): Page => {
      const target = `/api/v1/vault/keys2?skip=${skip}&limit=${LIMIT}`
      return () => service.event('GET', target, { as })
    }
    const pages = {
      front: page(many.administrator, 0),
      back: page(many.administrator, MANY * 0.9),
      // The position of 90 % in its bucket is random, so half a bucket further is measured too: the middle costs most.
      between: page(many.administrator, MANY * 0.9 + 500),
      few: page(few.administrator, 0),
    }
    // Two equal domains, created one after the other: the age of a domain and the seeding in between cost up to a
    // fifth.
    const intact = await domainWithKeys(service, 'intact', FEW)
    const damaged = await domainWithKeys(service, 'damaged', FEW)
    await damageOne(damaged.id)
    return [
      ...(await ratios(service, pages)),
      await damagedRatio(service, { damaged: damaged.administrator, intact: intact.administrator }),
      ...(await tableReads(service, pages)),
      await totalOf(service, 'total of 1,000', pages.few, FEW),
      await totalOf(service, `total of ${MANY.toLocaleString('en')}`, pages.between, MANY, many.seeding),
    ]
  } finally {
    await service.stop()
  }
}

type Page = () => ReturnType<MakeEvent>
type Pages = Readonly<Record<'front' | 'back' | 'between' | 'few', Page>>

/** A child domain with this many keys, and how long seeding took for each. */
async function domainWithKeys(
  service: BenchService,
  name: string,
  count: number,
): Promise<{ id: string; administrator: Login; seeding: string }> {
  const { vault, event, logInTo, deployment } = service
  const domain = { name, admins: [await administratorId(service)] }
  const made = await deployment.invoke(
    'users',
    await event('POST', '/api/v1/domains', { body: domain, as: service.administrator }),
  )
  const { id } = read(made, 201) as { id: string }
  const administrator = logInTo(name)
  const body = { name: 'template', algorithm: 'aes', size: 256, labels: { purpose: 'bench' } }
  assertStatus(await vault(await event('POST', '/api/v1/vault/keys2', { body, as: administrator }), NO_CONTEXT), 201)
  const from = performance.now()
  await seedKeys(id, 'template', count - 1)
  return { id, administrator, seeding: milliseconds((performance.now() - from) / count) }
}

async function ratios({ vault }: BenchService, pages: Pages): Promise<Figure[]> {
  const list = (target: Page) => ({
    run: async (times: number) => {
      for (let at = 0; at < times; at++) assertStatus(await vault(await target(), NO_CONTEXT), 200)
    },
  })
  const figures: Figure[] = []
  for (const [name, ours, bare, atMost] of [
    [`list 100: skip 90 % / skip 0, of ${MANY.toLocaleString('en')}`, pages.back, pages.front, 2],
    ['list 100: skip 90 % and half a bucket / skip 0', pages.between, pages.front, 2],
    [`list 100: of ${MANY.toLocaleString('en')} / of 1,000`, pages.front, pages.few, 1.3],
  ] as const) {
    const outcome = await compare({ ours: list(ours), bare: list(bare), rounds: 17, turns: 2, calls: 8, warmUp: 1 })
    figures.push({ name, measured: outcome.ratio, promise: { atMost }, note: versus(outcome) })
  }
  return figures
}

/** Makes one key of a domain unreadable, as a fault of the table could: its item has a field of another type. */
async function damageOne(domain: string): Promise<void> {
  const found = await localKeys.find(domain, 'name', 'key-0000500')
  if (found === undefined) throw new Error('There is no key to damage')
  const changes = new Changes()
  changes.plan(
    {
      update: itemKey(domain, localKeys.name, found.item.id),
      expression: 'SET #data = :data',
      names: { '#data': 'data' },
      values: { ':data': { S: JSON.stringify({ ...found.item, version: 'none' }) } },
    },
    () => new Error('It was changed meanwhile'),
  )
  await changes.commit(new Date())
}

/** A page of 1,000 keys of which one is damaged, against the same page without damage. */
async function damagedRatio(
  { vault, event }: BenchService,
  { damaged, intact }: Readonly<Record<'damaged' | 'intact', Login>>,
): Promise<Figure> {
  const list = (as: Login) => ({
    run: async (times: number) => {
      for (let at = 0; at < times; at++) {
        const answer = await vault(await event('GET', `/api/v1/vault/keys2?limit=${FEW}`, { as }), NO_CONTEXT)
        const { resources } = read(answer, 200) as { resources: unknown[] }
        if (resources.length < FEW - 1) throw new Error(`A page of ${resources.length} keys`)
      }
    },
  })
  const outcome = await compare({ ours: list(damaged), bare: list(intact), rounds: 17, turns: 2, calls: 2, warmUp: 1 })
  const name = 'list 1,000: with one damaged key / without'
  return { name, measured: outcome.ratio, promise: { atMost: 1.1 }, note: versus(outcome) }
}

async function tableReads(service: BenchService, pages: Pages): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, target] of Object.entries(pages)) {
    const { counts } = await tableCallsOf(service, target, 200)
    figures.push({ name: `list 100: table reads, ${name}`, measured: exactly(sumOf(counts)), note: listOf(counts) })
  }
  return figures
}

async function totalOf(
  { vault }: BenchService,
  name: string,
  target: Page,
  total: number,
  seeding?: string,
): Promise<Figure> {
  const shown = read(await vault(await target(), NO_CONTEXT), 200) as { total: number; resources: unknown[] }
  if (shown.resources.length !== LIMIT) throw new Error(`A page of ${shown.resources.length} keys`)
  return {
    name: `list 100: ${name}`,
    measured: exactly(shown.total),
    promise: { exactly: total },
    note: seeding === undefined ? '' : `seeded at ${seeding} a key`,
  }
}

async function administratorId({ event, administrator, deployment }: BenchService): Promise<string> {
  const self = await deployment.invoke('auth', await event('GET', '/api/v1/auth/self/user', { as: administrator }))
  const { user_id } = read(self, 200) as { user_id: string }
  return user_id
}
