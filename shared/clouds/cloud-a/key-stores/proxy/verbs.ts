import type { KeyObject } from 'node:crypto'
import { decryptEnvelope, type Envelope } from '../../../../crypto/protocols/xks-envelope.ts'
import type { Moment } from '../../../../base/moment.ts'
import type { Fields } from '../../../../base/json.ts'
import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import { materialOf } from '../../../../serving/key-use/key-version.ts'
import type { CommonRecord } from '../../../../serving/access-log.ts'
import type { Verb } from '../../../../serving/pipeline.ts'
import type { XksOperation } from './address.ts'
import type { MetadataField } from './access-log.ts'
import { decryptFields, encryptFields, limitEnvelope, limitPlain } from './body.ts'
import { XksRefusal } from './errors.ts'
import { storeHealth } from './health.ts'
import { hostedKey, type HostedKey } from './hosted-key.ts'
import { storeNow, type ServedStore } from './key-store.ts'
import {
  assertMayEncrypt,
  describeKey,
  encryptionKey,
  encryptWith,
  versionToDecrypt,
  type EncryptionKey,
  type Plain,
} from './use-key.ts'

/** A signed request to a store that is not blocked, with a well-formed body. */
export interface XksCall {
  readonly store: ServedStore
  readonly keyId: string
  readonly body: Fields
  readonly now: Moment
  readonly record: CommonRecord
}

export interface XksVerb<Input = unknown, Key = unknown> extends Verb<XksCall, Input, Key> {
  /** required fields of `requestMetadata` */
  readonly requires: readonly MetadataField[]
}

/**
 * The refusal of a key that does not exist, or belongs to another store. If the store was blocked meanwhile, that takes
 * precedence.
 * @throws XksRefusal InvalidStateException, KeyNotFoundException
 */
async function notFound(store: ServedStore, now: Moment): Promise<never> {
  const fresh = await storeNow(store, now).catch(() => undefined)
  throw new XksRefusal(fresh?.blocked === true ? 'InvalidStateException' : 'KeyNotFoundException')
}

const keyOf = <T>({ store, keyId, now }: XksCall, next: (key: HostedKey) => MaybePromise<T>): MaybePromise<T> =>
  after(hostedKey(store, keyId, now), (key) => (key === undefined ? notFound(store, now) : next(key)))

const ALL: readonly MetadataField[] = ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn', 'kmsKeyArn']

/** POST …/health: whether calls to this store would work. */
const getHealthStatus: XksVerb<undefined, undefined> = {
  requires: ['kmsRequestId', 'kmsOperation'],
  read: () => undefined,
  key: () => undefined,
  use: ({ store, now }) => storeHealth(store, now),
}

/** POST …/keys/{id}/metadata: the kind of the key and its permissions, also of a disabled key. */
const getKeyMetadata: XksVerb<undefined, HostedKey> = {
  requires: ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn'],
  read: () => undefined,
  key: (call) => keyOf(call, (key) => key),
  use: ({ now }, _input, key) => describeKey(key, now),
}

/** POST …/keys/{id}/encrypt: the parts of an envelope, and its integrity value if requested. */
const encrypt: XksVerb<Plain, EncryptionKey> = {
  requires: ALL,
  read: ({ body }) => encryptFields(body),
  key: (call, plain) =>
    keyOf(call, (key) => {
      assertMayEncrypt(key, plain.verified, call.now)
      limitPlain(plain)
      return encryptionKey(call.store, key, call)
    }),
  use: (_call, plain, key) => {
    const { envelope, integrityValue } = encryptWith(key, plain)
    return {
      ciphertext: envelope.ciphertext.toString('base64'),
      initializationVector: envelope.iv.toString('base64'),
      authenticationTag: envelope.tag.toString('base64'),
      ciphertextMetadata: envelope.metadata.toString('base64'),
      ciphertextDataIntegrityValue: integrityValue, // JSON omits an undefined member
    }
  },
}

/** POST …/keys/{id}/decrypt: the plaintext of an unchanged envelope. */
const decrypt: XksVerb<Envelope, KeyObject> = {
  requires: ALL,
  read: ({ body }) => decryptFields(body),
  key: (call, envelope) =>
    keyOf(call, (key) =>
      after(versionToDecrypt(call.store, key, envelope.metadata, call.now), (version) => {
        limitEnvelope(envelope)
        return materialOf(call.store.domain, version, call)
      }),
    ),
  use: (_call, envelope, key) => {
    const plaintext = decryptEnvelope(key, envelope)
    const answer = { plaintext: plaintext.toString('base64') }
    plaintext.fill(0)
    return answer
  },
}

export const VERBS: Readonly<Record<XksOperation, XksVerb>> = {
  GetHealthStatus: getHealthStatus,
  GetKeyMetadata: getKeyMetadata,
  Encrypt: encrypt,
  Decrypt: decrypt,
}
