import type { Context } from '../../context.ts'
import { Refusal, type BrokenField } from '../../errors.ts'
import { Uuid } from '../../model/common.ts'
import type { CloudKind } from '../../model/connection.ts'
import { connections, type StoredConnection } from '../../store/connection.ts'
import type { Stored } from '../../store/entity.ts'

/** Names a connection for a refusal: the field of a body that brought its name. */
const notThere = (field?: BrokenField): Refusal =>
  new Refusal('NOT_FOUND', 'There is no such connection.', field ? { errors: [field] } : {})

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
  if (stored === undefined) throw notThere(field)
  return stored
}

/** As `findConnection`, among those of one kind: another kind's is not there. @throws Refusal NOT_FOUND */
export async function findConnectionOf(
  kind: CloudKind,
  context: Pick<Context, 'caller'>,
  nameOrId: string,
  field?: BrokenField,
): Promise<Stored<StoredConnection>> {
  const stored = await findConnection(context, nameOrId, field)
  if (stored.item.service !== kind) throw notThere(field)
  return stored
}
