import { uuid } from '../../base/ids.ts'
import { SYSTEM_GROUPS } from './model.ts'
import type { StoredGroup } from './store.ts'

/** The initial groups of a domain, `admin` first. */
export const systemGroups = (now: Date): StoredGroup[] =>
  SYSTEM_GROUPS.map((name) => ({
    id: uuid(now),
    name,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  }))

/** The group with this name among a new domain's groups. @throws Error, a fault, for any other name */
export function groupNamed(groups: readonly StoredGroup[], name: string): StoredGroup {
  const group = groups.find((one) => one.name === name)
  if (group === undefined) throw new Error(`A new domain has no group ${name}`)
  return group
}
