import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { AddTags } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/add-tags: a tag that is there gets the new value. */
export const addTags = keyAction(
  'Add Cloud-a Key Tags',
  (context, id, body) => act(context, 'add-tags', id, body),
  AddTags,
)
