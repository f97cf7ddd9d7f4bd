import { describe, expect, test } from 'vitest'
import { HANG_MS } from '../support/hang.ts'
import { keptOf } from './corpus.ts'
import { costOf, MOST_MEMORY } from './cost.ts'
import { MOST_BYTES, type Target } from './target.ts'
import { TARGETS } from './targets.ts'

describe.each(Object.entries(TARGETS))('parser %s', (name, load) => {
  /** Inputs with their names. */
  const inputsOf = ({ seeds, shapes }: Target): (readonly [string, Buffer])[] => [
    ...seeds().map((seed, at) => [`seed ${at}`, Buffer.from(seed)] as const),
    ...Object.entries(shapes()).map(([shape, input]) => [shape, Buffer.from(input)] as const),
    ...keptOf('corpus', name),
    ...keptOf('crashes', name),
  ]

  test('reads well-formed and hostile input without a crash, in bounded time and memory', async () => {
    const { target } = await load()
    for (const [what, bytes] of inputsOf(target)) {
      expect(bytes.length, what).toBeLessThanOrEqual(MOST_BYTES + 1_024)
      const cost = await costOf(() => target.parse(bytes))
      expect(cost.ms, `${what}: milliseconds`).toBeLessThanOrEqual(HANG_MS)
      expect(cost.bytes, `${what}: bytes`).toBeLessThanOrEqual(MOST_MEMORY)
    }
  })
})
