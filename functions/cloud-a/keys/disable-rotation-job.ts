import { disableRotationJob as disable } from '../../../shared/clouds/cloud-a/keys/rotation-job.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/disable-rotation-job: no job rotates the key any more. */
export const disableRotationJob = keyAction('Disable Cloud-a Key Rotation Job', disable)
