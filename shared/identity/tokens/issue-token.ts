import type { Context } from '../../http/context.ts'
import type { CreateToken, Token } from './model.ts'
import type { Grant } from './grants/grant.ts'
import { clientCredentialGrant } from './grants/client-credential.ts'
import { passwordGrant } from './grants/password.ts'
import { refreshTokenGrant } from './grants/refresh-token.ts'
import { userCertificateGrant } from './grants/user-certificate.ts'

/** Every way to get a token, by `grant_type`. */
const GRANTS: Readonly<Record<CreateToken['grant_type'], Grant>> = {
  password: passwordGrant,
  refresh_token: refreshTokenGrant,
  client_credential: clientCredentialGrant,
  user_certificate: userCertificateGrant,
  // loaded with the OpenID client at the first such log-in
  authorization_code: async (...asked) => (await import('./external/oidc.ts')).authorizationCodeGrant(...asked),
  device_code: async (...asked) => (await import('./external/oidc.ts')).deviceCodeGrant(...asked),
}

/** Answers a token request. @throws Refusal LOGIN_FAILED, TOKEN_INVALID, and those of the grant */
export const issueToken = (context: Context, request: CreateToken): Promise<Token> =>
  GRANTS[request.grant_type](context, request)
