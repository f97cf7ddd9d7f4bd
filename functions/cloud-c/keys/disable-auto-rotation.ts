import { disableAutoRotation as disable } from '../../../shared/clouds/cloud-c/keys/auto-rotation.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-c/keys/{id}/disable-auto-rotation */
export const disableAutoRotation = keyAction('Disable Cloud-c Key Rotation Job', disable)
