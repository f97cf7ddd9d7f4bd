import { BLOB_OVERHEAD_BYTES } from '../../../crypto/ekm-blob.ts'
import { unwrap as unwrapWith, versionToUnwrap } from './use-kek.ts'
import type { EkmVerb } from './call.ts'
import { aadIn, assertKeyPath, PLAINTEXT_BYTES } from './key-fields.ts'
import { someBytesIn } from './message.ts'

/** POST {keyURI}:unwrap. The cloud is to ask each time: no duration is given for which it may keep the answer. */
export const unwrap: EkmVerb = {
  keyType: 'symmetric',
  confidential: 'decrypt',
  answer: async ({ endpoint, kekId, fields, trail, now }) => {
    assertKeyPath(fields, kekId)
    const blob = someBytesIn(fields, 'wrappedBlob', PLAINTEXT_BYTES + BLOB_OVERHEAD_BYTES)
    const aad = aadIn(fields)
    const named = versionToUnwrap(endpoint, blob, now)
    const version = named instanceof Promise ? await named : named
    trail.version = version.version
    const plaintext = await unwrapWith(endpoint, version, blob, aad, now)
    const answer = { plaintext: plaintext.toString('base64') }
    plaintext.fill(0)
    return answer
  },
}
