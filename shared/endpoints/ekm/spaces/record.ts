/* Separate from the store: the data plane imports these names but loads no schemas. */

import { itemKey, type Key } from '../../../store/layout.ts'

/** Kind of the items of crypto spaces. */
export const SPACE_KIND = 'ekm-cryptospace'

/** The set of the endpoints in a space whose keys are not destroyed. */
export const inSpace = (space: string): string => `in ${space}`

/** Name under which the sweeper finds endpoints whose key the cloud asked to destroy. */
export const DESTROY_EKM_KEY = 'destroy-ekm-key'

/** Key of the item that marks an endpoint's key for destruction. Not an entity: a data plane may only mark it as due. */
export const destructionKey = (domain: string, endpoint: string): Key => itemKey(domain, 'ekm-destruction', endpoint)
