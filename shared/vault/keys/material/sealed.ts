import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { localKeys } from '../store.ts'
import { sealPurpose } from './seal-purpose.ts'

/** Local keys, for the resealing of a domain. */
export const sealedKeys = (set: 'latest' | 'former') => sealingFieldAgain(localKeys, set, sealPurpose)
