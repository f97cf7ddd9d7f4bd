import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'
import { connections, secretsPurpose } from './store.ts'

export const sealedConnections = sealingFieldAgain(connections, 'all', secretsPurpose)
