import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/disable: nobody can use the key until it is enabled. */
export const disable = keyAction('Disable Cloud-a Key', (context, id) => act(context, 'disable', id, {}))
