import { act } from '../../../shared/clouds/cloud-a/keys/actions.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/enable: a disabled key can be used again. */
export const enable = keyAction('Enable Cloud-a Key', (context, id) => act(context, 'enable', id, {}))
