import type { Context } from '../../http/context.ts'
import { notThere, type BrokenField } from '../../base/errors.ts'
import { Uuid } from '../../http/common-fields.ts'
import { connections, type ConnectionOf, type StoredConnection } from './store.ts'
import type { Stored } from '../../store/entity.ts'

const NOT_THERE = 'There is no such connection.'

/**
 * A connection by id or name; an id goes before another's name that reads the same. One read by id, two by name.
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

/** As `findConnection`, among those of one kind: another kind's is not there. @throws Refusal NOT_FOUND */
export async function findConnectionOf<Kind extends StoredConnection['service']>(
  kind: Kind,
  context: Pick<Context, 'caller'>,
  nameOrId: string,
  field?: BrokenField,
): Promise<Stored<ConnectionOf<Kind>>> {
  const { item, rev } = await findConnection(context, nameOrId, field)
  if (!isOf(kind, item)) throw notThere(NOT_THERE, field)
  return { item, rev }
}

const isOf = <Kind extends StoredConnection['service']>(
  kind: Kind,
  item: StoredConnection,
): item is ConnectionOf<Kind> => item.service === kind

/** The connection a record refers to by id, if it is there and of the kind. One read. */
export async function connectionById<Kind extends StoredConnection['service']>(
  kind: Kind,
  domain: string,
  id: string | undefined,
): Promise<Stored<ConnectionOf<Kind>> | undefined> {
  const stored = id === undefined ? undefined : await connections.get(domain, id)
  return stored && isOf(kind, stored.item) ? { item: stored.item, rev: stored.rev } : undefined
}
