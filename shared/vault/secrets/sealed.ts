import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'
import { sealPurpose, secrets } from './store.ts'

/** Secrets, as the domains above the vault seal them again. */
export const sealedSecrets = (set: 'latest' | 'former') => sealingFieldAgain(secrets, set, sealPurpose)
