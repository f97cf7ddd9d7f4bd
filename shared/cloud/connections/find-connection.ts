import type { Context } from '../../http/context.ts'
import { notThere, type BrokenField } from '../../base/errors.ts'
import { Uuid } from '../../http/common-fields.ts'
import type { Stored } from '../../store/entity.ts'
import { connections, type ConnectionOf, type StoredConnection } from './store.ts'

const NOT_THERE = 'There is no such connection.'

/**
 * A connection by id or name; an id takes precedence over the equal name of another connection. One read by id, two by
 * name.
 * @param field of the body that names it, for the refusal
 * @throws Refusal NOT_FOUND
 */
export async function findConnection(
  { caller }: Pick<Context, 'caller'>,
  nameOrId: string,
  field?: BrokenField,
): Promise<Stored<StoredConnection>> {
  const domain = caller.domain.id
  const byId = Uuid.safeParse(nameOrId).success ? await connections.get(domain, nameOrId) : undefined
  const stored = byId ?? (await connections.find(domain, 'name', nameOrId))
  if (stored === undefined) throw notThere(NOT_THERE, field)
  return stored
}

/** Whether a connection is to the service, whose kind created it with these fields. */
const isOf = <Fields extends object>(
  service: string,
  stored: Stored<StoredConnection>,
): stored is Stored<ConnectionOf<Fields>> => stored.item.service === service

/** As `findConnection`, for one service: connections to other services are not found. @throws Refusal NOT_FOUND */
export async function findConnectionOf<Fields extends object = object>(
  service: string,
  context: Pick<Context, 'caller'>,
  nameOrId: string,
  field?: BrokenField,
): Promise<Stored<ConnectionOf<Fields>>> {
  const stored = await findConnection(context, nameOrId, field)
  if (!isOf<Fields>(service, stored)) throw notThere(NOT_THERE, field)
  return stored
}

/** The connection that a record refers to by id, if it exists and belongs to the service. One read. */
export async function connectionById<Fields extends object = object>(
  service: string,
  domain: string,
  id: string | undefined,
): Promise<Stored<ConnectionOf<Fields>> | undefined> {
  const stored = id === undefined ? undefined : await connections.get(domain, id)
  return stored !== undefined && isOf<Fields>(service, stored) ? stored : undefined
}
