import { hostedKey } from './hosted-key.ts'
import { assertMayEncrypt, encrypt as encryptWith } from './use-key.ts'
import { encryptFields, limitPlain } from './body.ts'
import type { XksVerb } from './call.ts'
import { found } from './found.ts'

/** POST …/keys/{id}/encrypt: the parts of an envelope, and its integrity value where one is asked for. */
export const encrypt: XksVerb = {
  requires: ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn', 'kmsKeyArn'],
  answer: async ({ store, keyId, body, now }) => {
    const plain = encryptFields(body)
    const key = found(await hostedKey(store, keyId, now))
    assertMayEncrypt(key, plain.verified, now)
    limitPlain(plain)
    const { envelope, integrityValue } = await encryptWith(store, key, plain, now)
    return {
      ciphertext: envelope.ciphertext.toString('base64'),
      initializationVector: envelope.iv.toString('base64'),
      authenticationTag: envelope.tag.toString('base64'),
      ciphertextMetadata: envelope.metadata.toString('base64'),
      ciphertextDataIntegrityValue: integrityValue, // JSON leaves it out where it was not asked for
    }
  },
}
