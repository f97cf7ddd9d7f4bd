import { certificateKind, certificates } from '../certificates/certificates.ts'
import { keyKind, keys } from '../keys/kind.ts'
import { secretKind, secrets } from '../secrets/secrets.ts'
import { restoring } from './restore.ts'

/** Keys, secrets and certificates, as their backups need to know them. */
export const keyBackups = { items: keys, kind: keyKind }
export const secretBackups = { items: secrets, kind: secretKind }
export const certificateBackups = { items: certificates, kind: certificateKind }

export const restoringKeys = restoring(keyBackups)
export const restoringSecrets = restoring(secretBackups)
export const restoringCertificates = restoring(certificateBackups)
