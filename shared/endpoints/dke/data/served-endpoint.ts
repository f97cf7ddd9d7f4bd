import { patternTest } from '../../../http/lists/patterns.ts'
import { ServedEndpoints } from '../../../serving/served-endpoints.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import { keyPathOf, versionUuid } from '../identifiers.ts'
import { issuersOf } from '../issuers.ts'
import type { StoredDkeEndpoint } from '../store.ts'

/** The callers that may open documents. */
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
  /** `https://`, host and port, as the owner wrote them */
  readonly audience: string
  /** the tenant of each issuer of tokens */
  readonly issuers: ReadonlyMap<string, string>
  /** ids, in lower case, of the tenants whose users are allowed; empty if only the issuer decides */
  readonly tenants: ReadonlySet<string>
  readonly authorization: Authorization
  /** the version that encrypts new documents */
  readonly latest: StoredLocalKey
  /** that version, in a document's spelling */
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

/** DKE endpoints, by their ids. */
export const dkeServed = new ServedEndpoints<StoredDkeEndpoint, ServedEndpoint>({
  owner: 'dke-owner',
  entity: 'dke-endpoint',
  kekIdOf: ({ kek_id }) => kek_id,
  served,
})
