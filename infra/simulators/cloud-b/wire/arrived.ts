import type { IncomingHttpHeaders } from 'node:http'
import type { Vault } from '../directory/directory.ts'
import type { CloudState } from '../state/state.ts'

/** The service of the cloud behind a host. */
export type Host =
  { readonly service: 'login' | 'management' | 'logs' } | { readonly service: 'vault' | 'hsm'; readonly vault: string }

/** A request to one of the cloud's hosts. */
export interface Arrived {
  readonly host: Host
  readonly method: string
  /** decoded, without double slashes and without one at the end */
  readonly path: string
  /** as sent, with the requested host */
  readonly uri: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  /** Kind of a list's page: faults make it short or empty, with more pages to follow. */
  readonly page: PageKind
  /** Whether a fault makes the server treat its token as expired. */
  readonly isExpired: boolean
}

export type PageKind = 'whole' | 'short' | 'empty'

export interface Reply {
  readonly status: number
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

const SUFFIXES = { vault: '.vault.azure.net', hsm: '.managedhsm.azure.net' } as const
const HOSTS: Readonly<Record<string, Host>> = {
  'login.microsoftonline.com': { service: 'login' },
  'management.azure.com': { service: 'management' },
  'api.loganalytics.io': { service: 'logs' },
  'api.loganalytics.azure.com': { service: 'logs' },
}

/** @param name host that a client called, perhaps with a port */
export function hostNamed(name: string): Host | undefined {
  const host = name.toLowerCase().replace(/:\d+$/, '')
  for (const service of ['vault', 'hsm'] as const)
    if (host.endsWith(SUFFIXES[service])) return { service, vault: host.slice(0, -SUFFIXES[service].length) }
  return HOSTS[host]
}

/** The vault at a host, unless it is deleted. */
export function vaultAt(state: CloudState, host: Host): Vault | undefined {
  const vault = 'vault' in host ? state.vault(host.vault) : undefined
  const service = vault?.sku === 'managed-hsm' ? 'hsm' : 'vault'
  return vault?.deleted === undefined && service === host.service ? vault : undefined
}
