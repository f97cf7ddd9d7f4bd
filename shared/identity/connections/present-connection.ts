import { differences, without } from '../../base/fields.ts'
import type { Stored } from '../../store/entity.ts'
import { readMemberCounts } from '../groups/member-count.ts'
import { mappingsShown } from './group-mappings.ts'
import type { LoginConnection } from './model.ts'
import type { StoredLoginConnection } from './store.ts'

/** Connections of one domain as shown. Two reads, more per 100. */
export async function presentLoginConnections(
  domain: string,
  stored: readonly Stored<StoredLoginConnection>[],
): Promise<LoginConnection[]> {
  const items = stored.map(({ item }) => item)
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

/** One connection as shown. */
export async function shownLoginConnection(
  domain: string,
  { item, rev }: Stored<StoredLoginConnection>,
): Promise<Stored<LoginConnection>> {
  const [shown] = await presentLoginConnections(domain, [{ item, rev }])
  if (shown === undefined) throw new Error('One connection presented as none')
  return { item: shown, rev }
}

const AUDITED = [
  'name',
  'description',
  'strategy',
  'enabled',
  'create_users',
  'group_mappings',
  'ldap',
  'oidc',
] as const

/** A change as audit records describe it: a changed secret is only mentioned. */
export function toldOf(before: Partial<StoredLoginConnection>, after: Partial<StoredLoginConnection>) {
  const told = differences(before, after, AUDITED)
  return before.sealed === after.sealed ? told : { ...told, after: { ...told.after, secret: 'changed' } }
}
