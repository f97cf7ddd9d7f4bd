import type { GroupDirectory } from '../../http/group-directory.ts'
import { groups } from './store.ts'

/** The groups of a domain by id and name. */
export const directory: GroupDirectory = {
  idsOf: async (domain, names) => {
    const held = await Promise.all(
      names.map(async (name) => [name, await groups.holder(domain, 'name', name)] as const),
    )
    return new Map(held.flatMap(([name, id]) => (id === undefined ? [] : [[name, id] as const])))
  },
  namesOf: async (domain, ids) =>
    new Map((await groups.getMany(domain, ids, 'leave out')).map(({ item }) => [item.id, item.name] as const)),
}
