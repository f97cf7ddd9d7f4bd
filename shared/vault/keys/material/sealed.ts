import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { sealPurpose } from './seal-purpose.ts'
import { localKeys } from '../store.ts'

/** Local keys, as the domains above the vault seal them again. */
export const sealedKeys = (set: 'latest' | 'former') => sealingFieldAgain(localKeys, set, sealPurpose)
