import { resourceUri } from '../../base/ids.ts'

export const uriOfEndpoint = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'kacls-endpoint', id)

/** Path of the data plane, in front of an endpoint's id. */
export const DATA_PLANE = '/api/v1/keymgr/WorkspaceCSE/endpoints/'

/**
 * The address of an endpoint, which the cloud puts into its tokens: the one that its owner set, or else that of its
 * host name.
 */
export const urlOf = ({
  id,
  endpoint_url_hostname: host,
  own_url: own,
}: {
  readonly id: string
  readonly endpoint_url_hostname: string
  readonly own_url?: string | undefined
}): string => own ?? `https://${host.toLowerCase().replace(/:443$/, '')}${DATA_PLANE}${id}`

/** The purpose under which the private half of a signing key is sealed. @param id of the endpoint */
export const signingPurpose = (id: string): string[] => ['kacls-endpoint', id]
