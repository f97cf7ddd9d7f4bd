import { certificateKind } from '../certificates/certificates.ts'
import { keyKind } from '../keys/kind.ts'
import { secretKind } from '../secrets/secrets.ts'
import { restoring } from './restore.ts'

export const restoringKeys = restoring(keyKind)
export const restoringSecrets = restoring(secretKind)
export const restoringCertificates = restoring(certificateKind)
