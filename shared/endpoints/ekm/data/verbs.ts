import type { KeyObject } from 'node:crypto'
import { USAGE } from '../../../crypto/usage.ts'
import { BLOB_OVERHEAD_BYTES, openBlob, sealBlob } from '../../../crypto/protocols/ekm-blob.ts'
import type { AttestedFacts } from '../../../attestation/facts.ts'
import type { Moment } from '../../../base/moment.ts'
import type { Fields } from '../../../base/json.ts'
import { freshIv } from '../../../serving/key-use/key-uses.ts'
import { materialOf } from '../../../serving/key-use/key-version.ts'
import { assertMay } from '../../../serving/key-use/may-use.ts'
import { after, afterBoth, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { Verb } from '../../../serving/pipeline.ts'
import { makeDue } from '../../../serving/sdkless/dynamo.ts'
import type { Use } from '../../../vault/keys/lifecycle/key-state.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { DESTROY_EKM_KEY, destructionKey } from '../spaces/record.ts'
import type { KeyVerb } from './address.ts'
import type { EkmCaller, EkmRecord } from './admit.ts'
import { EkmRefusal } from './errors.ts'
import { bytesIn, invalid, someBytesIn, textIn } from './message.ts'
import type { RequestContext } from './request-context.ts'
import type { ServedEndpoint } from './served-endpoint.ts'
import { versionToUnwrap } from './version-to-unwrap.ts'

/** A call by an authenticated caller to an enabled endpoint. */
export interface EkmCall extends EkmCaller {
  /** host of the address that was called */
  readonly host: string
  /** facts that the session of the call has proved; `undefined` outside a session and without evidence */
  readonly attested?: AttestedFacts | undefined
  readonly endpoint: ServedEndpoint
  readonly operation: string
  /** id of the version in the address */
  readonly kekId: string
  readonly fields: Fields
  readonly context: RequestContext
  readonly record: EkmRecord
  readonly now: Moment
  readonly requestId: string
}

export interface EkmVerb<Input = unknown, Key = unknown> extends Verb<EkmCall, Input, Key> {
  /** absent for a verb of keys of every type */
  readonly keyType?: ServedEndpoint['keyType']
  /** operation that an endpoint may reserve for confidential machines */
  readonly confidential?: 'encrypt' | 'decrypt'
  /** whether its message is in a session: then permission is asked for once the session is opened */
  readonly isWithinSession?: true
}

/** A verb that a session offers too. `bytes`: its answer; zero it after use. */
export interface EnvelopeVerb<Input = unknown, Key = unknown> extends EkmVerb<Input, Key> {
  readonly keyType: ServedEndpoint['keyType']
  readonly confidential: 'encrypt' | 'decrypt'
  bytes(call: EkmCall, input: Input, key: Key): Buffer
}

/** The largest plaintext that the cloud itself encrypts, with its overhead. */
const PLAINTEXT_BYTES = 65_536 + 1_024
const AAD_BYTES = 65_536
const PATH_CHARACTERS = 1_024

/** A message may repeat the key of the address, but no other. @throws EkmRefusal INVALID_ARGUMENT */
function assertKeyPath({ fields, kekId }: EkmCall): void {
  const path = textIn(fields, 'keyPath', PATH_CHARACTERS)
  textIn(fields, 'keyUriPrefix', PATH_CHARACTERS)
  if (path !== '' && path !== kekId && !path.endsWith(`/${kekId}`))
    throw invalid('keyPath names another key than the address.')
}

/** The latest version is used. The record names it, also for a refusal. */
function assertLatest(call: EkmCall): void {
  call.record.version = call.endpoint.latest.version
  assertKeyPath(call)
}

/** Absent and empty are the same. @throws EkmRefusal INVALID_ARGUMENT */
const aadIn = (fields: Fields): Buffer => bytesIn(fields, 'additionalAuthenticatedData', AAD_BYTES)

function latestMaterial(call: EkmCall, use: Use, bit: number): MaybePromise<KeyObject> {
  const { domain, latest } = call.endpoint
  assertMay(latest, use, bit, call.now)
  return materialOf(domain, latest, call)
}

interface Input {
  readonly bytes: Buffer
  readonly aad: Buffer
}

/** POST {keyURI}:wrap */
export const wrap: EnvelopeVerb<Input, { material: KeyObject; iv: Buffer }> = {
  keyType: 'symmetric',
  confidential: 'encrypt',
  read: (call) => {
    assertLatest(call)
    return { bytes: someBytesIn(call.fields, 'plaintext', PLAINTEXT_BYTES), aad: aadIn(call.fields) }
  },
  key: (call) => {
    const { domain, latest } = call.endpoint
    const material = latestMaterial(call, 'protect', USAGE.wrap)
    return afterBoth(
      material,
      () => freshIv(domain, latest.id, call.now),
      (known, iv) => ({ material: known, iv }),
    )
  },
  bytes: ({ endpoint: { latest } }, { bytes, aad }, { material, iv }) => sealBlob(material, latest, bytes, iv, aad),
  use: (...given) => ({ wrappedBlob: wrap.bytes(...given).toString('base64') }),
}

/** POST {keyURI}:unwrap. The answer forbids caching, so the cloud has to call each time. */
export const unwrap: EnvelopeVerb<Input, { material: KeyObject; version: StoredLocalKey }> = {
  keyType: 'symmetric',
  confidential: 'decrypt',
  read: (call) => {
    assertKeyPath(call)
    const bytes = someBytesIn(call.fields, 'wrappedBlob', PLAINTEXT_BYTES + BLOB_OVERHEAD_BYTES)
    return { bytes, aad: aadIn(call.fields) }
  },
  // Ours: an older version unwraps according to its own state, independent of the latest version's.
  key: (call, { bytes }) =>
    after(versionToUnwrap(call.endpoint, bytes, call.now), (version) => {
      call.record.version = version.version
      assertMay(version, 'process', USAGE.unwrap, call.now)
      return after(materialOf(call.endpoint.domain, version, call), (material) => ({ material, version }))
    }),
  bytes: (_call, { bytes, aad }, { material, version }) => openBlob(material, version, bytes, aad),
  use: (...given) => {
    const plaintext = unwrap.bytes(...given)
    const answer = { plaintext: plaintext.toString('base64') }
    plaintext.fill(0)
    return answer
  },
}

/** The code of signatures, loaded at the first call: most endpoints encrypt. */
const signing = () => import('./sign.ts')

/** POST {keyURI}:asymmetricSign. An endpoint signs with its only version; ECDSA signatures are DER. */
const asymmetricSign: EkmVerb<void, Buffer> = {
  keyType: 'asymmetric',
  read: assertLatest,
  key: async (call) => {
    const { signWith, toSignIn } = await signing()
    const toSign = toSignIn(call.fields, call.endpoint)
    return signWith(call.endpoint, toSign, await latestMaterial(call, 'protect', USAGE.sign))
  },
  use: (_call, _input, signature) => ({ signature: signature.toString('base64') }),
}

/**
 * POST {keyURI}:asymmetricVerify. A signature that is not valid, of whatever length, is an answer and no refusal.
 * Ours: the cloud verifies by itself, so that the answer serves other callers.
 */
const asymmetricVerify: EkmVerb<void, boolean> = {
  keyType: 'asymmetric',
  read: assertLatest,
  key: async (call) => {
    const { isSignedWith, toVerifyIn } = await signing()
    const toVerify = toVerifyIn(call.fields, call.endpoint)
    return isSignedWith(call.endpoint, toVerify, await latestMaterial(call, 'process', USAGE.verify))
  },
  use: (_call, _input, success) => ({ success }),
}

/** POST {keyURI}:getPublicKey */
const getPublicKey: EkmVerb<void, string> = {
  keyType: 'asymmetric',
  read: assertLatest,
  key: async (call) => {
    const { publicPem } = await signing()
    return publicPem(await latestMaterial(call, 'process', USAGE.verify))
  },
  use: ({ endpoint: { algorithm } }, _input, pem) => ({ pem, algorithm }),
}

/**
 * POST {keyURI}:destroyKey, for a key in a crypto space. Ours: a data plane only marks the key; the sweeper destroys it
 * within a minute.
 */
const destroyKey: EkmVerb<void, void> = {
  read: assertKeyPath,
  key: ({ endpoint: { domain, id, space }, now }) => {
    if (space === undefined) throw new EkmRefusal('UNIMPLEMENTED')
    return makeDue(destructionKey(domain, id), DESTROY_EKM_KEY, now.epochMs)
  },
  use: () => ({}),
}

export const VERBS: Readonly<Record<KeyVerb, EkmVerb>> = {
  wrap,
  unwrap,
  asymmetricSign,
  asymmetricVerify,
  getPublicKey,
  destroyKey,
}
