import { setKeyPolicy } from '../../../shared/domain/cloud-a/keys/set-policy.ts'
import { KeyPolicyBody } from '../../../shared/model/cloud-a-key.ts'
import { keyAction } from './key-action.ts'

/** POST /v1/keymgr/cloud-a/keys/{id}/policy: a text, a template, lists, or with none of them the default policy. */
export const policy = keyAction('Set Cloud-a Key Policy', setKeyPolicy, KeyPolicyBody)
