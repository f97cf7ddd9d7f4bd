import { Session, type Profiler } from 'node:inspector/promises'

/** Blocks of our own code that have run, as the runtime counts them. */
export interface Coverage {
  /** Number of blocks that ran for the first time since the last call. */
  readonly fresh: () => Promise<number>
  readonly total: () => number
  readonly stop: () => Promise<void>
}

const OURS = /\/(?:shared|clients)\//

/** Counts blocks of this process's modules with the profiler of V8. */
export async function startCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const seen = new Set<string>()
  const note = ({ scriptId, functions }: Profiler.ScriptCoverage): void => {
    for (const { ranges } of functions)
      for (const { startOffset, endOffset, count } of ranges)
        if (count > 0) seen.add(`${scriptId}:${startOffset}-${endOffset}`)
  }
  return {
    fresh: async () => {
      const before = seen.size
      const { result } = await session.post('Profiler.takePreciseCoverage')
      for (const script of result) if (OURS.test(script.url)) note(script)
      return seen.size - before
    },
    total: () => seen.size,
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}
