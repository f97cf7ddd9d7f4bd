import type * as z from 'zod'
import { aclHolder } from '../../identity/acl-entries.ts'
import { blockable } from '../../emergency/targets.ts'
import { entity, type Entity } from '../../store/entity.ts'
import type { Family } from '../../store/layout.ts'
import { pageOf } from '../../store/list.ts'
import type { ContainerRow as RecordsRow } from '../cloud-row.ts'
import { connectionUser } from '../connections/users-of.ts'
import type { Acl } from './acl-model.ts'
import type { StoredContainer } from './kind.ts'

/** Fields that lists of every kind of container filter and sort by. */
interface Listed {
  readonly id: string
  readonly name: string
  readonly connection?: string | undefined
  readonly connection_id?: string | undefined
  readonly cloud_name: string
  readonly acls: Acl[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** Particulars of the records of one kind of container. */
interface Declared<T, R extends object> {
  readonly name: string
  readonly schema: z.ZodType<T>
  /** the value that is unique in a domain, by its kind */
  readonly unique: (container: T) => Readonly<Record<string, readonly string[]>>
  /** families besides that of the connection's users */
  readonly families?: (container: T) => Family[]
  /** further fields that lists filter and sort by */
  readonly row: (container: T) => R
}

const usersOfConnection = (id: string): string => `connection:${id}`

/** Reads served: a container by id; by its unique value; all containers of the kind; those that use a connection. */
export const containerEntity = <T extends StoredContainer & Listed, R extends object>({
  name,
  schema,
  unique,
  families,
  row,
}: Declared<T, R>): Entity<T, Listed & R> =>
  entity({
    name,
    schema,
    id: ({ id }) => id,
    unique,
    sets: () => ['all'],
    families: (container): Family[] => {
      const { id, connection_id: connection } = container
      const own = families?.(container) ?? []
      return connection === undefined ? own : [...own, { name: usersOfConnection(connection), key: id }]
    },
    row: (container) => {
      const { id, name: called, connection, connection_id, cloud_name, acls, createdAt, updatedAt } = container
      return { id, name: called, ...row(container), connection, connection_id, cloud_name, acls, createdAt, updatedAt }
    },
  })

/**
 * Facts about a kind of container for other rooms.
 * @param narrowBy a way to reduce their number, for refusals: `deleting projects`
 * @param isWithinAnother whether the container is removed with another one, and only that one is counted
 */
export const containerRecords = <T extends StoredContainer & { readonly name: string }, R extends { acls: Acl[] }>(
  containers: Entity<T, R>,
  narrowBy: string,
  isWithinAnother = false,
): RecordsRow => ({
  aclHolder: aclHolder(containers, narrowBy),
  blockable: blockable('container', containers),
  connectionUser: connectionUser(containers, (domain, id) => containers.members(domain, usersOfConnection(id))),
  ...(!isWithinAnother && {
    countIn: async (domain: string) => (await pageOf(containers, domain, 'all', { skip: 0, limit: 0 })).total,
  }),
})
