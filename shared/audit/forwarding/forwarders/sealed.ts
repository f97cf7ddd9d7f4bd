import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { logForwarders, secretPurpose } from './store.ts'

export const sealedLogForwarders = sealingFieldAgain(logForwarders, 'all', secretPurpose)
