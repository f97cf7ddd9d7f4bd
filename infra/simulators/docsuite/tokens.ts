import { createTokenKeys, TOKEN_SECONDS, type TokenKeys } from '../toolkit/token-keys.ts'

const issuerOf = (tenant: string): string => `https://sts.windows.net/${tenant}/`

/** The tokens of all tenants, signed with the same keys. */
export interface DocsuiteTokens extends Omit<TokenKeys, 'issue'> {
  readonly issue: (tenant: string, audience: string, claims: object) => Promise<string>
}

/** @param now milliseconds since the epoch */
export function createDocsuiteTokens(now: () => number): DocsuiteTokens {
  const keys = createTokenKeys('docsuite', now)
  return {
    ...keys,
    issue: (tenant, audience, claims) => {
      const iat = Math.floor(now() / 1_000)
      const usual = {
        iss: issuerOf(tenant),
        aud: audience,
        iat,
        nbf: iat,
        exp: iat + TOKEN_SECONDS,
        tid: tenant,
        ver: '1.0',
      }
      return keys.issue({ ...usual, ...claims })
    },
  }
}
