import { enableAutoRotation as enable } from '../../../shared/clouds/cloud-c/keys/auto-rotation.ts'
import { EnableCloudCAutoRotation } from '../../../shared/clouds/cloud-c/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/enable-auto-rotation: a job configuration rotates the key from now on. */
export const enableAutoRotation = keyAction('Enable Cloud-c Key Rotation Job', enable, EnableCloudCAutoRotation)
