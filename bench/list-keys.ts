import { exactly, type Figure } from './figure.ts'
import { compare, milliseconds, versus } from './rounds.ts'
import { seedKeys } from './seed-keys.ts'
import { scaled } from './scale.ts'
import {
  assertStatus,
  listOf,
  NO_CONTEXT,
  read,
  startService,
  sumOf,
  tableCallsOf,
  type BenchService,
} from './service.ts'

const FEW = 1_000
const MANY = scaled(100_000, 8_000)
const LIMIT = 100

/** A page of 100 keys: the cost of `skip` and of the number of keys, and whether `total` is exact. */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const { vault, event, token, logIn, deployment } = service
    const me = await administratorId(service)
    const domainOf = async (name: string): Promise<{ id: string; token: string }> => {
      const body = { name, admins: [me] }
      const made = await deployment.invoke('users', event('POST', '/api/v1/domains', { body, token }))
      return { id: (read(made, 201) as { id: string }).id, token: await logIn(name) }
    }
    const few = await domainOf('few')
    const many = await domainOf('many')
    const body = { name: 'template', algorithm: 'aes', size: 256, labels: { purpose: 'bench' } }
    for (const each of [few, many])
      assertStatus(await vault(event('POST', '/api/v1/vault/keys2', { body, token: each.token }), NO_CONTEXT), 201)
    await seedKeys(few.id, 'template', FEW - 1)
    const from = performance.now()
    await seedKeys(many.id, 'template', MANY - 1)
    const seeding = milliseconds((performance.now() - from) / MANY)

    const page = (domain: { token: string }, skip: number) => () =>
      event('GET', `/api/v1/vault/keys2?skip=${skip}&limit=${LIMIT}`, { token: domain.token })
    const pages = {
      front: page(many, 0),
      back: page(many, MANY * 0.9),
      // Where 90 % lands in its bucket is chance; half a bucket further is another place, and the middle costs most.
      between: page(many, MANY * 0.9 + 500),
      few: page(few, 0),
    }
    const list = (target: ReturnType<typeof page>) => ({
      run: async (times: number) => {
        for (let at = 0; at < times; at++) assertStatus(await vault(target(), NO_CONTEXT), 200)
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
    for (const [name, target] of Object.entries(pages)) {
      const { counts } = await tableCallsOf(service, target, 200)
      figures.push({ name: `list 100: table reads, ${name}`, measured: exactly(sumOf(counts)), note: listOf(counts) })
    }
    for (const [name, target, total] of [
      ['total of 1,000', pages.few, FEW],
      [`total of ${MANY.toLocaleString('en')}`, pages.between, MANY],
    ] as const) {
      const shown = read(await vault(target(), NO_CONTEXT), 200) as { total: number; resources: unknown[] }
      if (shown.resources.length !== LIMIT) throw new Error(`A page of ${shown.resources.length} keys`)
      figures.push({
        name: `list 100: ${name}`,
        measured: exactly(shown.total),
        promise: { exactly: total },
        note: total === MANY ? `seeded at ${seeding} a key` : '',
      })
    }
    return figures
  } finally {
    await service.stop()
  }
}

async function administratorId({ event, token, deployment }: BenchService): Promise<string> {
  const self = await deployment.invoke('auth', event('GET', '/api/v1/auth/self/user', { token }))
  const { user_id } = read(self, 200) as { user_id: string }
  return user_id
}
