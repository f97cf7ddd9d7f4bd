import type { Fields } from '../../../base/json.ts'
import { DIGEST_BYTES, type EkmHash } from '../../../crypto/ekm-algorithms.ts'
import { signingOf, type ToSign } from './use-signing-key.ts'
import type { ServedEndpoint } from './served-endpoint.ts'
import { bytesIn, invalid, objectIn } from './message.ts'

/** What the cloud signs at most without hashing it first. */
const DATA_BYTES = 65_536
const HASHES = Object.keys(DIGEST_BYTES) as EkmHash[]

/** Bare bytes, or an object with one member named after the hash. @throws EkmRefusal INVALID_ARGUMENT */
function digestIn(fields: Fields, hash: EkmHash): Buffer {
  if (typeof fields.digest === 'string') return bytesIn(fields, 'digest', DIGEST_BYTES.sha512)
  const digest = objectIn(fields, 'digest') ?? {}
  const given = HASHES.filter((name) => (digest[name] ?? undefined) !== undefined)
  if (given.length !== 1 || given[0] !== hash) throw invalid(`digest must have one member, ${hash}.`)
  return bytesIn(digest, hash, DIGEST_BYTES.sha512)
}

/** Exactly one of `data` and `digest`. @throws EkmRefusal INVALID_ARGUMENT */
export function toSignIn(fields: Fields, endpoint: ServedEndpoint): ToSign {
  const data = bytesIn(fields, 'data', DATA_BYTES)
  const hasDigest = (fields.digest ?? '') !== ''
  if (hasDigest === data.length > 0) throw invalid('Exactly one of data and digest is required.')
  if (!hasDigest) return { data }
  const { hash } = signingOf(endpoint)
  const digest = digestIn(fields, hash)
  if (digest.length !== DIGEST_BYTES[hash])
    throw invalid(`digest must have the ${DIGEST_BYTES[hash]} bytes of ${hash}.`)
  return { digest }
}
