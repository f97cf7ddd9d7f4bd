import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'
import { loginConnections, secretPurpose } from './store.ts'

export const sealedLoginConnections = sealingFieldAgain(loginConnections, 'all', secretPurpose)
