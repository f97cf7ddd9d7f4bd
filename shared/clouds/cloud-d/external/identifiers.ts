import { resourceUri } from '../../../base/ids.ts'

/** Path of the data plane, in front of a vault's id. */
export const DATA_PLANE = '/api/v1/keymgr/cloud-d/ekm/v1/vaults/'

/** Kind of the items that name the domain of an external vault, deleted ones included. */
export const VAULT_OWNER = 'external-vault-owner'

export const uriOfVault = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'cloud-d-vault', id)
export const uriOfKey = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'cloud-d-key', id)

const DEFAULT_PORT = 443

interface Endpoint {
  readonly endpoint_url_hostname: string
  readonly endpoint_url_port: number
}

/** Scheme and host of a vault's address. */
export const originOf = ({ endpoint_url_hostname: host, endpoint_url_port: port }: Endpoint): string =>
  port === DEFAULT_PORT ? `https://${host}` : `https://${host}:${port}`

/** The origin in every spelling that a token's audience may have: with and without default port and final slash. */
export function audiencesOf(endpoint: Endpoint): ReadonlySet<string> {
  const { endpoint_url_hostname: host, endpoint_url_port: port } = endpoint
  const origins = [originOf(endpoint), `https://${host}:${port}`].map((origin) => origin.toLowerCase())
  return new Set(origins.flatMap((origin) => [origin, `${origin}/`]))
}
