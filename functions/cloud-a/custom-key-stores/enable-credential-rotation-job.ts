import { enableCredentialRotation as enable } from '../../../shared/clouds/cloud-a/key-stores/rotation-job.ts'
import { EnableCredentialRotation } from '../../../shared/clouds/cloud-a/key-stores/model.ts'
import { storeAction } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/enable-credential-rotation-job: credentials are rotated by a job. */
export const enableCredentialRotation = storeAction(
  'Enable Cloud-a Custom Key Store Credential Rotation Job',
  enable,
  EnableCredentialRotation,
)
