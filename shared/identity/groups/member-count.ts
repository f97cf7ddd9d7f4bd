import { Refusal } from '../../base/errors.ts'
import { Stale, type Changes } from '../../store/changes.ts'
import { getItem, getItems, text, whole, type Write } from '../../store/table.ts'
import type { Key } from '../../store/layout.ts'

/**
 * The number of members of a group, in a separate item that is only incremented, so that concurrent changes of
 * memberships do not conflict. For the group `admin`, enabled members are counted too, so that a write condition keeps
 * the last one.
 */
export interface MemberChange {
  /** members added (positive) or removed (negative) */
  readonly users: number
  /** number of enabled ones among them; counted only if one must remain */
  readonly enabled?: number
}

const partition = (domain: string): string => `${domain}#member-count`
const keyOf = (domain: string, groupId: string): Key => ({ pk: partition(domain), sk: groupId })

const changedMeanwhile = (): Error => new Stale('The group or its members changed meanwhile')

export const lastAdministrator = (): Refusal =>
  new Refusal('STATE_CONFLICT', 'This would leave the group admin without an enabled member.')

/** Member counts of some groups, in the order of `groupIds`. One read per 100. */
export async function readMemberCounts(domain: string, groupIds: readonly string[]): Promise<number[]> {
  const items = await getItems(groupIds.map((id) => keyOf(domain, id)))
  const counts = new Map(items.map((item) => [text(item, 'sk'), whole(item, 'members')]))
  return groupIds.map((id) => counts.get(id) ?? 0)
}

/**
 * Stages a change of a group's member count, once per group and request. The commit fails with `Stale` if the group is
 * deleted, and with STATE_CONFLICT if it would remove the last enabled member where one must remain.
 */
export function countMembers(changes: Changes, domain: string, groupId: string, change: MemberChange): void {
  const { users, enabled } = change
  const adds = [
    ...(users === 0 ? [] : ['members :users']),
    ...(enabled === undefined || enabled === 0 ? [] : ['enabled :enabled']),
  ]
  if (adds.length === 0) return
  const guarded = enabled !== undefined && enabled < 0
  const write: Write = {
    update: keyOf(domain, groupId),
    expression: `ADD ${adds.join(', ')}`,
    ...(guarded ? { condition: 'enabled > :going' } : users < 0 ? { condition: 'members >= :going' } : {}),
    values: {
      ...(users !== 0 && { ':users': { N: String(users) } }),
      ...(enabled !== undefined && enabled !== 0 && { ':enabled': { N: String(enabled) } }),
      ...(guarded ? { ':going': { N: String(-enabled) } } : users < 0 && { ':going': { N: String(-users) } }),
    },
  }
  changes.plan(write, guarded ? lastAdministrator : changedMeanwhile)
}

/**
 * Stages that registered clients join or leave a group. They are counted separately: `users_count` counts only users.
 * The commit fails with `Stale` if the group is deleted.
 */
export function countClients(changes: Changes, domain: string, groupId: string, by: 1 | -1): void {
  const write: Write = {
    update: keyOf(domain, groupId),
    expression: 'ADD clients :by',
    ...(by < 0 && { condition: 'clients >= :one' }),
    values: { ':by': { N: String(by) }, ...(by < 0 && { ':one': { N: '1' } }) },
  }
  changes.plan(write, changedMeanwhile)
}

/** Number of clients that were added to a group. One read. */
export async function readClientCount(domain: string, groupId: string): Promise<number> {
  const item = await getItem(keyOf(domain, groupId))
  return item === undefined ? 0 : whole(item, 'clients')
}

/** Deletes the count of a deleted group, whatever its value. */
export function dropMemberCount(changes: Changes, domain: string, groupId: string): void {
  changes.plan({ remove: keyOf(domain, groupId) }, changedMeanwhile)
}

/** Deletes the count of a deleted group without users and clients. The commit fails with `Stale` if it has any. */
export function dropEmptyMemberCount(changes: Changes, domain: string, groupId: string): void {
  const isNone = (count: string): string => `(attribute_not_exists(${count}) OR ${count} = :none)`
  const condition = `${isNone('members')} AND ${isNone('clients')}`
  changes.plan({ remove: keyOf(domain, groupId), condition, values: { ':none': { N: '0' } } }, changedMeanwhile)
}
