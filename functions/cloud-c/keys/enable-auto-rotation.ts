import { enableAutoRotation as enable } from '../../../shared/domain/cloud-c/keys/auto-rotation.ts'
import { EnableCloudCAutoRotation } from '../../../shared/model/cloud-c-key.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/enable-auto-rotation: a job configuration rotates the key from now on. */
export const enableAutoRotation = keyAction('Enable Cloud-c Key Rotation Job', enable, EnableCloudCAutoRotation)
