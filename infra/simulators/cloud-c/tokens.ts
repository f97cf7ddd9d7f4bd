import { createPublicKey, randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose'
import type { Caller } from './call.ts'
import { unauthenticated } from './errors.ts'
import type { CloudState } from './state.ts'

const LIFE_SECONDS = 3_600
const SCOPES = ['https://www.googleapis.com/auth/cloud-platform', 'https://www.googleapis.com/auth/cloudkms']
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Key file of a service account. Its addresses are those of the simulator. */
export interface KeyFile {
  readonly type: 'service_account'
  readonly project_id: string
  readonly private_key_id: string
  /** PEM, PKCS #8 */
  readonly private_key: string
  readonly client_email: string
  readonly client_id: string
  readonly token_uri: string
  readonly universe_domain: string
}

export interface Tokens {
  /** Caller of a bearer token. @throws ApiError UNAUTHENTICATED */
  readonly authenticate: (authorization: string | undefined) => Promise<Caller>
  /** Answers a form that requests a token with a signed assertion. */
  readonly exchange: (form: URLSearchParams) => Promise<{ status: number; body: object }>
  /**
   * A token of any member, valid for an hour, without a key. @param member `user:<e-mail>` or `serviceAccount:<e-mail>`
   */
  readonly issue: (member: string) => string
}

export const keyIdOf = (email: string): string => Buffer.from(email).toString('hex').slice(0, 40).padEnd(40, '0')

/**
 * Accepts tokens that service accounts signed themselves, and tokens issued here. Times are accepted by this machine's
 * clock, which clients use, or by the simulator's clock, which tests move.
 * @param address token endpoint, the audience of an assertion
 */
export function createTokens(state: CloudState, emails: readonly string[], address: () => string): Tokens {
  const issued = new Map<string, { readonly member: string; readonly endsAt: number }>()
  const issue = (member: string): string => {
    const token = `ya29.${randomBytes(32).toString('base64url')}`
    issued.set(token, { member, endsAt: state.now() + LIFE_SECONDS * 1000 })
    return token
  }
  const verified = (jwt: string, more: JWTVerifyOptions) => verify(state, emails, jwt, more)
  return {
    issue,
    authenticate: async (authorization = '') => {
      const [, token] = /^Bearer (.+)$/.exec(authorization) ?? []
      if (token === undefined) throw unauthenticated('CREDENTIALS_MISSING')
      const known = issued.get(token)
      if (known !== undefined) {
        if (known.endsAt <= state.now()) throw unauthenticated()
        return callerOf(known.member)
      }
      const payload = await verified(token, {})
      const scopes = typeof payload.scope === 'string' ? payload.scope.split(' ') : []
      if (!SCOPES.some((scope) => scopes.includes(scope))) throw unauthenticated('ACCESS_TOKEN_SCOPE_INSUFFICIENT')
      return callerOf(`serviceAccount:${payload.iss ?? ''}`)
    },
    exchange: async (form) => {
      const refused = (description: string) => ({
        status: 400,
        body: { error: 'invalid_grant', error_description: description },
      })
      if (form.get('grant_type') !== GRANT) return { status: 400, body: { error: 'unsupported_grant_type' } }
      try {
        const { iss = '' } = await verified(form.get('assertion') ?? '', { audience: address() })
        const access_token = issue(`serviceAccount:${iss}`)
        return { status: 200, body: { access_token, expires_in: LIFE_SECONDS, token_type: 'Bearer' } }
      } catch {
        return refused('Invalid JWT Signature.')
      }
    },
  }
}

const callerOf = (member: string): Caller => ({ member, email: member.slice(member.indexOf(':') + 1) })

/** @throws ApiError UNAUTHENTICATED for every failure */
async function verify(
  state: CloudState,
  emails: readonly string[],
  jwt: string,
  more: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    const { kid } = decodeProtectedHeader(jwt)
    const email = emails.find((each) => keyIdOf(each) === kid)
    if (email === undefined) throw unauthenticated()
    const key = createPublicKey(await state.accountKey(email))
    const payload = await firstGood(
      [new Date(), new Date(state.now())].map(
        (currentDate) => () =>
          jwtVerify(jwt, key, {
            ...{ algorithms: ['RS256'], issuer: email, requiredClaims: ['iat', 'exp'], clockTolerance: 60 },
            ...{ currentDate, maxTokenAge: LIFE_SECONDS },
            ...more,
          }),
      ),
    )
    const { exp = 0, iat = 0 } = decodeJwt(jwt)
    if (exp - iat > LIFE_SECONDS || (payload.sub ?? email) !== email) throw unauthenticated()
    return payload
  } catch {
    throw unauthenticated()
  }
}

async function firstGood(tries: readonly (() => Promise<{ payload: JWTPayload }>)[]): Promise<JWTPayload> {
  let last: unknown
  for (const attempt of tries) {
    try {
      return (await attempt()).payload
    } catch (error) {
      last = error
    }
  }
  throw last
}
