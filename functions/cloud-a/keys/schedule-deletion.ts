import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { ScheduleDeletion } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/schedule-deletion: the cloud deletes the key after so many days. */
export const scheduleDeletion = keyAction(
  'Schedule Cloud-a Key Deletion',
  (context, id, body) => act(context, 'schedule-deletion', id, body),
  ScheduleDeletion,
)
