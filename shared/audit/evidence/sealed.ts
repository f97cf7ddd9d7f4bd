import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'
import { EVIDENCE_KEY_PURPOSE, evidenceKeys } from './key-store.ts'

export const sealedEvidenceKeys = sealingFieldAgain(evidenceKeys, 'all', ({ id }) => EVIDENCE_KEY_PURPOSE(id))
