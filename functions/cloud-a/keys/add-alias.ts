import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { AliasBody } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/add-alias: one more name for the key, which no other key of the region has. */
export const addAlias = keyAction(
  'Add Cloud-a Key Alias',
  (context, id, body) => act(context, 'add-alias', id, body),
  AliasBody,
)
