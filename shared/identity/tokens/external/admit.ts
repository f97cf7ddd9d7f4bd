import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import {
  stageExternalUser,
  type ExternalPerson,
  type ExternalUser,
  type NoUser,
} from '../../connections/external-user.ts'
import { groups, guests } from '../../groups/store.ts'
import { countLogin, type LoginRecord } from '../../users/login-record.ts'
import { heldGroupIds, type StoredUser } from '../../users/store.ts'
import type { LoggedIn } from '../credentials.ts'
import { opened } from '../grants/grant.ts'
import type { CreateToken, Token } from '../model.ts'
import type { Place } from './place.ts'

/** Ours: a renewal does not call the external system, so such a log-in ends after half a day. */
const MOST_MINUTES = 720

/** Local groups to which a person's external groups are mapped. */
export const mappedGroups = ({ connection }: Place, external: readonly string[]): string[] => [
  ...new Set(
    connection.item.group_mappings.filter((one) => external.includes(one.external)).map(({ group_id }) => group_id),
  ),
]

/** The user's groups in the domain of the log-in; `undefined` for a user of the root domain who is not its guest. */
export async function groupIdsIn({ domain, homeDomainId }: Place, user: StoredUser): Promise<string[] | undefined> {
  if (homeDomainId === domain.id) return heldGroupIds(user)
  return (await guests.get(domain.id, user.user_id))?.item.group_ids
}

/** Opens a log-in for a user whom a connection has authenticated. @throws Stale when the user was changed meanwhile */
export async function admit(
  context: Context,
  place: Place,
  request: CreateToken,
  vouched: {
    readonly person: ExternalPerson
    readonly found: Exclude<ExternalUser, { noUser: NoUser }>
    readonly externalGroups: readonly string[]
    readonly logins: LoginRecord
    /** a claim whose groups are not in the token */
    readonly notRead?: string | undefined
  },
): Promise<Token> {
  const { domain, connection, homeDomainId } = place
  const { person, found, externalGroups, logins, notRead } = vouched
  const mapped = mappedGroups(place, externalGroups)
  const user: Stored<StoredUser> = stageExternalUser(context, homeDomainId, connection, found, person, mapped, notRead)
  const held = await groups.getMany(domain.id, (await groupIdsIn(place, user.item)) ?? [])
  const { user_id, username } = user.item
  context.setActor({ sub: user_id, username, domain: { id: domain.id, name: domain.name } })
  countLogin(context.changes, homeDomainId, user_id, logins, context.now)
  const loggedIn: LoggedIn = { user, domain, homeDomainId, groups: held.map(({ item }) => item) }
  const minutes = Math.min(request.refresh_token_lifetime ?? MOST_MINUTES, MOST_MINUTES)
  return opened(context, loggedIn, { ...request, refresh_token_lifetime: minutes })
}
