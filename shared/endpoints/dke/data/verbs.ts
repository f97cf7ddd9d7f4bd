import { createPublicKey, type KeyObject } from 'node:crypto'
import { Refusal } from '../../../base/errors.ts'
import { DAY_MS } from '../../../base/time.ts'
import type { Fields } from '../../../base/json.ts'
import type { Moment } from '../../../base/moment.ts'
import { ciphertextInvalid } from '../../../crypto/aead.ts'
import { materialOf } from '../../../serving/key-use/key-version.ts'
import { assertUsableNow } from '../../../serving/key-use/may-use.ts'
import type { CommonRecord } from '../../../serving/access-log.ts'
import type { Verb } from '../../../serving/pipeline.ts'
import type { DkeAddress } from './address.ts'
import type { Serving } from './admit.ts'
import { CIPHERTEXT_BYTES, decrypted } from './decrypt.ts'
import { badRequest } from './errors.ts'

/** A call that the endpoint serves. */
export interface DkeCall extends Serving {
  /** members of the body; none for the public key */
  readonly fields: Fields
  readonly now: Moment
  readonly record: CommonRecord
}

export type DkeVerb<Input = unknown> = Verb<DkeCall, Input, KeyObject>

/** Longest exponent that a JSON number represents exactly. */
const EXPONENT_BYTES = 6

interface PublicNumbers {
  /** the modulus, in base64 with padding */
  readonly n: string
  readonly e: number
}

const numbers = new WeakMap<KeyObject, PublicNumbers>()

function publicNumbers(key: KeyObject): PublicNumbers {
  const known = numbers.get(key)
  if (known) return known
  const { n = '', e = '' } = createPublicKey(key).export({ format: 'jwk' })
  const exponent = Buffer.from(e, 'base64url')
  // Imported keys may have an exponent that is too large for a JSON number.
  if (exponent.length > EXPONENT_BYTES)
    throw new Refusal('STATE_CONFLICT', 'The public exponent of the key is too large.')
  const made = { n: Buffer.from(n, 'base64url').toString('base64'), e: exponent.readUIntBE(0, exponent.length) }
  numbers.set(key, made)
  return made
}

/** A time in the clients' format: UTC, without fraction and zone. */
const plainTime = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 'yyyy-MM-ddTHH:mm:ss'.length)

/** GET {key_uri}. Clients insist on `RS256`, although they encrypt with OAEP, and keep the key for a day. */
const publicKey: DkeVerb<void> = {
  read: () => undefined,
  key: (call) => {
    assertUsableNow(call.version, 'protect', call.now)
    return materialOf(call.endpoint.domain, call.version, call)
  },
  use: ({ endpoint: { keyUri, latestUuid }, now }, _input, key) => ({
    key: { kty: 'RSA', ...publicNumbers(key), alg: 'RS256', kid: `${keyUri}/${latestUuid}` },
    cache: { exp: plainTime(now.epochMs + DAY_MS) },
  }),
}

const ALGORITHM = 'RSA-OAEP-256'
/** Ciphertext in standard base64 with padding. @throws DkeRefusal BAD_REQUEST */
function ciphertextIn({ fields: { alg, value } }: DkeCall): Buffer {
  if (alg !== ALGORITHM) throw badRequest(`alg must be ${ALGORITHM}.`)
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
  if (bytes?.toString('base64') !== value) throw badRequest('value must be base64 with padding.')
  // Refused like bytes that do not decrypt, so that a caller learns nothing about the key.
  if (bytes?.length !== CIPHERTEXT_BYTES) throw ciphertextInvalid()
  return bytes
}

/**
 * POST {kid}/decrypt. Ours: the usage mask is ignored, since the keys of endpoints are created for signing and
 * verifying; the state and dates of the version decide.
 */
const decrypt: DkeVerb<Buffer> = {
  read: ciphertextIn,
  key: (call) => {
    assertUsableNow(call.version, 'process', call.now)
    return materialOf(call.endpoint.domain, call.version, call)
  },
  use: (_call, bytes, key) => {
    const plaintext = decrypted(key, bytes)
    const answer = { value: plaintext.toString('base64') }
    plaintext.fill(0)
    return answer
  },
}

export const VERBS: Readonly<Record<DkeAddress['operation'], DkeVerb>> = { publicKey, decrypt }
