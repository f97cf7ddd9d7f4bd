import { defined } from '../../base/fields.ts'
import { environment } from '../../base/environment.ts'
import { ROOT_DOMAIN_ID, accountOf, uuid } from '../../base/ids.ts'
import { toSeconds } from '../../base/time.ts'
import { signToken, TOKEN_SECONDS } from '../../keyring/token-key.ts'
import { audienceOf, CLIENT, type TokenClaims } from './claims-model.ts'
import type { Token } from './model.ts'

/** The subject of a token, and its rights. */
export interface TokenHolder {
  /** id of the user or of the client */
  readonly sub: string
  readonly username: string
  readonly domain: { readonly id: string; readonly name: string }
  /** domain that owns the user or the client */
  readonly homeDomainId: string
  /** groups in `domain` */
  readonly groups: readonly { readonly id: string; readonly name: string }[]
  /** id of the refresh token */
  readonly sessionId?: string
  /** the registered client */
  readonly client?: { readonly id: string; readonly name: string }
  /** `client_id` of the public client from the user's log-in */
  readonly publicClientId?: string
  /** SHA-256 of the certificate that the token is bound to, in base64url. @see RFC 8705 §3.1 */
  readonly boundTo?: string
}

const typeOf = ({ client, homeDomainId, domain }: TokenHolder): string => {
  if (client !== undefined) return CLIENT
  return homeDomainId === ROOT_DOMAIN_ID && domain.id !== ROOT_DOMAIN_ID ? 'guest' : 'user'
}

/** A token that is valid for five minutes. */
export async function accessToken(now: Date, holder: TokenHolder): Promise<Token> {
  const { sub, username, domain, homeDomainId, groups, sessionId, client, publicClientId, boundTo } = holder
  const issuer = environment().KEYMGR_BASE_URL
  const claims: Omit<TokenClaims, 'iat' | 'exp'> = {
    iss: issuer,
    aud: audienceOf(issuer),
    sub,
    acc: accountOf(domain.id),
    preferred_username: username,
    cust: {
      domain_id: domain.id,
      domain_name: domain.name,
      groups: groups.map(({ name }) => name),
      group_ids: groups.map(({ id }) => id),
      zone_id: homeDomainId,
      client_type: typeOf(holder),
      ...defined({ sid: sessionId, client_id: client?.id ?? publicClientId, client_name: client?.name }),
    },
    ...(boundTo !== undefined && { cnf: { 'x5t#S256': boundTo } }),
    jwtid: uuid(now),
  }
  return { jwt: await signToken(claims, toSeconds(now)), duration: TOKEN_SECONDS, token_type: 'Bearer' }
}
