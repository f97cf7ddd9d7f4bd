import { without } from '../../base/fields.ts'
import { readMemberCounts } from '../groups/member-count.ts'
import { mappingsShown } from './group-mappings.ts'
import type { LoginConnection } from './model.ts'
import type { StoredLoginConnection } from './store.ts'

/** Connections of one domain in the form of answers. Two reads, more per 100. */
export async function presentLoginConnections(
  domain: string,
  items: readonly StoredLoginConnection[],
): Promise<LoginConnection[]> {
  const [counts, mappings] = await Promise.all([
    readMemberCounts(
      domain,
      items.map(({ id }) => id),
    ),
    mappingsShown(
      domain,
      items.map(({ group_mappings }) => group_mappings),
    ),
  ])
  return items.map((item, at) => ({
    ...without(item, 'sealed'),
    group_mappings: mappings[at] ?? [],
    users_count: counts[at] ?? 0,
  }))
}
