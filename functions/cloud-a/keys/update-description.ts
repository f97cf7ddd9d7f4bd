import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { UpdateDescription } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/update-description: the description at the cloud. */
export const updateDescription = keyAction(
  'Update Cloud-a Key Description',
  (context, id, body) => act(context, 'update-description', id, body),
  UpdateDescription,
)
