import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { connectionRequests, keyPurpose } from './store.ts'

export const sealedConnectionRequests = sealingFieldAgain(connectionRequests, 'all', ({ id }) => keyPurpose(id))
