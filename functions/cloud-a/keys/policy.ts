import { setKeyPolicy } from '../../../shared/clouds/cloud-a/keys/set-policy.ts'
import { KeyPolicyBody } from '../../../shared/clouds/cloud-a/keys/model.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/policy: a text, a template, lists, or with none of them the default policy. */
export const policy = keyAction('Set Cloud-a Key Policy', setKeyPolicy, KeyPolicyBody)
