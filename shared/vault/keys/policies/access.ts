import { hasGroup, type Caller, type Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { KeyUseBy, Recipient } from '../../../emergency/assert-open.ts'
import { recordCanaryUse, type UsingContext } from '../canary/use.ts'
import type { KeyPermission, LocalKey } from '../model.ts'
import { isInGroup } from './permission-groups.ts'

const ADMINISTRATORS = ['admin', 'Key Admins'] as const

/** Who uses a key in a request. */
export const usedBy = ({ caller, now }: Pick<Context, 'caller' | 'now'>, recipient?: Recipient): KeyUseBy => ({
  ...{ domain: caller.domain.id, caller: caller.username, now, recipient },
})

export const isKeyAdmin = (caller: Caller): boolean => hasGroup(caller, ...ADMINISTRATORS)

type Owned = Pick<LocalKey, 'meta' | 'createdAt'>

const owns = (caller: Caller, { meta }: Owned): boolean => meta?.ownerId === caller.sub

const isNamedIn = (caller: Caller, { createdAt }: Owned, groups: readonly string[] | undefined): boolean =>
  groups?.some((group) => isInGroup(caller, group, createdAt)) ?? false

/**
 * Key Users see their own keys and those whose `meta.permissions` name one of their groups; key administrators see all.
 */
export function mayRead(caller: Caller, key: Owned): boolean {
  if (isKeyAdmin(caller) || owns(caller, key)) return true
  return Object.values(key.meta?.permissions ?? {}).some((groups) => isNamedIn(caller, key, groups))
}

export const mayChange = (caller: Caller, key: Owned): boolean => isKeyAdmin(caller) || owns(caller, key)

/** @throws Refusal ACTION_DENIED unless the caller is the key's owner or a key administrator */
export function assertMayChange(caller: Caller, key: Owned): void {
  if (!mayChange(caller, key)) throw new Refusal('ACTION_DENIED', 'This takes the owner or a member of Key Admins.')
}

/** @throws Refusal ACTION_DENIED unless the key's permissions grant this use to a group of the caller, and no policy denies it */
export function assertMayUse(
  context: UsingContext,
  key: Owned & Parameters<typeof recordCanaryUse>[1],
  permission: KeyPermission,
): void {
  const { caller, uses } = context
  recordCanaryUse(context, key, permission)
  uses(permission, key)
  const permissions = key.meta?.permissions
  const named =
    isNamedIn(caller, key, permissions?.[permission]) ||
    (permission !== 'ExportKey' && isNamedIn(caller, key, permissions?.UseKey))
  if (!isKeyAdmin(caller) && !owns(caller, key) && !named)
    throw new Refusal(
      'ACTION_DENIED',
      `This takes the owner, a member of Key Admins, or ${permission} in its permissions.`,
    )
}

/**
 * The context with the permissions to create and rotate a key that belongs to an endpoint or an authority, for any of
 * its administrators.
 */
export const forOwnKey = (context: Context): Context => ({
  ...context,
  ifMatch: undefined, // `If-Match` refers to the endpoint or authority, not to the key
  caller: { ...context.caller, groups: [...context.caller.groups, 'Key Admins'] },
})
