/** Ours: the bounds for 64 KB in a run of random inputs: processor time, in which other processes do not count, and memory. */
const MOST_MS = 150
export const MOST_MEMORY = 64 * 1_024 * 1_024

const ROUNDS = 8

export interface Cost {
  readonly ms: number
  readonly bytes: number
}

/** Milliseconds of this thread, and bytes that were added to heap and buffers. */
async function costOfOne(parse: () => unknown): Promise<Cost> {
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

export const isTooMuch = ({ ms, bytes }: Cost): boolean => ms > MOST_MS || bytes > MOST_MEMORY

/**
 * Minimum of several rounds, so that compilation and garbage collection do not count. One round if it is within the
 * limits.
 */
export async function costOf(parse: () => unknown): Promise<Cost> {
  let cost = await costOfOne(parse)
  for (let round = 1; round < ROUNDS && isTooMuch(cost); round++) {
    const { ms, bytes } = await costOfOne(parse)
    cost = { ms: Math.min(ms, cost.ms), bytes: Math.min(bytes, cost.bytes) }
  }
  return cost
}
