import { enableCredentialRotation as enable } from '../../../shared/domain/cloud-a/custom-key-stores/rotation-job.ts'
import { EnableCredentialRotation } from '../../../shared/model/custom-key-store.ts'
import { storeAction } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/enable-credential-rotation-job: credentials are rotated by a job. */
export const enableCredentialRotation = storeAction(
  'Enable Cloud-a Custom Key Store Credential Rotation Job',
  enable,
  EnableCredentialRotation,
)
