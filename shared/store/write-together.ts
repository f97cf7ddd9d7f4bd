import { Changes, Stale } from './changes.ts'

/** Items that one transaction changes, each with its list rows and family positions. */
const WRITES_TOGETHER = 15

/** Writes changed items, some at a time; items that another writer changed first are skipped. @returns those written */
export async function writeTogether<I>(
  items: readonly I[],
  now: Date,
  stage: (changes: Changes, item: I) => void,
): Promise<I[]> {
  const commit = async (some: readonly I[]): Promise<readonly I[]> => {
    const changes = new Changes()
    for (const item of some) stage(changes, item)
    try {
      await changes.commit(now)
      return some
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      if (some.length === 1) return []
      const alone: I[] = []
      for (const item of some) alone.push(...(await commit([item])))
      return alone
    }
  }
  const written: I[] = []
  for (let at = 0; at < items.length; at += WRITES_TOGETHER)
    written.push(...(await commit(items.slice(at, at + WRITES_TOGETHER))))
  return written
}
