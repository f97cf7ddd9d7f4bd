import { wrap as wrapWith } from './use-kek.ts'
import type { EkmVerb } from './call.ts'
import { aadIn, assertKeyPath, PLAINTEXT_BYTES } from './key-fields.ts'
import { someBytesIn } from './message.ts'

const answered = (blob: Buffer): object => ({ wrappedBlob: blob.toString('base64') })

/** POST {keyURI}:wrap */
export const wrap: EkmVerb = {
  keyType: 'symmetric',
  confidential: 'encrypt',
  answer: ({ endpoint, kekId, fields, trail, now }) => {
    trail.version = endpoint.latest.version
    assertKeyPath(fields, kekId)
    const plaintext = someBytesIn(fields, 'plaintext', PLAINTEXT_BYTES)
    const blob = wrapWith(endpoint, plaintext, aadIn(fields), now)
    return blob instanceof Promise ? blob.then(answered) : answered(blob)
  },
}
