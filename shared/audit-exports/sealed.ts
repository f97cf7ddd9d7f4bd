import { sealingFieldAgain } from '../keyring/sealed-kinds.ts'
import { auditExports, sealPurpose } from './store.ts'

export const sealedExports = sealingFieldAgain(auditExports, 'all', ({ id }) => sealPurpose(id))
