import { ROOT_DOMAIN_ID } from '../shared/base/ids.ts'
import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import { seedKeys } from './seed-keys.ts'
import { scaled } from './scale.ts'
import { assertStatus, NO_CONTEXT, passTime, startService } from './service.ts'

const KEYS = scaled(10_000, 1_000)
/** Names of almost the maximum length, which each pattern reads almost completely. */
const nameOf = (n: number): string => `b${'a'.repeat(240)}${String(n).padStart(7, '0')}`

/** As many patterns as a query may have. Each reads a whole name before it fails. */
const WORST = {
  'with ? in every piece': Array.from({ length: 64 }, () => '*?b*'),
  'with many stars': Array.from({ length: 36 }, () => '*b*b*a'),
  'in one long pattern': [`*${'a?'.repeat(125)}b*`],
  'in a few long patterns': Array.from({ length: 8 }, () => `*${'a?'.repeat(14)}b*`),
}

/** A list with the worst patterns against the same walk over the same rows with another filter. */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const { vault, event, administrator: as } = service
    const body = { name: 'template', algorithm: 'aes', size: 256 }
    assertStatus(await vault(await event('POST', '/api/v1/vault/keys2', { body, as }), NO_CONTEXT), 201)
    await seedKeys(ROOT_DOMAIN_ID, 'template', KEYS, nameOf)
    passTime(service.deployment)
    const list = (query: string) => ({
      run: async (times: number) => {
        for (let at = 0; at < times; at++)
          assertStatus(await vault(await event('GET', `/api/v1/vault/keys2?${query}`, { as }), NO_CONTEXT), 200)
      },
    })
    const figures: Figure[] = []
    for (const [name, patterns] of Object.entries(WORST)) {
      const worst = `name=${encodeURIComponent(patterns.join(','))}`
      const outcome = await compare({ ours: list(worst), bare: list('size=128'), rounds: 7, turns: 1, calls: 1 })
      figures.push({
        name: `list ${KEYS.toLocaleString('en')}: patterns ${name} / a plain filter`,
        measured: outcome.ratio,
        promise: { atMost: 5 },
        note: versus(outcome),
      })
    }
    return figures
  } finally {
    await service.stop()
  }
}
