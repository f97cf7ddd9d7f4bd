import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Moment } from '../../../base/moment.ts'
import { StaleCache } from '../../../base/stale-cache.ts'
import { patternTest } from '../../../http/patterns.ts'
import { STATE_BOUNDS } from '../../../serving/key-use/bounds.ts'
import { readVersion } from '../../../serving/key-use/key-version.ts'
import type { StoredOwner } from '../../../serving/managed/owner.ts'
import { readEntity } from '../../../serving/sdkless/dynamo.ts'
import { itemKey } from '../../../store/layout.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { keyPathOf, versionUuid } from '../identifiers.ts'
import { issuersOf } from '../issuers.ts'
import type { StoredDkeEndpoint } from '../store.ts'

/** Who may open documents. */
export type Authorization =
  | { readonly by: 'tenant' | 'nobody' }
  | { readonly by: 'email'; readonly allows: (address: string) => boolean }
  | { readonly by: 'role'; readonly roles: ReadonlySet<string> }

/** A DKE endpoint as the data plane needs it. */
export interface ServedEndpoint {
  readonly domain: string
  readonly id: string
  readonly isEnabled: boolean
  readonly recordsSuccesses: boolean
  readonly keyUri: string
  /** `https://` and the host, as the owner wrote it, with its port */
  readonly audience: string
  /** the tenant of each issuer of tokens */
  readonly issuers: ReadonlyMap<string, string>
  /** ids of the tenants whose people may come, in lower case; empty where the issuer alone decides */
  readonly tenants: ReadonlySet<string>
  readonly authorization: Authorization
  /** the version that new documents use */
  readonly latest: StoredLocalKey
  /** that version, as documents name it */
  readonly latestUuid: string
}

function authorizationOf({ authorization_params: params, auth_tenants: tenants }: StoredDkeEndpoint): Authorization {
  if (params === undefined) return { by: tenants.length > 0 ? 'tenant' : 'nobody' }
  const lower = (texts: readonly string[] = []): string[] => texts.map((text) => text.trim().toLowerCase())
  return params.authorization_type === 'email'
    ? { by: 'email', allows: patternTest(lower(params.email_authz_params?.authorized_email_addresses)) }
    : { by: 'role', roles: new Set(lower(params.role_authz_params?.authorized_roles)) }
}

function served(domain: string, stored: StoredDkeEndpoint, latest: StoredLocalKey): ServedEndpoint {
  const audience = `https://${stored.key_uri_hostname}`
  return {
    domain,
    id: stored.id,
    isEnabled: stored.status === 'Enabled',
    recordsSuccesses: stored.enable_success_audit_event,
    keyUri: audience + keyPathOf(stored),
    audience,
    issuers: issuersOf(stored),
    tenants: new Set(stored.auth_tenants),
    authorization: authorizationOf(stored),
    latest,
    latestUuid: versionUuid(stored.id, latest.version),
  }
}

/**
 * The owner of an endpoint, the endpoint, and the latest version of its key. Items known from the last read are read in the
 * same batch.
 */
async function readEndpoint(
  id: string,
  before: ServedEndpoint | undefined,
  epochMs: number,
): Promise<ServedEndpoint | undefined> {
  const endpointIn = (domain: string) => readEntity<StoredDkeEndpoint>(itemKey(domain, 'dke-endpoint', id), epochMs)
  const [owner, storedBefore, latestBefore] = await Promise.all([
    readEntity<StoredOwner>(itemKey(ROOT_DOMAIN_ID, 'dke-owner', id), epochMs),
    before && endpointIn(before.domain),
    before && readVersion(before.domain, before.latest.id, epochMs),
  ])
  if (owner === undefined) return undefined
  const stored = before === undefined ? await endpointIn(owner.domain) : storedBefore
  if (stored === undefined) return undefined
  const isSame = latestBefore?.id === stored.kek_id
  const latest = isSame ? latestBefore : await readVersion(owner.domain, stored.kek_id, epochMs)
  return latest && served(owner.domain, stored, latest)
}

const ENDPOINT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const endpoints = new StaleCache<ServedEndpoint>(STATE_BOUNDS)

/** An endpoint, at most five seconds old. `undefined` if there is none. @throws Refusal UNAVAILABLE */
export function servedEndpoint(
  id: string,
  now: Moment,
): ServedEndpoint | undefined | Promise<ServedEndpoint | undefined> {
  if (!ENDPOINT_ID.test(id)) return undefined
  return endpoints.get(id, now, (before) => readEndpoint(id, before, now.epochMs))
}

/** Ours: a client does not enable an endpoint and call it faster, and callers of a disabled one cause no more reads. */
const NOW_MS = 250

/** The same, at most a quarter of a second old: enabling takes effect at once. @throws Refusal UNAVAILABLE */
export const endpointNow = (
  id: string,
  now: Moment,
): ServedEndpoint | undefined | Promise<ServedEndpoint | undefined> =>
  endpoints.youngerThan(NOW_MS, id, now, (before) => readEndpoint(id, before, now.epochMs))
