import { Stale, type Changes } from '../../store/changes.ts'
import type { Key } from '../../store/layout.ts'
import { getItem, whole, type Attributes } from '../../store/table.ts'

/**
 * Containers name groups in their permissions by name. So that a name does not change hands while somebody is given
 * permissions under it, each domain counts both: names used in permissions, and names that groups gave up. Whoever does
 * the one relies on nobody having done the other since they looked; among themselves neither are in each other's way.
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

/** Before groups are looked up that are to have permissions: refused at commit as `Stale` when one gave its name up. */
export const relyOnGroupNames = (changes: Changes, domain: string): Promise<void> =>
  count(changes, domain, 'used', 'given_up')

/** Before the permissions of a group are looked up whose name goes: refused at commit as `Stale` when any were given. */
export const releaseGroupName = (changes: Changes, domain: string): Promise<void> =>
  count(changes, domain, 'given_up', 'used')

/** With the domain. */
export const dropGroupNameUse = (changes: Changes, domain: string): void =>
  changes.plan({ remove: keyOf(domain) }, changedMeanwhile)
