import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { AliasBody } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/delete-alias: the name is free again. */
export const deleteAlias = keyAction(
  'Delete Cloud-a Key Alias',
  (context, id, body) => act(context, 'delete-alias', id, body),
  AliasBody,
)
