import { act } from '../../../shared/domain/cloud-a/keys/actions.ts'
import { AliasBody } from '../../../shared/model/cloud-a-key.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/delete-alias: the name is free again. */
export const deleteAlias = keyAction(
  'Delete Cloud-a Key Alias',
  (context, id, body) => act(context, 'delete-alias', id, body),
  AliasBody,
)
