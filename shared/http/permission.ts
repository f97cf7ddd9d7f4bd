import { hasGroup, type Caller } from './context.ts'
import { Refusal } from '../base/errors.ts'

/**
 * Groups that may call an operation, in the caller's domain. The operation itself checks further conditions, such as
 * ownership of a key. `admin` may call everything.
 */
export const PERMISSIONS = {
  /** no token is needed; a token in the request is ignored */
  anyone: { token: false, groups: [] },
  /** any valid token */
  'signed-in': { token: true, groups: [] },
  admins: { token: true, groups: ['admin'] },
  'user-admins': { token: true, groups: ['admin', 'User Admins'] },
  'domain-readers': { token: true, groups: ['admin', 'Domain Admins'] },
  'key-users': { token: true, groups: ['admin', 'Key Admins', 'Key Users'] },
  'key-admins': { token: true, groups: ['admin', 'Key Admins'] },
  'connection-admins': { token: true, groups: ['admin', 'Connection Admins'] },
  /** these answers contain no secrets */
  'connection-readers': { token: true, groups: ['admin', 'Connection Admins', 'keymgr Admins'] },
  'keymgr-admins': { token: true, groups: ['admin', 'keymgr Admins'] },
  'scheduler-readers': { token: true, groups: ['admin', 'keymgr Admins', 'Key Admins'] },
  /** users see only containers whose permissions name them */
  'keymgr-users': { token: true, groups: ['admin', 'keymgr Admins', 'keymgr Users'] },
  /** permissions on its containers determine who sees a report */
  'report-users': { token: true, groups: ['admin', 'keymgr Admins', 'keymgr Users', 'keymgr Reports Users'] },
  'ca-admins': { token: true, groups: ['admin', 'CA Admins'] },
  'client-admins': { token: true, groups: ['admin', 'Client Admins'] },
  'audit-readers': { token: true, groups: ['admin', 'Audit Admins'] },
  /** any valid token of a platform credential; no other operation accepts it */
  'platform-clients': { token: true, groups: [] },
} as const satisfies Record<string, { token: boolean; groups: readonly string[] }>

export type Permission = keyof typeof PERMISSIONS

const groupsOf = (permission: Permission): readonly string[] => PERMISSIONS[permission].groups

/** Whether a group of the caller has the permission, or no group is needed. */
export const isPermitted = (permission: Permission, caller: Caller): boolean =>
  groupsOf(permission).length === 0 || hasGroup(caller, ...groupsOf(permission))

/** @throws Refusal ACTION_DENIED that names the permitted groups */
export function assertPermitted(permission: Permission, caller: Caller): void {
  if (!isPermitted(permission, caller))
    throw new Refusal('ACTION_DENIED', `This takes a member of one of the groups ${groupsOf(permission).join(', ')}.`)
}

const KEYMGR_ADMINISTRATORS = ['admin', 'keymgr Admins'] as const

/** Members need no entry in a container's permission list. */
export const isKeymgrAdmin = (caller: Caller): boolean => hasGroup(caller, ...KEYMGR_ADMINISTRATORS)
