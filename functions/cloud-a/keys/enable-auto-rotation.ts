import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { EnableAutoRotation } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/enable-auto-rotation: the cloud's own rotation. */
export const enableAutoRotation = keyAction(
  'Enable Cloud-a Key Auto Rotation',
  (context, id, body) => act(context, 'enable-auto-rotation', id, body),
  EnableAutoRotation,
)
