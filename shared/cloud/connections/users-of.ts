import { counted } from '../../base/counted.ts'
import { loadedOf, type Load } from '../../base/room.ts'
import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import type { Entity } from '../../store/entity.ts'
import { wakeWaiting } from '../../work/sagas/store.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    /** Kinds of record that refer to connections; each calls `proveConnection` before its first use of one. */
    readonly connectionUsers?: Load<readonly ConnectionUser[]>
  }
}

/** A kind of record that refers to connections: finds the users of a connection, and detaches them. */
export interface ConnectionUser {
  readonly using: (domain: string, connectionId: string) => Promise<readonly string[]>
  readonly namesOf: (domain: string, ids: readonly string[]) => Promise<readonly string[]>
  /** Stages their records without a connection; they fail until they get another one. */
  readonly detach: (context: Context, ids: readonly string[]) => Promise<void>
}

interface Using {
  name?: string | undefined
  uri: string
  connection?: string | undefined
  connection_id?: string | undefined
  updatedAt: string
}

/** Users that name their connection in `connection` and `connection_id`. */
export const connectionUser = <T extends Using, R>(
  entity: Entity<T, R>,
  using: ConnectionUser['using'],
): ConnectionUser => ({
  using,
  namesOf: async (domain, ids) =>
    (await entity.getMany(domain, ids, 'leave out')).map(({ item }) => item.name ?? item.uri),
  detach: async ({ caller, changes, now }, ids) => {
    const domain = caller.domain.id
    const updatedAt = now.toISOString()
    for (const stored of await entity.getMany(domain, ids))
      changes.update(entity, domain, stored, {
        ...stored.item,
        connection: undefined,
        connection_id: undefined,
        updatedAt,
      })
  },
})

const loadedUsers = async (): Promise<ConnectionUser[]> => (await loadedOf('connectionUsers')).flat()

/** Ours: as many as fit into one transaction. */
const USERS_AT_ONCE = 20

/** Ids of the records that use a connection. One read for each kind. */
export async function usersOf(domain: string, connectionId: string): Promise<readonly string[]> {
  const found = await Promise.all((await loadedUsers()).map(({ using }) => using(domain, connectionId)))
  return found.flat()
}

/** Ours: a refusal names this many users of a connection. */
const NAMED_MOST = 5

/** Number and names of the records that use a connection, for a refusal: `2 records use the connection: shop, ring`. */
export async function describeUsers(domain: string, connectionId: string): Promise<string | undefined> {
  const found = await Promise.all(
    (await loadedUsers()).map(async ({ using, namesOf }) => {
      const ids = await using(domain, connectionId)
      return { count: ids.length, names: await namesOf(domain, ids.slice(0, NAMED_MOST)) }
    }),
  )
  const count = found.reduce((sum, one) => sum + one.count, 0)
  if (count === 0) return undefined
  const names = found.flatMap((one) => one.names).slice(0, NAMED_MOST)
  const more = count > names.length ? ` and ${count - names.length} more` : ''
  return `${counted(count, 'record uses', 'records use')} the connection: ${names.join(', ')}${more}`
}

/** Makes work of its containers that waits for the connection's credentials due after the commit. */
export const wakeUsers = ({ caller, now, afterCommit }: Context, connectionId: string): void =>
  afterCommit(async () => wakeWaiting(caller.domain.id, await usersOf(caller.domain.id, connectionId), now))

/**
 * Stages that all users of a connection lose it.
 * @throws Refusal IN_USE when one transaction cannot change them all
 */
export async function detachConnection(context: Context, connectionId: string): Promise<void> {
  let users = 0
  for (const { using, detach } of await loadedUsers()) {
    const ids = await using(context.caller.domain.id, connectionId)
    users += ids.length
    if (users > USERS_AT_ONCE)
      throw new Refusal(
        'IN_USE',
        `More than ${USERS_AT_ONCE} containers use the connection: give some another one first.`,
      )
    await detach(context, ids)
  }
}
