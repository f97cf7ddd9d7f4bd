import { uuid } from '../../base/ids.ts'
import { SYSTEM_GROUPS } from './model.ts'
import type { StoredGroup } from './store.ts'

/** The groups every domain begins with, `admin` first. */
export const systemGroups = (now: Date): StoredGroup[] =>
  SYSTEM_GROUPS.map((name) => ({
    id: uuid(now),
    name,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  }))

/** One of a new domain's groups. @throws Error, a fault, for a name that is none of theirs */
export function groupNamed(groups: readonly StoredGroup[], name: string): StoredGroup {
  const group = groups.find((one) => one.name === name)
  if (group === undefined) throw new Error(`A new domain has no group ${name}`)
  return group
}
