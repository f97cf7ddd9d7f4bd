import { countOf } from '../../../store/list.ts'
import { countsOf, readRank } from '../../../store/rank.ts'
import { KEY_STATES } from '../model.ts'
import { localKeys } from '../store.ts'

/** Number of keys of a domain, not counting former versions. */
export const countKeys = (domain: string): Promise<number> => countOf(localKeys, domain, 'latest')

/** The same by the state of their latest version. One read. */
export async function countKeysByState(domain: string): Promise<Readonly<Record<string, number>>> {
  const rank = await readRank(domain, localKeys.name)
  const countIn = (set: string) => countsOf(rank, set).reduce((sum, count) => sum + count, 0)
  return Object.fromEntries(KEY_STATES.map((state) => [state, countIn(`state:${state}`)]))
}
