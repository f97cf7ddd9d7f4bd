import type { JsonReply } from '../toolkit/json-server.ts'
import { createTokenKeys, TOKEN_SECONDS, type Claims, type TokenKeys } from '../toolkit/token-keys.ts'
import { personNamed } from './directory.ts'

/** The company's identity provider for OpenID Connect. */
export interface IdentityProvider {
  /** Its OpenID configuration, with the addresses that it serves. */
  readonly configuration: () => object
  readonly keySet: () => Promise<object>
  /** Answers a log-in by password, since a laptop has no sign-in page. */
  readonly token: (form: URLSearchParams) => Promise<JsonReply>
  /** An id token of a person. @param claims replace the usual ones @throws Error for an unknown person */
  readonly authenticationOf: (email: string, options: AuthenticationOptions) => Promise<string>
  /** The claims of an id token that it issued and that is still valid. */
  readonly claimsOf: (token: string) => Promise<Claims | undefined>
  readonly rotate: TokenKeys['rotate']
}

export interface AuthenticationOptions {
  /** the client id of the suite at the identity provider */
  readonly audience: string
  readonly claims?: object
}

const refusal = (status: number, error: string, sentence: string): JsonReply => ({
  status,
  body: { error, error_description: sentence },
})

/** @param issuer its address, known once it listens @param now milliseconds since the epoch */
export function createIdentityProvider(issuer: () => string, now: () => number): IdentityProvider {
  const keys = createTokenKeys('workspace idp', now)
  const authenticationOf = async (email: string, { audience, claims = {} }: AuthenticationOptions): Promise<string> => {
    const found = personNamed(email)
    if (found === undefined) throw new Error(`Nobody is named ${email}`)
    const { password: _, ...shown } = found
    return keys.issue({ iss: issuer(), aud: audience, azp: audience, email_verified: true, ...shown, ...claims })
  }
  return {
    configuration: () => ({
      issuer: issuer(),
      jwks_uri: `${issuer()}/jwks`,
      token_endpoint: `${issuer()}/token`,
      grant_types_supported: ['password'],
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    keySet: keys.published,
    token: async (form) => {
      if (form.get('grant_type') !== 'password')
        return refusal(400, 'unsupported_grant_type', 'The only grant is "password".')
      const audience = form.get('client_id') ?? ''
      if (audience === '') return refusal(400, 'invalid_request', 'client_id is missing.')
      const found = personNamed(form.get('username') ?? '')
      if (found === undefined || found.password !== form.get('password'))
        return refusal(400, 'invalid_grant', 'The name or the password is wrong.')
      const id_token = await authenticationOf(found.email, { audience })
      return { status: 200, body: { token_type: 'Bearer', expires_in: TOKEN_SECONDS, id_token } }
    },
    authenticationOf,
    claimsOf: keys.claimsOf,
    rotate: keys.rotate,
  }
}
