import { signWith } from './use-signing-key.ts'
import type { EkmVerb } from './call.ts'
import { assertKeyPath } from './key-fields.ts'
import { toSignIn } from './to-sign.ts'

/** POST {keyURI}:asymmetricSign */
export const asymmetricSign: EkmVerb = {
  keyType: 'asymmetric',
  answer: async ({ endpoint, kekId, fields, trail, now }) => {
    trail.version = endpoint.latest.version
    assertKeyPath(fields, kekId)
    const signature = await signWith(endpoint, toSignIn(fields, endpoint), now)
    return { signature: signature.toString('base64') }
  },
}
