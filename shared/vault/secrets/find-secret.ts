import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { Uuid } from '../../http/common-fields.ts'
import { Stale } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { mayRead } from '../keys/policies/access.ts'
import { secrets, type StoredSecret } from './store.ts'

const notThere = (): Refusal => new Refusal('NOT_FOUND', 'There is no such secret.')

/**
 * A version by its id, or the latest one by name. One read by id, two by name.
 * @throws Refusal NOT_FOUND for a missing secret, another domain's, or one that the caller may not see, without
 * distinction
 */
export async function findSecret({ caller }: Context, reference: string): Promise<Stored<StoredSecret>> {
  const domain = caller.domain.id
  const byId = Uuid.safeParse(reference).success ? await secrets.get(domain, reference) : undefined
  const found = byId ?? (await secrets.find(domain, 'name', reference))
  if (found === undefined || !mayRead(caller, found.item)) throw notThere()
  if (byId === undefined && !found.item.latest)
    throw new Stale('The name passed to another version while it was looked up')
  return found
}

/** Every version of a secret that was read before, oldest first. @throws Stale if that version was deleted meanwhile */
export async function versionsOf(domain: string, { item }: Stored<StoredSecret>): Promise<Stored<StoredSecret>[]> {
  const versions = await secrets.getMany(domain, await secrets.members(domain, item.name))
  if (!versions.some((one) => one.item.id === item.id)) throw new Stale('The secret was deleted meanwhile')
  return versions
}

/** The latest version of the referenced secret. @throws Refusal NOT_FOUND */
export async function findLatest(context: Context, reference: string): Promise<Stored<StoredSecret>> {
  const named = await findSecret(context, reference)
  return named.item.latest ? named : findSecret(context, named.item.name)
}
