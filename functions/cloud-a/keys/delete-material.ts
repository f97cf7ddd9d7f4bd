import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { DeleteMaterial } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/delete-material: imported material goes; the key waits for it to be imported again. */
export const deleteMaterial = keyAction(
  'Delete Cloud-a Key Material',
  (context, id, body) => act(context, 'delete-material', id, body),
  DeleteMaterial,
)
