import { createPublicKey } from 'node:crypto'
import type { VerifyingKey } from '../../../crypto/jose/jws.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { ServedEndpoints } from '../../../serving/served-endpoints.ts'
import { servedPolicy, type ServedPolicy } from '../../../serving/served-policy.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { urlOf } from '../identifiers.ts'
import type { StoredKaclsEndpoint } from '../store.ts'
import { folded } from './claims.ts'

/** A KACLS endpoint as the data plane needs it. */
export interface ServedEndpoint {
  readonly domain: string
  readonly id: string
  /** address that the suite's tokens contain */
  readonly url: string
  readonly isEnabled: boolean
  /** addresses of key sets, by issuer */
  readonly providers: ReadonlyMap<string, string>
  readonly audiences: { readonly authentication: ReadonlySet<string>; readonly authorization: ReadonlySet<string> }
  /** further origins whose pages may call this endpoint */
  readonly origins: ReadonlySet<string>
  readonly admitsGuests: boolean
  readonly isPrivileged: boolean
  /** in lower case */
  readonly ownerDomain: string | undefined
  /** absent for the default perimeter */
  readonly perimeter: ServedPolicy | undefined
  /**
   * who may open keys without a token of the suite: other services, and users; without `users`, the perimeter decides
   */
  readonly openers: { readonly services: ReadonlySet<string>; readonly users: ReadonlySet<string> | undefined }
  /** services from which keys are migrated */
  readonly formerServices: ReadonlySet<string>
  /** public halves of its signing keys, newest first, and the sealed private half of the newest */
  readonly signing: { readonly keys: readonly SigningKey[]; readonly sealed: string }
  /** the version that wraps */
  readonly latest: StoredLocalKey
}

/** A present or former signing key of the endpoint. */
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

/** Unchanged keys of the last read are reused, so that tokens verified with them stay cached. */
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

/** KACLS endpoints, by their ids. */
export const kaclsServed = new ServedEndpoints<StoredKaclsEndpoint, ServedEndpoint>({
  owner: 'kacls-owner',
  entity: 'kacls-endpoint',
  kekIdOf: ({ kekID }) => kekID,
  served: (domain, stored, latest, before) =>
    after(perimeterOf(stored, before), (perimeter) => served(domain, stored, latest, perimeter, before)),
})
