import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { connectionById, findConnectionOf } from '../connections/find-connection.ts'
import type { ConnectionOf, StoredConnection } from '../connections/store.ts'
import { called, type ContainerKind, type ContainerRow, type StoredContainer } from './kind.ts'

/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionInBody = <Service extends StoredConnection['service']>(
  service: Service,
  context: Pick<Context, 'caller'>,
  nameOrId: string,
): Promise<Stored<ConnectionOf<Service>>> =>
  findConnectionOf(service, context, nameOrId, {
    pointer: '#/connection',
    detail: `is no connection to ${service} of this domain`,
  })

/** A container's own connection. @throws Refusal STATE_CONFLICT when it was deleted by force */
export async function connectionOfContainer<
  Service extends StoredConnection['service'],
  T extends StoredContainer,
  R extends ContainerRow,
  S,
>(
  service: Service,
  kind: ContainerKind<T, R, S>,
  domain: string,
  container: T,
): Promise<Stored<ConnectionOf<Service>>> {
  const stored = await connectionById(service, domain, container.connection_id)
  if (stored !== undefined) return stored
  throw new Refusal('STATE_CONFLICT', `${called(kind, container)} has lost its connection: give it another one.`)
}
