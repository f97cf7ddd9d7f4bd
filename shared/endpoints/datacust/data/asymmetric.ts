import { hash, type KeyObject } from 'node:crypto'
import { decryptOaep, encryptOaep, oaepMost } from '../../../crypto/rsa/oaep.ts'
import { DIGEST_BYTES, isPssSignature, signDigest, type DigestName } from '../../../crypto/signing/sign-digest.ts'
import { USAGE } from '../../../crypto/usage.ts'
import { materialOf } from '../../../serving/key-use/key-version.ts'
import { assertMay } from '../../../serving/key-use/may-use.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'
import type { Verb } from '../../../serving/pipeline.ts'
import type { Use } from '../../../vault/keys/lifecycle/key-state.ts'
import type { KeyedCall } from './admit.ts'
import { OAEP, PSS } from './algorithms.ts'
import { badRequest } from './errors.ts'
import { bytesIn, nameIn, textIn } from './fields.ts'

/** @throws DatacustRefusal BAD_REQUEST for an AES key */
function assertRsa({ key: { algorithm } }: KeyedCall): void {
  if (algorithm !== 'RSA') throw badRequest('The key is not asymmetric.')
}

const materialFor =
  (use: Use, bit: number) =>
  (call: KeyedCall): MaybePromise<KeyObject> => {
    const { local } = call.version
    assertMay(local, use, bit, call.now)
    return materialOf(call.domain, local, call)
  }

interface Input {
  /** the algorithm as the caller named it */
  readonly algorithm: string
  readonly name: DigestName
  readonly bytes: Buffer
}

const inputIn = (call: KeyedCall, table: Readonly<Record<string, DigestName>>, field: string): Input => {
  assertRsa(call)
  const name = nameIn(call.fields, 'algorithm', table)
  return { algorithm: textIn(call.fields, 'algorithm') ?? '', name, bytes: bytesIn(call.fields, field) }
}

/** POST …/asymmetric-encrypt */
export const asymmetricEncrypt: Verb<KeyedCall, Input, KeyObject> = {
  read: (call) => inputIn(call, OAEP, 'plaintext'),
  key: materialFor('protect', USAGE.encrypt),
  use: ({ version }, { algorithm, name, bytes }, key) => {
    const most = oaepMost(key, name)
    if (bytes.length > most) throw badRequest(`plaintext is longer than ${most} bytes.`)
    return { ciphertext: encryptOaep(key, name, bytes).toString('base64'), algorithm, key_version_id: version.id }
  },
}

/** POST …/asymmetric-decrypt */
export const asymmetricDecrypt: Verb<KeyedCall, Input, KeyObject> = {
  read: (call) => inputIn(call, OAEP, 'ciphertext'),
  key: materialFor('process', USAGE.decrypt),
  use: ({ version }, { name, bytes }, key) => {
    const plaintext = decryptOaep(key, name, bytes)
    const answer = { plaintext: plaintext.toString('base64'), key_version_id: version.id }
    plaintext.fill(0)
    return answer
  },
}

const RAW_BYTES = 4_096

/** What `message` is, by `message_type`. */
const DIGESTS: Readonly<Record<string, (message: Buffer, name: DigestName) => Buffer>> = {
  RAW: (message, name) => {
    if (message.length > RAW_BYTES) throw badRequest(`message is longer than ${RAW_BYTES} bytes.`)
    return hash(name, message, 'buffer')
  },
  DIGEST: (message, name) => {
    if (message.length === DIGEST_BYTES[name]) return message
    throw badRequest(`message must have ${DIGEST_BYTES[name]} bytes.`)
  },
}

/** The digest to sign in place of the message. @throws DatacustRefusal BAD_REQUEST */
const digestIn = (call: KeyedCall): Input => {
  const { bytes, ...rest } = inputIn(call, PSS, 'message')
  const { message_type: given } = call.fields
  const digest = nameIn({ message_type: given ?? 'RAW' }, 'message_type', DIGESTS)
  return { ...rest, bytes: digest(bytes, rest.name) }
}

/** POST …/asymmetric-sign. The runtime's `sign` would hash a digest again. */
export const asymmetricSign: Verb<KeyedCall, Input, KeyObject> = {
  read: digestIn,
  key: materialFor('protect', USAGE.sign),
  use: ({ version }, { algorithm, name, bytes }, key) => ({
    signature: signDigest('rsa-pss', key, bytes, name).toString('base64'),
    algorithm,
    key_version_id: version.id,
  }),
}

interface Signed extends Input {
  readonly signature: Buffer
}

/** POST …/asymmetric-verify. A signature of another length is invalid, not an error. */
export const asymmetricVerify: Verb<KeyedCall, Signed, KeyObject> = {
  read: (call) => ({ ...digestIn(call), signature: bytesIn(call.fields, 'signature') }),
  key: materialFor('process', USAGE.verify),
  use: ({ version }, { name, bytes, signature }, key) => ({
    signature_valid: isPssSignature(key, bytes, name, signature),
    key_version_id: version.id,
  }),
}
