import { resourceUri } from '../../base/ids.ts'

/** The platform's name in paths, messages and records. */
export const NAME = 'datacust'

/** Path of the data plane in front of a key store's id. */
export const DATA_PLANE = '/api/v1/keymgr/datacust/hyok/v1/keystores/'

export const uriOfStore = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'datacust-keystore', id)
export const uriOfKey = (domain: string, id: string): string =>
  resourceUri(domain, 'keymgr', 'datacust-external-key', id)
