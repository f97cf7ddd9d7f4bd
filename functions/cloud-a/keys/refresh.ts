import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/refresh: the record as the cloud has the key now. */
export const refresh = keyAction('Refresh Cloud-a Key', (context, id) => act(context, 'refresh', id, {}))
