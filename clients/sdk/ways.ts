/** The ways to log in, each with some fields of POST /v1/auth/tokens. */
import type { components } from './api.d.ts'
import type { Keymgr } from './client.ts'
import { isProblem } from './problem.ts'
import type { Timing } from './timing.ts'

type Asked = components['schemas']['GenerateTokenRequest']
export type Granted = components['schemas']['GenerateTokenAnswer']

/** The service, as a log-in calls it. */
export interface Service {
  readonly keymgr: Keymgr
  readonly timing: Timing
}

export interface Way {
  readonly begin: (service: Service) => Promise<Granted>
  /** whether it may log in again once tokens cannot be renewed */
  readonly repeatable: boolean
  /** the browser stores the refresh token as a cookie that scripts cannot read */
  readonly byCookie: boolean
  /** refusals count as guesses and may lock the user, so it is not repeated after one */
  readonly isGuess?: true
  /** of an earlier log-in */
  readonly refreshToken?: string
}

/** Further options of users. `cookies` is for pages of the service itself. */
export type SessionFields = Pick<
  Asked,
  | 'domain'
  | 'auth_domain'
  | 'auth_domain_path'
  | 'cookies'
  | 'labels'
  | 'refresh_token_lifetime'
  | 'refresh_token_revoke_unused_in'
>

const by = (body: Asked, repeatable: boolean): Way => ({
  begin: ({ keymgr }) => keymgr.post('/v1/auth/tokens', { body }),
  repeatable: repeatable && body.cookies !== true,
  byCookie: body.cookies === true,
})

export interface PasswordFields extends SessionFields {
  readonly name: string
  readonly password: string
  /** a directory, by name or id */
  readonly connection?: string
}

/** A user's name and password. It logs in again once tokens cannot be renewed, except with `cookies`. */
export const byPassword = (fields: PasswordFields): Way => ({ ...by(fields, true), isGuess: true })

/** A refresh token of an earlier log-in. */
export const byRefreshToken = (refreshToken: string): Way => ({
  ...by({ grant_type: 'refresh_token', refresh_token: refreshToken }, false),
  refreshToken,
})

/** The session of this browser: the log-in of another page, or of this one before it was reloaded. */
export const bySession = (): Way => ({ ...by({ grant_type: 'refresh_token' }, false), byCookie: true })

/** A registered client, by the certificate of its connections. */
export const byClientCertificate = (clientId: string): Way =>
  by({ grant_type: 'client_credential', client_id: clientId }, true)

/** A user, by the certificate of the connections. */
export const byUserCertificate = (fields: SessionFields = {}): Way =>
  by({ ...fields, grant_type: 'user_certificate' }, true)

/** The answer of an identity provider, with the `authorization_token` of POST /v1/auth/oidc/authorizations. */
export type CodeFields = SessionFields &
  Required<Pick<Asked, 'authorization_token' | 'code' | 'state'>> &
  Pick<Asked, 'iss'>

export const byAuthorizationCode = (fields: CodeFields): Way =>
  by({ ...fields, grant_type: 'authorization_code' }, false)

/** Code and address with which a user confirms the log-in in a browser. */
export type DevicePrompt = Pick<
  components['schemas']['BeginDeviceLogInAnswer'],
  'user_code' | 'verification_uri' | 'verification_uri_complete' | 'expires_in'
>

export interface DeviceFields extends Omit<SessionFields, 'cookies'> {
  /** an identity provider, by name or id */
  readonly connection: string
  /** is called once, to show how to confirm the log-in */
  readonly show: (prompt: DevicePrompt) => void
  readonly signal?: AbortSignal
}

/** Required by RFC 8628 §3.5. */
const SLOWER_BY_SECONDS = 5

const isPending = (error: unknown): boolean =>
  isProblem(error, 'conflict') && error.detail.startsWith('authorization_pending')

/** Polls once per interval: a 429 means that this was too often, so it is not repeated automatically. */
async function confirmed({ keymgr, timing }: Service, body: Asked, intervalSeconds: number, signal?: AbortSignal) {
  const init = { body, retries: { attempts: 1 }, ...(signal && { signal }) }
  for (let seconds = intervalSeconds; ;) {
    await timing.wait(seconds * 1_000, signal)
    try {
      return await keymgr.post('/v1/auth/tokens', init)
    } catch (error) {
      if (isProblem(error, 'throttled')) seconds += SLOWER_BY_SECONDS
      else if (!isPending(error)) throw error
    }
  }
}

/** An identity provider, in a browser that may be on another device. */
export const byDevice = ({ connection, show, signal, domain, ...fields }: DeviceFields): Way => ({
  begin: async (service) => {
    const body = { connection, ...(domain !== undefined && { domain }) }
    const init = { body, ...(signal && { signal }) }
    const { device_token, interval, ...prompt } = await service.keymgr.post('/v1/auth/oidc/device-authorizations', init)
    show(prompt)
    return confirmed(service, { ...fields, grant_type: 'device_code', device_token }, interval, signal)
  },
  repeatable: false,
  byCookie: false,
})
