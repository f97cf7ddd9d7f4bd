import { updateKey } from '../../../shared/domain/cloud-c/keys/act-on-key.ts'
import { UpdateCloudCKey } from '../../../shared/model/cloud-c-key.ts'
import { keyAction } from './key-action.ts'

/** PATCH /v1/keymgr/cloud-c/keys/{id}: labels, the cloud's own rotation, the primary, what versions will be like. */
export const update = keyAction('Update Cloud-c Key', updateKey, UpdateCloudCKey)
