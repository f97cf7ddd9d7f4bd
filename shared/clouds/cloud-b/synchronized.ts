import { certificateKind, certificates } from './certificates/certificates.ts'
import { synchronizedItems } from './items/synchronized-items.ts'
import { keyKind, keys } from './keys/kind.ts'
import { secretKind, secrets } from './secrets/secrets.ts'

export const synchronizedKeys = synchronizedItems(keys, keyKind)
export const synchronizedSecrets = synchronizedItems(secrets, secretKind)
export const synchronizedCertificates = synchronizedItems(certificates, certificateKind)
