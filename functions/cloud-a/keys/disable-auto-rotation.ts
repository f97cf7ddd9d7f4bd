import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/disable-auto-rotation: the cloud's own rotation ends. */
export const disableAutoRotation = keyAction('Disable Cloud-a Key Auto Rotation', (context, id) =>
  act(context, 'disable-auto-rotation', id, {}),
)
