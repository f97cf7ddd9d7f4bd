import { hostedKey } from './hosted-key.ts'
import { describeKey } from './use-key.ts'
import type { XksVerb } from './call.ts'
import { found } from './found.ts'

/** POST …/keys/{id}/metadata: what the key is and may do; also of a key that is disabled. */
export const getKeyMetadata: XksVerb = {
  requires: ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn'],
  answer: async ({ store, keyId, now }) => describeKey(found(await hostedKey(store, keyId, now)), now),
}
