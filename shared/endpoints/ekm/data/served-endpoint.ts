import type { EkmAlgorithmName } from '../../../crypto/protocols/ekm-algorithms.ts'
import { LOCAL_KEY_ID, ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Moment } from '../../../base/moment.ts'
import { StaleCache } from '../../../base/stale-cache.ts'
import type { BasicEkmPolicy } from '../policy-model.ts'
import { readyBasic } from '../basic-policy.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'
import { servedPolicy, type ServedPolicy } from '../../../serving/served-policy.ts'
import { SPACE_KIND } from '../spaces/record.ts'
import type { StoredEkmEndpoint, StoredKek } from '../store.ts'
import { itemKey } from '../../../store/layout.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { alsoBlocksOf } from '../../../serving/served-blocks.ts'
import { readEntity } from '../../../serving/sdkless/dynamo.ts'
import { STATE_BOUNDS } from '../../../serving/key-use/bounds.ts'
import { readVersion } from '../../../serving/key-use/key-version.ts'
import { hashOfPolicy } from '../policy-text.ts'

/** A basic policy, ready to decide; `text` shows whether it has changed. */
interface ServedBasicPolicy {
  readonly text: string
  readonly hash: string
  readonly ready: ReturnType<typeof readyBasic>
}

/** An EKM endpoint as the data plane needs it. */
export interface ServedEndpoint {
  readonly domain: string
  readonly id: string
  /** host of its address, in lower case */
  readonly host: string
  /** whether it and its crypto space, if it is in one, serve callers */
  readonly enabled: boolean
  /** id of its crypto space, if it is in one */
  readonly space: string | undefined
  /** whether successful calls become audit records */
  readonly recordsSuccesses: boolean
  /** whether only a confidential machine in an attested session may encrypt, or decrypt */
  readonly confidential: { readonly encrypt: boolean; readonly decrypt: boolean }
  /** whether attested sessions may use it */
  readonly takesSessions: boolean
  readonly keyType: 'symmetric' | 'asymmetric'
  readonly algorithm: EkmAlgorithmName
  readonly policy: ServedBasicPolicy | ServedPolicy
  /** the version that encrypts or signs */
  readonly latest: StoredLocalKey
}

const endpoints = new StaleCache<ServedEndpoint>(STATE_BOUNDS)

/** A crypto space, as far as it decides about calls. */
interface ServedSpace {
  readonly blocked: boolean
  readonly enable_success_audit_event: boolean
}

type EndpointPolicy = ServedEndpoint['policy']

function basicPolicy(policy: BasicEkmPolicy, before: EndpointPolicy | undefined): ServedBasicPolicy {
  const text = JSON.stringify(policy)
  return before?.text === text && 'ready' in before
    ? before
    : { text, hash: hashOfPolicy({ policy: { basic: policy } }), ready: readyBasic(policy) }
}

const policyOf = (
  { policy: { basic, rego = '' }, dialect = 'v1' }: StoredEkmEndpoint,
  before: EndpointPolicy | undefined,
): MaybePromise<EndpointPolicy> =>
  basic === undefined
    ? servedPolicy(rego, dialect, before && 'dialect' in before ? before : undefined)
    : basicPolicy(basic, before)

/**
 * The owner of an endpoint, the endpoint, and the version that it encrypts with. Items known from the last read are
 * read in the same batch. The first read assumes that the address names the latest version, which is usually true.
 */
async function readEndpoint(
  kekId: string,
  before: ServedEndpoint | undefined,
  now: Moment,
): Promise<ServedEndpoint | undefined> {
  const { epochMs } = now
  const endpointOf = (domain: string, id: string) =>
    readEntity<StoredEkmEndpoint>(itemKey(domain, 'ekm-endpoint', id), epochMs)
  const [kek, storedBefore, latestBefore] = await Promise.all([
    readEntity<StoredKek>(itemKey(ROOT_DOMAIN_ID, 'ekm-kek', kekId), epochMs),
    before && endpointOf(before.domain, before.id),
    before && readVersion(before.domain, before.latest.id, epochMs),
  ])
  if (kek === undefined) return undefined
  const { domain, endpoint: id } = kek
  alsoBlocksOf(domain, now)
  const [stored, named] =
    id === before?.id
      ? [storedBefore, latestBefore]
      : await Promise.all([endpointOf(domain, id), readVersion(domain, kekId, epochMs)])
  if (stored === undefined || stored.destroyedAt !== undefined) return undefined
  const { cryptospace_id: space } = stored
  const [latest, policy, around] = await Promise.all([
    named?.id === stored.kekID ? named : readVersion(domain, stored.kekID, epochMs),
    policyOf(stored, before?.policy),
    space === undefined ? undefined : readEntity<ServedSpace>(itemKey(domain, SPACE_KIND, space), epochMs),
  ])
  const isUde = stored.endpoint_type === 'ekm-ude'
  return (
    latest && {
      domain,
      id,
      host: stored.keyURIHostname.toLowerCase(),
      enabled: stored.enabled && around?.blocked !== true,
      space,
      recordsSuccesses: around?.enable_success_audit_event !== false,
      confidential: {
        encrypt: isUde && stored.cvm_required_for_encrypt,
        decrypt: isUde && stored.cvm_required_for_decrypt,
      },
      takesSessions: isUde,
      keyType: stored.key_type,
      algorithm: stored.algorithm,
      policy,
      latest,
    }
  )
}

/**
 * The endpoint over the key with a version of this id, at most five seconds old. `undefined` if none exists.
 * @throws Refusal UNAVAILABLE
 */
export function servedEndpoint(
  kekId: string,
  now: Moment,
): ServedEndpoint | undefined | Promise<ServedEndpoint | undefined> {
  if (!LOCAL_KEY_ID.test(kekId)) return undefined
  return endpoints.get(kekId, now, (before) => readEndpoint(kekId, before, now))
}

/** The same if it is cached, for the access-log record of a refusal. */
export const cachedEndpoint = (kekId: string, now: Moment): ServedEndpoint | undefined => endpoints.peek(kekId, now)

/**
 * Ours: a refusal may be repeated for this long after an endpoint is enabled. Calls to a disabled endpoint cause at most
 * one read in this time.
 */
const NOW_MS = 250

/**
 * The endpoint, at most `NOW_MS` old: read before a call is refused.
 * @throws Refusal UNAVAILABLE
 */
export const endpointNow = (
  kekId: string,
  now: Moment,
): ServedEndpoint | undefined | Promise<ServedEndpoint | undefined> =>
  endpoints.youngerThan(NOW_MS, kekId, now, (before) => readEndpoint(kekId, before, now))
