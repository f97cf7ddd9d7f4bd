import type { JobOperation } from './config-model.ts'
import { credentialRotation } from './credential-rotation.ts'
import { keyRotation } from './key-rotation.ts'
import { localKeyRotation } from './local-key-rotation.ts'
import type { Operation } from './operation.ts'
import { synchronization } from './synchronization.ts'

/** Everything a job configuration can ask for. */
export const OPERATIONS: Readonly<Record<JobOperation, Operation>> = {
  keymgr_synchronization: synchronization,
  keymgr_key_rotation: keyRotation,
  keymgr_xks_credential_rotation: credentialRotation,
  key_rotation: localKeyRotation,
}
