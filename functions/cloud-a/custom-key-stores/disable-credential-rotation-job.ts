import { disableCredentialRotation as disable } from '../../../shared/clouds/cloud-a/key-stores/rotation-job.ts'
import { storeAction } from './store-action.ts'

/** POST /v1/keymgr/cloud-a/custom-key-stores/{id}/disable-credential-rotation-job: no job does so any more. */
export const disableCredentialRotation = storeAction(
  'Disable Cloud-a Custom Key Store Credential Rotation Job',
  disable,
)
