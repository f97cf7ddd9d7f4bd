import { Refusal } from '../../base/errors.ts'
import { commonFields, resourceUri, uuid } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { connectionById, findConnectionOf } from '../connections/find-connection.ts'
import type { ConnectionOf } from '../connections/store.ts'
import { called, type ContainerKind, type ContainerRow, type StoredContainer } from './kind.ts'

/** Fields of a container that is accessed through a connection. */
export const connectedBy = <Name>({
  name: connection,
  id: connection_id,
  cloud_name,
}: {
  readonly name: string
  readonly id: string
  readonly cloud_name: Name
}) => ({ connection, connection_id, cloud_name })

/** Fields of a new container that is accessed through a connection. @param resource its segment in URIs */
export function newContainer<Name>(
  domain: string,
  resource: string,
  connection: Parameters<typeof connectedBy<Name>>[0],
  now: Date,
) {
  const id = uuid(now)
  const common = commonFields(domain, id, resourceUri(domain, 'keymgr', resource, id), now)
  return { ...common, ...connectedBy(connection), acls: [] }
}

/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionInBody = <Fields extends object = object>(
  service: string,
  context: Pick<Context, 'caller'>,
  nameOrId: string,
): Promise<Stored<ConnectionOf<Fields>>> =>
  findConnectionOf<Fields>(service, context, nameOrId, {
    pointer: '#/connection',
    detail: `is no connection to ${service} of this domain`,
  })

/** A container's own connection. @throws Refusal STATE_CONFLICT when it was deleted by force */
export async function connectionOfContainer<
  Fields extends object,
  T extends StoredContainer,
  R extends ContainerRow,
  S,
>(service: string, kind: ContainerKind<T, R, S>, domain: string, container: T): Promise<Stored<ConnectionOf<Fields>>> {
  const stored = await connectionById<Fields>(service, domain, container.connection_id)
  if (stored !== undefined) return stored
  throw new Refusal('STATE_CONFLICT', `${called(kind, container)} has lost its connection: give it another one.`)
}
