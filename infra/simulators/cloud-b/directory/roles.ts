import type { Assignment, Vault } from './directory.ts'
import { isHsm, vaultIdOf } from './directory.ts'
import type { Caller } from '../login/caller.ts'
import type { CloudState } from '../state/state.ts'

/**
 * A right on the content of vaults (`keys/get`), in the words of access policies, or on resources (`resources/read`)
 * and logs (`logs/read`). A `*` in a role matches all words.
 */
export type Right = `${'keys' | 'secrets' | 'certificates' | 'resources' | 'logs'}/${string}`

const KEY_USES: readonly Right[] = ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey', 'sign', 'verify'].map(
  (use): Right => `keys/${use}`,
)
const SEE: readonly Right[] = ['keys/get', 'keys/list', 'secrets/list', 'certificates/get', 'certificates/list']

interface RoleRow {
  readonly permits: readonly string[]
  /** Kind of resource that the right applies to; absent means both. */
  readonly of?: 'vault' | 'hsm'
}

/** Built-in roles, limited to the simulated operations. */
export const ROLES: Readonly<Record<string, RoleRow>> = {
  Owner: { permits: ['resources/*', 'logs/read'] },
  Contributor: { permits: ['resources/*', 'logs/read'] },
  Reader: { permits: ['resources/read', 'logs/read'] },
  'Log Analytics Reader': { permits: ['resources/read', 'logs/read'] },
  'Key Vault Administrator': { permits: ['keys/*', 'secrets/*', 'certificates/*', 'resources/read'], of: 'vault' },
  'Key Vault Crypto Officer': { permits: ['keys/*', 'resources/read'], of: 'vault' },
  'Key Vault Crypto User': {
    permits: ['keys/get', 'keys/list', 'keys/update', 'keys/backup', ...KEY_USES],
    of: 'vault',
  },
  'Key Vault Secrets Officer': { permits: ['secrets/*', 'resources/read'], of: 'vault' },
  'Key Vault Secrets User': { permits: ['secrets/get', 'secrets/list'], of: 'vault' },
  'Key Vault Certificates Officer': { permits: ['certificates/*', 'resources/read'], of: 'vault' },
  'Key Vault Reader': { permits: [...SEE, 'resources/read'], of: 'vault' },
  'Managed HSM Crypto Officer': { permits: ['keys/*'], of: 'hsm' },
  'Managed HSM Crypto User': { permits: ['keys/get', 'keys/list', 'keys/create', ...KEY_USES], of: 'hsm' },
}

const includes = (row: RoleRow | undefined, right: Right): boolean =>
  row?.permits.some((each) => each === right || (each.endsWith('/*') && right.startsWith(each.slice(0, -1)))) === true

/** Ids of resources are compared without regard to case. */
const isBelow = (id: string, scope: string): boolean =>
  scope === '/' || `${id.toLowerCase()}/`.startsWith(`${scope.toLowerCase().replace(/\/$/, '')}/`)

export const assignmentsOf = ({ assignments }: Pick<CloudState, 'assignments'>, { objectId }: Caller) =>
  assignments().filter(({ principal }) => principal === objectId)

/** Whether one of the caller's roles grants a right on a resource. @param id resource id */
export const hasRole = (state: CloudState, caller: Caller, right: Right, id: string): boolean =>
  assignmentsOf(state, caller).some(({ role, scope }: Assignment) => includes(ROLES[role], right) && isBelow(id, scope))

/**
 * Whether the caller has a right in a vault, by its roles or by the vault's access policies.
 * @param path of the item, such as `keys/k`: a role may be assigned for a single item
 */
export function mayIn(state: CloudState, caller: Caller, vault: Vault, right: Right, path: string): boolean {
  if (!vault.roles) return mayByPolicy(caller, vault, right)
  const kind = isHsm(vault) ? 'hsm' : 'vault'
  return assignmentsOf(state, caller).some(({ role, scope }) => {
    const row = ROLES[role]
    return (row?.of ?? kind) === kind && includes(row, right) && isBelow(`${vaultIdOf(vault)}/${path}`, scope)
  })
}

function mayByPolicy({ objectId }: Caller, { accessPolicies }: Vault, right: Right): boolean {
  const [kind = '', word = ''] = right.split('/')
  return accessPolicies.some(({ objectId: of, permissions }) => {
    const words = Object.entries(permissions).find(([name]) => name === kind)?.[1] ?? []
    return of === objectId && words.some((each) => [word.toLowerCase(), 'all'].includes(each.toLowerCase()))
  })
}

/** Data actions that are not named after the right. */
const ACTIONS: Readonly<Record<string, string>> = {
  'keys/get': 'keys/read',
  'keys/list': 'keys/read',
  'keys/delete': 'keys/delete',
  'keys/wrapKey': 'keys/wrap/action',
  'keys/unwrapKey': 'keys/unwrap/action',
  'keys/getrotationpolicy': 'keyrotationpolicies/read',
  'keys/setrotationpolicy': 'keyrotationpolicies/write',
  'secrets/get': 'secrets/getSecret/action',
  'secrets/list': 'secrets/readMetadata/action',
  'secrets/set': 'secrets/setSecret/action',
  'secrets/delete': 'secrets/delete',
  'certificates/get': 'certificates/read',
  'certificates/list': 'certificates/read',
  'certificates/delete': 'certificates/delete',
}

/** The cloud's name of a right on the content of vaults. */
export const actionOf = (vault: Vault, right: Right): string =>
  `Microsoft.KeyVault/${isHsm(vault) ? 'managedHsm' : 'vaults'}/${ACTIONS[right] ?? `${right}/action`}`
