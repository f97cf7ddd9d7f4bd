import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/cancel-deletion: the key stays, disabled. */
export const cancelDeletion = keyAction('Cancel Cloud-a Key Deletion', (context, id) =>
  act(context, 'cancel-deletion', id, {}),
)
