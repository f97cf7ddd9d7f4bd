import type { Context } from '../../http/context.ts'
import { verifyAgainstDummy, verifyPassword } from '../../crypto/passwords.ts'
import { Refusal } from '../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import type { Domain } from '../domains/model.ts'
import type { PasswordPolicy } from '../password-policies/model.ts'
import { domains } from '../domains/store.ts'
import type { Stored } from '../../store/entity.ts'
import { heldGroups, guests, type StoredGroup } from '../groups/store.ts'
import { ADMIN_GROUP } from '../groups/model.ts'
import {
  countFailure,
  forgetFailures,
  fromAddress,
  lockedUntilMs,
  NEVER,
  readLogins,
  type LoginRecord,
} from '../users/login-record.ts'
import { users, type StoredUser } from '../users/store.ts'
import { DAY_MS, reached } from '../../base/time.ts'
import { policyOf } from '../password-policies/rules.ts'

/** An authenticated user, with their groups in the domain of the log-in. */
export interface LoggedIn {
  readonly user: Stored<StoredUser>
  readonly domain: Domain
  /** domain that owns the user */
  readonly homeDomainId: string
  readonly groups: readonly Pick<StoredGroup, 'id' | 'name'>[]
  /** SHA-256 of the certificate of a log-in by certificate, in base64url */
  readonly boundTo?: string
}

/** The same message for a wrong name, password or domain, and for a locked user. */
export const loginFailed = (): Refusal =>
  new Refusal('LOGIN_FAILED', 'User name or password is wrong, or the user is locked for now.')

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/

/** A domain by name or id; default the root domain. */
export async function domainNamed(nameOrId: string | undefined): Promise<Domain | undefined> {
  if (nameOrId === undefined) return (await domains.get(ROOT_DOMAIN_ID, ROOT_DOMAIN_ID))?.item
  const byId = UUID.test(nameOrId) ? await domains.get(ROOT_DOMAIN_ID, nameOrId) : undefined
  return (byId ?? (await domains.find(ROOT_DOMAIN_ID, 'name', nameOrId)))?.item
}

/** A user to whom a log-in may refer. */
export interface Candidate {
  readonly user: Stored<StoredUser>
  readonly homeDomainId: string
  readonly groupIds: readonly string[]
}

/**
 * The user with a name: one of the domain, else one of the root domain who is its guest. Users of a connection have no
 * password here and are not found.
 * @param owner domain of the user, if given
 */
async function candidateFor(
  domain: Domain,
  username: string,
  owner: Domain | undefined,
): Promise<Candidate | undefined> {
  const found = await userNamed(domain, username, owner?.id)
  return found?.user.item.password_hash === undefined ? undefined : found
}

async function userNamed(domain: Domain, username: string, ownerId?: string): Promise<Candidate | undefined> {
  const own =
    ownerId === undefined || ownerId === domain.id ? await users.find(domain.id, 'username', username) : undefined
  if (own) return { user: own, homeDomainId: domain.id, groupIds: own.item.group_ids }
  if (domain.id === ROOT_DOMAIN_ID || (ownerId ?? ROOT_DOMAIN_ID) !== ROOT_DOMAIN_ID) return undefined
  const root = await users.find(ROOT_DOMAIN_ID, 'username', username)
  const guest = root && (await guests.get(domain.id, root.item.user_id))
  return guest && { user: root, homeDomainId: ROOT_DOMAIN_ID, groupIds: guest.item.group_ids }
}

const UNKNOWN_USER = 'local|nobody'

/** Does the same reads and comparisons for an unknown user as for a known one, so that the time reveals nothing. */
async function spendLoginTime(domainId: string, password: string): Promise<void> {
  await users.get(domainId, UNKNOWN_USER)
  await Promise.all([
    verifyAgainstDummy(password),
    policyOf(domainId, {}),
    readLogins(domainId, [UNKNOWN_USER, fromAddress(UNKNOWN_USER, '')]),
  ])
}

/** compared once per request, even if the operation runs again: argon2id is slow on purpose */
const passwordFits = ({ once }: Context, hash: string, password: string): Promise<boolean> =>
  once(`password ${hash} ${password}`, () => verifyPassword(hash, password))

/** A user's groups in a domain, and whether failed log-ins lock the user for this request. */
export async function readLock(
  { clientIp, now }: Context,
  domain: Domain,
  { user, homeDomainId, groupIds }: Candidate,
): Promise<{
  policy: PasswordPolicy
  logins: LoginRecord
  loginsFromHere: LoginRecord
  groups: StoredGroup[]
  isAdministrator: boolean
  locked: boolean
}> {
  const { user_id } = user.item
  const [policy, [logins = NEVER, loginsFromHere = NEVER], held] = await Promise.all([
    policyOf(homeDomainId, user.item),
    readLogins(homeDomainId, [user_id, fromAddress(user_id, clientIp)]),
    heldGroups(domain.id, groupIds),
  ])
  // Ours: an administrator is locked only for the address that guesses. Otherwise, guessing from elsewhere could lock
  // the only administrator out permanently. A log-in, or a reset by an administrator, clears the failures of all
  // addresses.
  const isAdministrator = held.some(({ name }) => name === ADMIN_GROUP)
  const decisive = isAdministrator && logins.failures > 0 ? loginsFromHere : logins
  const locked = lockedUntilMs(decisive, policy.failed_logins_lockout_thresholds) > now.getTime()
  return { policy, logins, loginsFromHere, groups: held, isAdministrator, locked }
}

/**
 * Checks a name and password, of a user of `ownerName` if given. Known and unknown users cost the same: one argon2id
 * comparison and one counted failure.
 * @throws Refusal LOGIN_FAILED
 */
export async function checkCredentials(
  context: Context,
  domainName: string | undefined,
  username: string,
  password: string,
  ownerName?: string,
): Promise<LoggedIn & { policy: PasswordPolicy; logins: LoginRecord }> {
  const [domain, owner] = await Promise.all([
    domainNamed(domainName),
    ownerName === undefined ? undefined : domainNamed(ownerName),
  ])
  const isOwnerMissing = ownerName !== undefined && owner === undefined
  const candidate = domain && !isOwnerMissing ? await candidateFor(domain, username, owner) : undefined
  const place = domain ?? { id: ROOT_DOMAIN_ID, name: 'root' }
  context.setActor({ sub: candidate?.user.item.user_id ?? '', username, domain: { id: place.id, name: place.name } })
  if (domain === undefined || candidate === undefined) {
    await spendLoginTime(place.id, password)
    countFailure(context.despiteRefusal, place.id, { name: username }, context.now)
    throw loginFailed()
  }
  const { user, homeDomainId } = candidate
  const { user_id } = user.item
  const fromHere = fromAddress(user_id, context.clientIp)
  const [fits, { policy, logins, loginsFromHere, groups, isAdministrator, locked }] = await Promise.all([
    passwordFits(context, user.item.password_hash ?? '', password),
    readLock(context, domain, candidate),
  ])
  if (!fits || locked || !user.item.enabled || !user.item.allowed_auth_methods.includes('password')) {
    // failures of a locked user are not counted: continued guessing would extend the lock forever
    const counted = locked ? { name: username } : { userId: user_id }
    countFailure(context.despiteRefusal, homeDomainId, counted, context.now)
    if (isAdministrator && !locked)
      countFailure(context.despiteRefusal, homeDomainId, { userId: fromHere }, context.now)
    throw loginFailed()
  }
  if (loginsFromHere.failures > 0) forgetFailures(context.changes, homeDomainId, fromHere)
  return { user, domain, homeDomainId, policy, logins, groups }
}

/** @throws Refusal PASSWORD_OUTDATED when the password must be changed before it can be used */
export function assertPasswordCurrent({ user, policy }: LoggedIn & { policy: PasswordPolicy }, now: Date): void {
  const { password_change_required, password_changed_at } = user.item
  const days = policy.password_lifetime
  const endsAt =
    days > 0 && password_changed_at !== undefined
      ? new Date(Date.parse(password_changed_at) + days * DAY_MS).toISOString()
      : undefined
  if (password_change_required || reached(endsAt, now))
    throw new Refusal('PASSWORD_OUTDATED', 'The password must be changed first: PATCH /v1/auth/changepw.')
}
