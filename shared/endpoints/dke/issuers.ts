const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** An issuer of a tenant's tokens, in the first or the second form of the identity platform. */
export const ISSUER = new RegExp(`^https://[a-z0-9.-]+(?::\\d{1,5})?/(${UUID})/(?:v2\\.0)?$`)

/** The tenant whose tokens an issuer signs, in lower case; it is in the issuer's address. */
const tenantOf = (issuer: string): string | undefined => ISSUER.exec(issuer)?.[1]

/** Both forms of the issuer of a tenant's tokens at the identity platform. */
const formsOf = (tenant: string): readonly string[] => [
  `https://sts.windows.net/${tenant}/`,
  `https://login.microsoftonline.com/${tenant}/v2.0`,
]

/**
 * The issuers that an endpoint accepts, compared character by character, each with its tenant: the configured issuer,
 * or both forms for every listed tenant.
 */
export function issuersOf(endpoint: {
  readonly auth_tenants: readonly string[]
  readonly authorization_params?: { readonly valid_issuers?: readonly string[] | undefined } | undefined
}): ReadonlyMap<string, string> {
  const issuers = endpoint.authorization_params?.valid_issuers ?? endpoint.auth_tenants.flatMap(formsOf)
  return new Map(issuers.map((issuer) => [issuer, tenantOf(issuer) ?? '']))
}
