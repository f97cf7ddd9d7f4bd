import { notThere } from '../../base/errors.ts'
import { groups } from '../groups/store.ts'
import type { GroupMapping } from './model.ts'
import type { StoredLoginConnection } from './store.ts'

type Mappings = StoredLoginConnection['group_mappings']

/**
 * Mappings with ids of groups, which do not change with names. @throws Refusal NOT_FOUND that names the first missing
 * group
 */
export function mappingsToStore(domain: string, given: readonly GroupMapping[]): Promise<Mappings> {
  return Promise.all(
    given.map(async ({ external, group }, at) => {
      const id = await groups.holder(domain, 'name', group)
      if (id === undefined)
        throw notThere(`There is no group "${group}".`, {
          pointer: `#/group_mappings/${at}/group`,
          detail: 'is no group of this domain',
        })
      return { external, group_id: id }
    }),
  )
}

/** Mappings in the form of answers, without deleted groups. */
export async function mappingsShown(domain: string, stored: readonly Mappings[]): Promise<GroupMapping[][]> {
  const ids = [...new Set(stored.flatMap((mappings) => mappings.map(({ group_id }) => group_id)))]
  const names = new Map((await groups.getMany(domain, ids, 'leave out')).map(({ item }) => [item.id, item.name]))
  return stored.map((mappings) =>
    mappings.flatMap(({ external, group_id }) => {
      const group = names.get(group_id)
      return group === undefined ? [] : [{ external, group }]
    }),
  )
}
