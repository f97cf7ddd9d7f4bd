import { fieldsOf } from '../../base/json.ts'
import { Name } from '../../http/common-fields.ts'
import type { Context } from '../../http/context.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Stored } from '../../store/entity.ts'
import { Stale } from '../../store/changes.ts'
import { defined } from '../../base/fields.ts'
import { countWithConnection } from '../users/connection-count.ts'
import { newExternalUser } from '../users/new-user.ts'
import { externalKey, users, type StoredUser } from '../users/store.ts'
import type { StoredLoginConnection } from './store.ts'
import * as z from 'zod'

/** A person authenticated by a connection. */
export interface ExternalPerson {
  /** a constant identifier of the person */
  readonly externalId: string | undefined
  readonly username: string
  /** The user name is an address that the connection has not verified: it neither creates nor links a user. */
  readonly isUnverified?: boolean
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/** OpenID Connect Core 1.0 §2: `sub` has 255 characters at most. */
const EXTERNAL_ID_CHARACTERS = 255
const TEXT_CHARACTERS = 1_024
const Email = z.email().max(254)

/** Why a person of a connection is not a user here, for audit records; the caller does not learn it. */
export type NoUser =
  | 'the connection gives no id of the user, or one that is too long'
  | 'the user name of the connection is no user name here'
  | 'the user name is that of another user here'
  | 'the user name is an email address that the connection does not call verified'
  | 'the user is not here, and the connection makes no users'

/** A user of a connection: an existing one, or a new one. */
export type ExternalUser =
  | { readonly stored: Stored<StoredUser>; readonly isLinked: boolean }
  | { readonly made: StoredUser }
  | { readonly noUser: NoUser }

/**
 * The user of a person of a connection: the user who is linked to them, else a user of this connection whom an
 * administrator created with their name, else a new one if the connection creates users. A name of any other user is
 * never taken over, and an unverified address neither finds nor creates a user. Changes nothing.
 * @param domain of the connection
 * @param mayMake whether a new user may log in at all
 */
export async function externalUserOf(
  domain: string,
  connection: StoredLoginConnection,
  { externalId, username, name, email, isUnverified }: ExternalPerson,
  { now, mayMake }: { readonly now: Date; readonly mayMake: boolean },
): Promise<ExternalUser> {
  if (externalId === undefined || externalId === '' || externalId.length > EXTERNAL_ID_CHARACTERS)
    return { noUser: 'the connection gives no id of the user, or one that is too long' }
  const linked = await users.find(domain, 'external', externalKey(connection.id, externalId))
  if (linked !== undefined) return { stored: linked, isLinked: true }
  if (isUnverified === true)
    return { noUser: 'the user name is an email address that the connection does not call verified' }
  if (!Name.safeParse(username).success) return { noUser: 'the user name of the connection is no user name here' }
  const named = await users.find(domain, 'username', username)
  if (named !== undefined) {
    const { connection_id, external_id } = named.item
    return connection_id === connection.id && external_id === undefined
      ? { stored: named, isLinked: false }
      : { noUser: 'the user name is that of another user here' }
  }
  if (!connection.create_users || !mayMake) return { noUser: 'the user is not here, and the connection makes no users' }
  const is_domain_user = domain !== ROOT_DOMAIN_ID
  const user = newExternalUser({ username, is_domain_user, ...described({ name, email }) }, connection, now)
  return { made: { ...user, external_id: externalId } }
}

/** Name and email, if they are valid here. */
const described = ({ name, email }: Pick<ExternalPerson, 'name' | 'email'>) => ({
  ...(name !== undefined && name !== '' && { name: Array.from(name).slice(0, TEXT_CHARACTERS).join('') }),
  ...(email !== undefined && Email.safeParse(email).success && { email }),
})

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id))

/**
 * Stages the changes of a user at a log-in: the link, name and email, and the mapped groups. For a user without
 * changes, the commit requires that the record is unchanged.
 * @param notRead a claim whose groups are not in the token, for audit records
 * @returns the user after the changes
 */
export function stageExternalUser(
  { changes, now, about }: Pick<Context, 'changes' | 'now' | 'about'>,
  domain: string,
  connection: Stored<StoredLoginConnection>,
  found: Exclude<ExternalUser, { noUser: NoUser }>,
  { externalId, ...person }: ExternalPerson,
  mappedGroupIds: readonly string[],
  notRead?: string,
): Stored<StoredUser> {
  const taken = (): Error => new Stale('Another log-in made or linked the user first')
  const unread =
    notRead === undefined ? undefined : { groups_not_read: `those of the claim ${notRead}, which are not in the token` }
  const told = ({ user_id, username }: StoredUser, after: Readonly<Record<string, unknown>>): void =>
    about({ uri: resourceUri(domain, 'usermgmt', 'users', user_id), name: username, after })
  if ('made' in found) {
    const item = { ...found.made, mapped_group_ids: [...mappedGroupIds] }
    countWithConnection(changes, domain, connection)
    changes.create(users, domain, item, taken)
    told(item, { connection: connection.item.name, made: 'at the first log-in', ...unread })
    return { item, rev: 1 }
  }
  const { stored } = found
  if (unread) told(stored.item, unread)
  const { item: before } = stored
  const latest = described(person)
  const isUnchanged =
    found.isLinked &&
    Object.entries(latest).every(([field, value]) => fieldsOf(before)[field] === value) &&
    isSame(before.mapped_group_ids ?? [], mappedGroupIds)
  if (isUnchanged) {
    changes.rely(users, domain, stored)
    return stored
  }
  const item: StoredUser = {
    ...before,
    ...latest,
    ...defined({ external_id: externalId }),
    mapped_group_ids: [...mappedGroupIds],
    updated_at: now.toISOString(),
  }
  changes.update(users, domain, stored, item, taken)
  return { item, rev: stored.rev + 1 }
}
