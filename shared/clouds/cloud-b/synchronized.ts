import { certificateKind } from './certificates/certificates.ts'
import { synchronizedItems } from './items/synchronized-items.ts'
import { keyKind } from './keys/kind.ts'
import { secretKind } from './secrets/secrets.ts'

export const synchronizedKeys = synchronizedItems(keyKind)
export const synchronizedSecrets = synchronizedItems(secretKind)
export const synchronizedCertificates = synchronizedItems(certificateKind)
