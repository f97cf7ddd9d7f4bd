import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { RemoveTags } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/remove-tags: tags by their keys. */
export const removeTags = keyAction(
  'Remove Cloud-a Key Tags',
  (context, id, body) => act(context, 'remove-tags', id, body),
  RemoveTags,
)
