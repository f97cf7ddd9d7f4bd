import { signingKeys } from '../../keyring/signing-key-store.ts'
import { SIGNING_KEY_PURPOSE } from '../../keyring/token-key.ts'
import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'

export const sealedSigningKeys = sealingFieldAgain(signingKeys, 'all', ({ id }) => SIGNING_KEY_PURPOSE(id))
