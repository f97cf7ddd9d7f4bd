import type { AnySagaKind } from '../../work/sagas/saga.ts'
import { creatingCertificate } from './certificates/certificates.ts'
import { actingOnSecret } from './keys/act-on-secret.ts'
import { creatingSecret } from './keys/create-secret.ts'
import { registeringKey } from './keys/register-key.ts'

/** Work of several calls that an interruption may leave unfinished. */
export const crmSagas: readonly AnySagaKind[] = [creatingSecret, registeringKey, actingOnSecret, creatingCertificate]
