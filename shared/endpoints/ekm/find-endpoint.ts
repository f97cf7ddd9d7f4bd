import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { ekmEndpoints, type StoredEkmEndpoint } from './store.ts'
import type { Stored } from '../../store/entity.ts'

/** An endpoint of the caller's domain. One read. @throws Refusal NOT_FOUND */
export async function findEndpoint(
  { caller }: Pick<Context, 'caller'>,
  id: string,
): Promise<Stored<StoredEkmEndpoint>> {
  const stored = await ekmEndpoints.get(caller.domain.id, id)
  if (stored === undefined) throw new Refusal('NOT_FOUND', 'There is no such EKM endpoint.')
  return stored
}
