import { resourceUri } from '../../base/ids.ts'

export const uriOfEndpoint = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'ekm-endpoint', id)

/** Names by which emergency blocks call the protocol: its own, and its cloud's. */
export const EKM_CLOUDS: readonly string[] = ['ekm', 'cloud-c']
