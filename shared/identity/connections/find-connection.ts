import { notThere } from '../../base/errors.ts'
import { Uuid } from '../../http/common-fields.ts'
import type { Stored } from '../../store/entity.ts'
import { loginConnections, type StoredLoginConnection } from './store.ts'

/** A domain's connection by id or name; an id takes precedence. One read by id, two by name. */
export async function loginConnectionNamed(
  domain: string,
  nameOrId: string,
): Promise<Stored<StoredLoginConnection> | undefined> {
  const byId = Uuid.safeParse(nameOrId).success ? await loginConnections.get(domain, nameOrId) : undefined
  return byId ?? loginConnections.find(domain, 'name', nameOrId)
}

/** The same for a management call. @throws Refusal NOT_FOUND */
export async function findLoginConnection(domain: string, nameOrId: string): Promise<Stored<StoredLoginConnection>> {
  const stored = await loginConnectionNamed(domain, nameOrId)
  if (stored === undefined) throw notThere('There is no such connection.')
  return stored
}
