import { resourceUri } from '../../../base/ids.ts'

export const uriOfEndpoint = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'crm-endpoint', id)

/** Path of the data plane, in front of an endpoint's id. The cloud calls it without `/api`. */
export const DATA_PLANE = '/v1/keymgr/crm/endpoints/'

/** The address at which the cloud fetches keys, in front of their kids. */
export const urlOf = ({ id, url_hostname }: { readonly id: string; readonly url_hostname: string }): string =>
  `https://${url_hostname}${DATA_PLANE}${id}/keys/`
