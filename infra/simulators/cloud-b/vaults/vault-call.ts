import type { PageKind, Reply } from '../wire/arrived.ts'
import type { Body } from '../wire/body.ts'
import type { Caller } from '../login/caller.ts'
import { hostOf, type Vault } from '../directory/directory.ts'
import type { Right } from '../directory/roles.ts'
import type { CloudState } from '../state/state.ts'

/** One call to a vault or a managed HSM, as its operation receives it. */
export interface VaultCall {
  readonly operation: string
  readonly state: CloudState
  readonly vault: Vault
  readonly caller: Caller
  /** Path parameters; empty where the path has none. */
  readonly name: string
  readonly version: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Body
  readonly page: PageKind
}

/** One operation, and the requests that it answers. */
export interface VaultRoute {
  /** as logs name it */
  readonly operation: string
  readonly method: string
  /** `{name}` and `{version}` are one segment each */
  readonly path: string
  readonly right: Right
  /** Only vaults have it, managed HSMs do not. */
  readonly vaultsOnly?: true
  readonly run: (call: VaultCall) => Reply | Promise<Reply>
}

export const ok = (body: object): Reply => ({ status: 200, body })

/** Identifier of an item in a vault, or of a version if one is given. */
export const identifier = (vault: Vault, collection: string, name: string, version?: string): string =>
  `https://${hostOf(vault)}/${collection}/${name}${version === undefined ? '' : `/${version}`}`

const route =
  (method: string, vaultsOnly: boolean) =>
  (operation: string, path: string, right: Right, run: VaultRoute['run']): VaultRoute => ({
    ...{ operation, method, path, right, run },
    ...(vaultsOnly && { vaultsOnly }),
  })

/** Routes of one collection, by their method. */
export const routesOf = (vaultsOnly: boolean) => ({
  get: route('GET', vaultsOnly),
  post: route('POST', vaultsOnly),
  put: route('PUT', vaultsOnly),
  patch: route('PATCH', vaultsOnly),
  remove: route('DELETE', vaultsOnly),
})
