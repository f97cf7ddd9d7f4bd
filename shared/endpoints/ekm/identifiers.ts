import { resourceUri } from '../../base/ids.ts'

export const uriOfEndpoint = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'ekm-endpoint', id)
