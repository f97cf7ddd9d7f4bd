import { describe, expect, test } from 'vitest'
import { MOST_BYTES } from './target.ts'
import { TARGETS } from './targets.ts'

/** Processor time, so that other processes do not count. The best of some rounds, so that collecting does not either. */
const MOST_MS = 150
const ROUNDS = 3
const MOST_MEMORY = 64 * 1_024 * 1_024

/** What an input costs: milliseconds of this thread, and bytes that were added to heap and buffers. */
async function costOf(parse: () => unknown): Promise<{ ms: number; bytes: number }> {
  const held = (): number => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = held()
  const start = process.threadCpuUsage()
  await parse()
  const { user, system } = process.threadCpuUsage(start)
  return { ms: (user + system) / 1_000, bytes: held() - before }
}

describe.each(Object.keys(TARGETS))('parser %s', (name) => {
  test('reads well-formed and hostile input without a crash, in bounded time and memory', async () => {
    const loaded = await TARGETS[name]?.()
    if (loaded === undefined) throw new Error(`There is no parser ${name}`)
    const { parse, seeds, shapes } = loaded.target
    for (const seed of seeds()) await parse(Buffer.from(seed))
    for (const [shape, input] of Object.entries(shapes())) {
      const bytes = Buffer.from(input)
      expect(bytes.length, shape).toBeLessThanOrEqual(MOST_BYTES + 1_024)
      let [ms, memory] = [Infinity, Infinity]
      for (let round = 0; round < ROUNDS && (ms > MOST_MS || memory > MOST_MEMORY); round++) {
        const cost = await costOf(() => parse(bytes))
        ms = Math.min(ms, cost.ms)
        memory = Math.min(memory, cost.bytes)
      }
      expect(ms, `${shape}: milliseconds`).toBeLessThanOrEqual(MOST_MS)
      expect(memory, `${shape}: bytes`).toBeLessThanOrEqual(MOST_MEMORY)
    }
  })
})
