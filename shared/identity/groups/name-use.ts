import { Stale, type Changes } from '../../store/changes.ts'
import type { Key } from '../../store/layout.ts'
import { getItem, whole, type Attributes } from '../../store/table.ts'

/**
 * Permissions of containers refer to groups by name. A name must not move to another group while permissions are
 * granted to it, so each domain counts two events: names used in permissions, and names released by groups. Each writer
 * requires that the other count has not changed since it was read. Writers of the same kind do not conflict.
 */
type Counted = 'used' | 'given_up'

const keyOf = (domain: string): Key => ({ pk: `${domain}#group-name-use`, sk: 'counts' })

const changedMeanwhile = (): Error => new Stale('The names of groups and their permissions changed meanwhile')

async function count(changes: Changes, domain: string, counted: Counted, relied: Counted): Promise<void> {
  const item = await getItem(keyOf(domain))
  const seen: Attributes = item?.[relied] ? { ':seen': { N: String(whole(item, relied)) } } : {}
  changes.plan(
    {
      update: keyOf(domain),
      expression: `ADD ${counted} :one`,
      condition: ':seen' in seen ? `${relied} = :seen` : `attribute_not_exists(${relied})`,
      values: { ':one': { N: '1' }, ...seen },
    },
    changedMeanwhile,
  )
}

/**
 * Must be called before the lookup of groups that receive permissions: the commit fails with `Stale` if a name was
 * released meanwhile.
 */
export const relyOnGroupNames = (changes: Changes, domain: string): Promise<void> =>
  count(changes, domain, 'used', 'given_up')

/**
 * Must be called before the lookup of permissions of a group that releases its name: the commit fails with `Stale` if
 * any were granted.
 */
export const releaseGroupName = (changes: Changes, domain: string): Promise<void> =>
  count(changes, domain, 'given_up', 'used')

/** Removes the counts with their domain. */
export const dropGroupNameUse = (changes: Changes, domain: string): void =>
  changes.plan({ remove: keyOf(domain) }, changedMeanwhile)
