import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { cloudAKms, kmsOfConnection } from '../../clouds/cloud-a/kms/store.ts'
import { cloudCProjects, projectsOfConnection } from '../../clouds/cloud-c/projects/store.ts'
import { cloudCRings, ringsOfConnection } from '../../clouds/cloud-c/rings/store.ts'
import type { Entity } from '../../store/entity.ts'

/** A kind of record that refers to connections: which of them one has, and how they do without it. */
interface UserKind {
  readonly using: (domain: string, connectionId: string) => Promise<readonly string[]>
  /** Stages that they have no connection; they fail until they are given another. */
  readonly detach: (context: Context, ids: readonly string[]) => Promise<void>
}

interface Using {
  connection?: string | undefined
  connection_id?: string | undefined
  updatedAt: string
}

const userKind = <T extends Using, R>(entity: Entity<T, R>, using: UserKind['using']): UserKind => ({
  using,
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

/** A row for each kind; whoever begins to refer to a connection calls `proveConnection`. */
const USER_KINDS: readonly UserKind[] = [
  userKind(cloudAKms, kmsOfConnection),
  userKind(cloudCProjects, projectsOfConnection),
  userKind(cloudCRings, ringsOfConnection),
]

/** Ours: as many as fit one transaction. */
const USERS_AT_ONCE = 20

/** Ids of the records that use a connection. A read for each kind. */
export async function usersOf(domain: string, connectionId: string): Promise<readonly string[]> {
  const found = await Promise.all(USER_KINDS.map(({ using }) => using(domain, connectionId)))
  return found.flat()
}

/**
 * Stages that whatever uses a connection loses it.
 * @throws Refusal IN_USE when that is more than one transaction can change
 */
export async function detachConnection(context: Context, connectionId: string): Promise<void> {
  let users = 0
  for (const { using, detach } of USER_KINDS) {
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
