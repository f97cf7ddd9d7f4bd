import { updateKey } from '../../../shared/clouds/cloud-c/keys/act-on-key.ts'
import { UpdateCloudCKey } from '../../../shared/clouds/cloud-c/keys/model.ts'
import { keyAction } from './key-action.ts'

/** PATCH /v1/keymgr/cloud-c/keys/{id}: labels, the cloud's own rotation, the primary, what versions will be like. */
export const update = keyAction('Update Cloud-c Key', updateKey, UpdateCloudCKey)
