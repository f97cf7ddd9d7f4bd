import { createPublicKey } from 'node:crypto'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Moment } from '../../../base/moment.ts'
import { StaleCache } from '../../../base/stale-cache.ts'
import type { VerifyingKey } from '../../../crypto/jws.ts'
import { STATE_BOUNDS } from '../../../serving/key-use/bounds.ts'
import { readVersion } from '../../../serving/key-use/key-version.ts'
import type { StoredOwner } from '../../../serving/managed/owner.ts'
import type { MaybePromise } from '../../../serving/maybe-promise.ts'
import { servedPolicy, type ServedPolicy } from '../../../serving/served-policy.ts'
import { readEntity } from '../../../serving/sdkless/dynamo.ts'
import { itemKey } from '../../../store/layout.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { urlOf } from '../identifiers.ts'
import type { StoredKaclsEndpoint } from '../store.ts'
import { folded } from './claims.ts'

/** A KACLS endpoint as the data plane needs it. */
export interface ServedEndpoint {
  readonly domain: string
  readonly id: string
  /** address that the suite's tokens name */
  readonly url: string
  readonly isEnabled: boolean
  /** addresses of key sets, by issuer */
  readonly providers: ReadonlyMap<string, string>
  readonly audiences: { readonly authentication: ReadonlySet<string>; readonly authorization: ReadonlySet<string> }
  /** further origins whose pages may call */
  readonly origins: ReadonlySet<string>
  readonly admitsGuests: boolean
  readonly isPrivileged: boolean
  /** in lower case */
  readonly ownerDomain: string | undefined
  /** absent for the default */
  readonly perimeter: ServedPolicy | undefined
  /** who may open keys without a token of the suite: other services, and users, of whom absent means whom the perimeter allows */
  readonly openers: { readonly services: ReadonlySet<string>; readonly users: ReadonlySet<string> | undefined }
  /** services that keys are migrated from */
  readonly formerServices: ReadonlySet<string>
  /** public halves of its signing keys, newest first, and the sealed private half of the newest */
  readonly signing: { readonly keys: readonly SigningKey[]; readonly sealed: string }
  /** the version that wraps */
  readonly latest: StoredLocalKey
}

/** A key by which the endpoint signs, or signed. */
export interface SigningKey extends Pick<StoredKaclsEndpoint['signing_keys'][number], 'kid' | 'n' | 'e'> {
  readonly untilMs: number
  readonly verifying: VerifyingKey
}

const AUDIENCE = 'cse-authorization'
const RS256: ReadonlySet<unknown> = new Set(['RS256'])

const signingKeys = ({ signing_keys: keys }: StoredKaclsEndpoint): SigningKey[] =>
  keys.map(({ kid, n, e, until }) => ({
    kid,
    n,
    e,
    untilMs: until === undefined ? Infinity : Date.parse(until),
    verifying: { key: createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' }), algorithms: RS256 },
  }))

/** The keys of the last read, unless they changed: known tokens stay known with their key. */
const signingOf = (stored: StoredKaclsEndpoint, before: ServedEndpoint | undefined): ServedEndpoint['signing'] =>
  before?.signing.sealed === stored.sealed ? before.signing : { keys: signingKeys(stored), sealed: stored.sealed }

function served(
  domain: string,
  stored: StoredKaclsEndpoint,
  latest: StoredLocalKey,
  perimeter: ServedPolicy | undefined,
  before: ServedEndpoint | undefined,
): ServedEndpoint {
  const { authorizationAud: audiences = [], privileged_unwrap: openers, meta } = stored
  return {
    domain,
    id: stored.id,
    url: urlOf(stored),
    isEnabled: stored.status === 'Enabled',
    providers: new Map(stored.providers.map(({ iss, jwks_uri }) => [iss, jwks_uri])),
    audiences: {
      authentication: new Set(stored.authenticationAud),
      authorization: new Set(audiences.length === 0 ? [AUDIENCE] : audiences),
    },
    origins: new Set(stored.cors),
    admitsGuests: stored.allow_guest_access,
    isPrivileged: stored.allow_privileged_unwrap,
    ownerDomain: typeof meta?.owner_domain === 'string' ? folded(meta.owner_domain) : undefined,
    perimeter,
    openers: {
      services: new Set(openers?.kacls_base_url),
      users: openers?.users && new Set(openers.users.map(folded)),
    },
    formerServices: new Set(stored.rewrap?.kacls_base_url),
    signing: signingOf(stored, before),
    latest,
  }
}

const perimeterOf = (
  { perimeter }: StoredKaclsEndpoint,
  before: ServedEndpoint | undefined,
): MaybePromise<ServedPolicy | undefined> =>
  perimeter && servedPolicy(perimeter.text, perimeter.dialect, before?.perimeter)

/**
 * The owner of an endpoint, the endpoint, and the latest version of its key. Items known from the last read are read in the
 * same batch.
 */
async function readEndpoint(
  id: string,
  before: ServedEndpoint | undefined,
  epochMs: number,
): Promise<ServedEndpoint | undefined> {
  const endpointIn = (domain: string) => readEntity<StoredKaclsEndpoint>(itemKey(domain, 'kacls-endpoint', id), epochMs)
  const [owner, storedBefore, latestBefore] = await Promise.all([
    readEntity<StoredOwner>(itemKey(ROOT_DOMAIN_ID, 'kacls-owner', id), epochMs),
    before && endpointIn(before.domain),
    before && readVersion(before.domain, before.latest.id, epochMs),
  ])
  if (owner === undefined) return undefined
  const stored = before === undefined ? await endpointIn(owner.domain) : storedBefore
  if (stored === undefined) return undefined
  const [latest, perimeter] = await Promise.all([
    latestBefore?.id === stored.kekID ? latestBefore : readVersion(owner.domain, stored.kekID, epochMs),
    perimeterOf(stored, before),
  ])
  return latest && served(owner.domain, stored, latest, perimeter, before)
}

const ENDPOINT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const endpoints = new StaleCache<ServedEndpoint>(STATE_BOUNDS)

/** An endpoint, at most five seconds old. `undefined` if there is none. @throws Refusal UNAVAILABLE */
export function servedEndpoint(id: string, now: Moment): MaybePromise<ServedEndpoint | undefined> {
  if (!ENDPOINT_ID.test(id)) return undefined
  return endpoints.get(id, now, (before) => readEndpoint(id, before, now.epochMs))
}

/** Ours: a client does not enable an endpoint and call it faster, and callers of a disabled one cause no more reads. */
const NOW_MS = 250

/** The same, at most a quarter of a second old: enabling takes effect at once. @throws Refusal UNAVAILABLE */
export const endpointNow = (id: string, now: Moment): MaybePromise<ServedEndpoint | undefined> =>
  endpoints.youngerThan(NOW_MS, id, now, (before) => readEndpoint(id, before, now.epochMs))
