import { ciphertextInvalid } from '../../../crypto/aead.ts'
import { versionInBlob } from '../../../crypto/protocols/ekm-blob.ts'
import type { Moment } from '../../../base/moment.ts'
import { versionOf } from '../../../serving/key-use/key-version.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

/**
 * The version that a blob names. @throws Refusal CIPHERTEXT_INVALID for malformed bytes, and for a version that does
 * not exist
 */
export const versionToUnwrap = (endpoint: ServedEndpoint, blob: Buffer, now: Moment): MaybePromise<StoredLocalKey> =>
  after(versionOf(endpoint, versionInBlob(blob), now), (version) => {
    if (version === undefined) throw ciphertextInvalid()
    return version
  })
