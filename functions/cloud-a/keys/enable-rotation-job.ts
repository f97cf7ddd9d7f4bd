import { enableRotationJob as enable } from '../../../shared/clouds/cloud-a/keys/rotation-job.ts'
import { EnableRotationJob } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/enable-rotation-job: the key is rotated by a job configuration from now on. */
export const enableRotationJob = keyAction('Enable Cloud-a Key Rotation Job', enable, EnableRotationJob)
