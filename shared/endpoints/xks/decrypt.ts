import { hostedKey } from './hosted-key.ts'
import { decrypt as decryptWith, versionToDecrypt } from './use-key.ts'
import { decryptFields, limitEnvelope } from './body.ts'
import type { XksVerb } from './call.ts'
import { found } from './found.ts'

/** POST …/keys/{id}/decrypt: the plaintext of an envelope of which nothing was changed. */
export const decrypt: XksVerb = {
  requires: ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn', 'kmsKeyArn'],
  answer: async ({ store, keyId, body, now }) => {
    const envelope = decryptFields(body)
    const known = hostedKey(store, keyId, now)
    const key = found(known instanceof Promise ? await known : known)
    const named = versionToDecrypt(store, key, envelope.metadata, now)
    const version = named instanceof Promise ? await named : named
    limitEnvelope(envelope)
    const opening = decryptWith(store, version, envelope, now)
    const plaintext = opening instanceof Promise ? await opening : opening
    const answer = { plaintext: plaintext.toString('base64') }
    plaintext.fill(0)
    return answer
  },
}
