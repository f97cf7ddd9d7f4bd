import type { Context } from '../../http/context.ts'
import { Refusal } from '../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { DomainName, DomainNameQuery } from '../domains/model.ts'
import type { PasswordPolicy } from '../password-policies/model.ts'
import type { UpdateSelf, User } from '../users/model.ts'
import { domains } from '../domains/store.ts'
import type { Stored } from '../../store/entity.ts'
import { users, type StoredUser } from '../users/store.ts'
import { patched } from '../../base/fields.ts'
import { listedWhole, type ResourceList } from '../../resource/listed.ts'
import { policyOf } from '../password-policies/rules.ts'
import { presentUser } from '../users/present-user.ts'

/** @throws Refusal ACTION_DENIED for a registered client, which is not a user */
async function ownRecord({ caller }: Context): Promise<Stored<StoredUser>> {
  if (caller.client !== undefined)
    throw new Refusal('ACTION_DENIED', 'A registered client is no user: this call is for users only.')
  const stored = await users.get(caller.homeDomainId, caller.sub)
  if (stored === undefined) throw new Refusal('TOKEN_INVALID', 'The token is no longer valid: log in again.')
  return stored
}

/** The caller's own user. */
export async function getSelf(context: Context): Promise<Stored<User>> {
  const stored = await ownRecord(context)
  return { item: await presentUser(context, context.caller.homeDomainId, stored), rev: stored.rev }
}

/** @throws Refusal VERSION_STALE */
export async function updateSelf(context: Context, body: UpdateSelf): Promise<Stored<User>> {
  const { caller, changes, now } = context
  const stored = await ownRecord(context)
  assertIfMatch(context, stored)
  const item = { ...patched(stored.item, body), updated_at: now.toISOString() }
  changes.update(users, caller.homeDomainId, stored, item)
  context.about({ uri: resourceUri(caller.homeDomainId, 'usermgmt', 'users', caller.sub), name: caller.username })
  const rev = stored.rev + 1
  return { item: await presentUser(context, caller.homeDomainId, { item, rev }), rev }
}

/** Domains that the caller can log in to, by name: the one that owns the user, and those of which they are a guest. */
export async function domainsOfSelf(context: Context, query: DomainNameQuery): Promise<ResourceList<DomainName>> {
  const { item } = await ownRecord(context)
  const found = await domains.getMany(ROOT_DOMAIN_ID, [context.caller.homeDomainId, ...item.guest_in])
  const created = new Map(found.map(({ item }) => [item.id, item.createdAt]))
  const named = found.map(({ item: { id, name } }) => ({ id, name })).sort((a, b) => (a.id < b.id ? -1 : 1))
  return listedWhole(named, query, ({ id }) => created.get(id))
}

/** The password policy that applies to the caller. */
export async function policyOfSelf(context: Context): Promise<PasswordPolicy> {
  const { item } = await ownRecord(context)
  return policyOf(context.caller.homeDomainId, item)
}
