import type { Stored } from '../../store/entity.ts'
import { entity } from '../../store/entity.ts'
import { KeyPolicy } from './model.ts'

const ENABLED = 'enabled'

/** Reads served: a policy by id; by name; all of a domain; the enabled ones, oldest first. */
export const keyPolicies = entity({
  name: 'key-policy',
  schema: KeyPolicy,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  families: ({ id, enabled }) => (enabled ? [{ name: ENABLED, key: id }] : []),
  row: ({ id, name, enabled, createdAt, updatedAt }) => ({ id, name, enabled, createdAt, updatedAt }),
})

/** The enabled policies of a domain, oldest first. One read if there are none, else two. */
export async function enabledPolicies(domain: string): Promise<readonly Stored<KeyPolicy>[]> {
  const ids = await keyPolicies.members(domain, ENABLED)
  return ids.length === 0 ? [] : keyPolicies.getMany(domain, ids)
}
