import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { UpdatePrimaryRegion } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/update-primary-region: a replica takes over from its primary. */
export const updatePrimaryRegion = keyAction(
  'Update Cloud-a Key Primary Region',
  (context, id, body) => act(context, 'update-primary-region', id, body),
  UpdatePrimaryRegion,
)
