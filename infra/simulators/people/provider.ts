import { createHash, randomBytes } from 'node:crypto'
import { serveHttp, type HttpAnswer, type HttpRequest } from '../toolkit/loopback.ts'
import { createTokenKeys, TOKEN_SECONDS, type TokenKeys } from '../toolkit/token-keys.ts'
import { LogIns, type Begun } from './log-ins.ts'
import { logInPage, sentencePage } from './pages.ts'
import { PEOPLE, personBy, type Person } from './people.ts'

/** The client that keymgr is at the provider. It may be redirected to any address on loopback. */
export const CLIENT = { client_id: 'keymgr', client_secret: 'secret-of-keymgr' } as const

/** A company's identity provider: authorization code with PKCE, and log-in of devices. */
export interface IdentityProvider {
  /** its address, which is the `iss` of its tokens */
  readonly issuer: string
  readonly stop: () => Promise<void>
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const CODE_SECONDS = 60
const DEVICE_SECONDS = { life: 600, interval: 1 } as const
const WRONG = 'The name or the password is wrong.'
/** Without vowels, so that no words appear. @see RFC 8628 §6.1 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

/** A person has logged in in a browser, and the client has not redeemed the code yet. */
interface Code extends Begun {
  readonly person: Person
  readonly scope: string
  readonly redirectUri: string
  readonly challenge: string
  readonly nonce: string | undefined
}

/** A device waits for a person, who confirms it in a browser. */
interface Device extends Begun {
  readonly userCode: string
  readonly scope: string
  readonly person?: Person
}

/** A refusal of the client. @see RFC 6749 §5.2, RFC 8628 §3.5 */
class Refused extends Error {
  readonly status: number

  constructor(error: string, status = 400) {
    super(error)
    this.status = status
  }
}

const json = (status: number, body: object): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})

const valueOf = (parameters: URLSearchParams, name: string): string => parameters.get(name) ?? ''
const randomText = (): string => randomBytes(24).toString('base64url')

function newUserCode(): string {
  const letters = [...randomBytes(8)].map((byte) => LETTERS.charAt(byte % LETTERS.length)).join('')
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** @see RFC 8252 §7.3 */
function isOnLoopback(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && url.hash === '' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
}

/** Why an authorization request is refused; the person reads it, since the client may be a wrong one. */
function faultOf(query: URLSearchParams): string | undefined {
  if (valueOf(query, 'client_id') !== CLIENT.client_id) return `The client is not ${CLIENT.client_id}.`
  if (!isOnLoopback(valueOf(query, 'redirect_uri'))) return 'redirect_uri is not on loopback.'
  if (valueOf(query, 'response_type') !== 'code') return 'response_type is not code.'
  if (valueOf(query, 'code_challenge') === '' || valueOf(query, 'code_challenge_method') !== 'S256')
    return 'There is no code_challenge, or its method is not S256.'
  return valueOf(query, 'scope').split(' ').includes('openid') ? undefined : 'openid is not in scope.'
}

/** The claims about a person that scopes ask for. */
function claimsOf({ id, name, fullName, email, groups }: Person, scope: string): object {
  const scopes = scope.split(' ')
  return {
    sub: id,
    groups,
    ...(scopes.includes('profile') && { preferred_username: name, name: fullName }),
    ...(scopes.includes('email') && { email, email_verified: true }),
  }
}

/** Secrets of clients come in the header, or in the form. @see RFC 6749 §2.3.1 @throws Refused */
function assertClient(authorization: string | undefined, form: URLSearchParams): void {
  const [, basic] = /^Basic (\S+)$/i.exec(authorization ?? '') ?? []
  const [id, secret] =
    basic === undefined
      ? [form.get('client_id'), form.get('client_secret')]
      : Buffer.from(basic, 'base64')
          .toString('utf8')
          .split(':')
          .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  if (id !== CLIENT.client_id || secret !== CLIENT.client_secret) throw new Refused('invalid_client', 401)
}

/** The provider's state, and an answer for each of its addresses. */
class Provider {
  readonly #issuer: () => string
  readonly #now: () => number
  readonly #keys: TokenKeys
  readonly #codes: LogIns<Code>
  readonly #devices: LogIns<Device>

  constructor(issuer: () => string, now: () => number) {
    this.#issuer = issuer
    this.#now = now
    this.#keys = createTokenKeys('people', now)
    this.#codes = new LogIns(now)
    this.#devices = new LogIns(now)
  }

  readonly routes: Readonly<Record<string, (request: HttpRequest, url: URL) => Promise<HttpAnswer> | HttpAnswer>> = {
    'GET /.well-known/openid-configuration': () => json(200, this.#metadata()),
    'GET /jwks': async () => json(200, await this.#keys.published()),
    'GET /authorize': (_request, { searchParams }) => this.#authorize(searchParams),
    'POST /authorize': ({ body }, { searchParams }) => this.#logIn(searchParams, new URLSearchParams(body.toString())),
    'POST /device_authorization': ({ headers, body }) => {
      const form = new URLSearchParams(body.toString())
      assertClient(headers.authorization, form)
      return json(200, this.#beginDevice(valueOf(form, 'scope')))
    },
    'GET /device': (_request, { searchParams }) => devicePage(valueOf(searchParams, 'user_code')),
    'POST /device': ({ body }) => this.#confirmDevice(new URLSearchParams(body.toString())),
    'POST /token': async ({ headers, body }) => {
      const form = new URLSearchParams(body.toString())
      assertClient(headers.authorization, form)
      return json(200, await this.#redeem(form))
    },
    'GET /userinfo': ({ headers }) => this.#userInfo(headers.authorization ?? ''),
  }

  #metadata(): object {
    const issuer = this.#issuer()
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      device_authorization_endpoint: `${issuer}/device_authorization`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      scopes_supported: ['openid', 'profile', 'email'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', DEVICE_GRANT],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      authorization_response_iss_parameter_supported: true,
    }
  }

  #authorize(query: URLSearchParams, wrong?: string): HttpAnswer {
    const fault = faultOf(query)
    if (fault !== undefined) return sentencePage(400, 'This log-in cannot begin', fault)
    return logInPage({ title: 'Log in to keymgr', action: `/authorize?${query.toString()}`, wrong })
  }

  #logIn(query: URLSearchParams, form: URLSearchParams): HttpAnswer {
    const person = personBy(valueOf(form, 'username'), valueOf(form, 'password'))
    if (faultOf(query) !== undefined || person === undefined) return this.#authorize(query, WRONG)
    const code = randomText()
    const redirectUri = valueOf(query, 'redirect_uri')
    this.#codes.set(code, {
      endsMs: this.#now() + CODE_SECONDS * 1_000,
      person,
      scope: valueOf(query, 'scope'),
      redirectUri,
      challenge: valueOf(query, 'code_challenge'),
      nonce: query.get('nonce') ?? undefined,
    })
    const back = new URL(redirectUri)
    back.searchParams.set('code', code)
    back.searchParams.set('iss', this.#issuer())
    const state = query.get('state')
    if (state !== null) back.searchParams.set('state', state)
    return { status: 303, headers: { location: back.href, 'cache-control': 'no-store' } }
  }

  #beginDevice(scope: string): object {
    const deviceCode = randomText()
    const userCode = newUserCode()
    this.#devices.set(deviceCode, { endsMs: this.#now() + DEVICE_SECONDS.life * 1_000, userCode, scope })
    const verification = `${this.#issuer()}/device`
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: verification,
      verification_uri_complete: `${verification}?user_code=${userCode}`,
      expires_in: DEVICE_SECONDS.life,
      interval: DEVICE_SECONDS.interval,
    }
  }

  #confirmDevice(form: URLSearchParams): HttpAnswer {
    const userCode = valueOf(form, 'user_code').trim().toUpperCase()
    const [deviceCode, device] = this.#devices.find((each) => each.userCode === userCode) ?? []
    if (deviceCode === undefined || device === undefined) return devicePage(userCode, 'There is no such code.')
    const person = personBy(valueOf(form, 'username'), valueOf(form, 'password'))
    if (person === undefined) return devicePage(userCode, WRONG)
    this.#devices.set(deviceCode, { ...device, person })
    return sentencePage(200, 'The device is logged in', 'You can close this page.')
  }

  /** @throws Refused */
  async #redeem(form: URLSearchParams): Promise<object> {
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        const code = this.#codes.take(valueOf(form, 'code'))
        const challenge = createHash('sha256').update(valueOf(form, 'code_verifier')).digest('base64url')
        if (code?.redirectUri !== form.get('redirect_uri') || code.challenge !== challenge)
          throw new Refused('invalid_grant')
        return this.#tokens(code.person, code.scope, code.nonce)
      }
      case DEVICE_GRANT: {
        const key = valueOf(form, 'device_code')
        const device = this.#devices.get(key)
        if (device === undefined) throw new Refused('expired_token')
        if (device.person === undefined) throw new Refused('authorization_pending')
        this.#devices.take(key)
        return this.#tokens(device.person, device.scope)
      }
      default:
        throw new Refused('unsupported_grant_type')
    }
  }

  async #tokens(person: Person, scope: string, nonce?: string): Promise<object> {
    const of = { iss: this.#issuer(), sub: person.id }
    const auth_time = Math.floor(this.#now() / 1_000)
    return {
      access_token: await this.#keys.issue({ ...of, aud: 'userinfo', scope }),
      token_type: 'Bearer',
      expires_in: TOKEN_SECONDS,
      scope,
      id_token: await this.#keys.issue({
        ...of,
        ...claimsOf(person, scope),
        aud: CLIENT.client_id,
        auth_time,
        ...(nonce !== undefined && { nonce }),
      }),
    }
  }

  async #userInfo(authorization: string): Promise<HttpAnswer> {
    const { aud, sub, scope } = (await this.#keys.claimsOf(authorization.replace(/^Bearer /, ''))) ?? {}
    const person = PEOPLE.find(({ id }) => id === sub)
    if (aud !== 'userinfo' || person === undefined) throw new Refused('invalid_token', 401)
    return json(200, claimsOf(person, String(scope)))
  }
}

const devicePage = (userCode: string, wrong?: string): HttpAnswer =>
  logInPage({ title: 'Log a device in to keymgr', action: '/device', userCode, wrong })

/**
 * Serves the provider on loopback. Its keys are made when they are first asked for.
 * @param clock.now the time of its tokens
 * @param port default: any free one
 * @throws Error when the port is taken
 * @see OpenID Connect Core 1.0, RFC 7636, RFC 8628, RFC 9207
 */
export async function startIdentityProvider(clock: { now: () => Date }, port?: number): Promise<IdentityProvider> {
  const provider = new Provider(
    () => served.endpoint,
    () => clock.now().getTime(),
  )
  const served = await serveHttp(
    async (request) => {
      const url = new URL(request.url, 'http://provider')
      const route = provider.routes[`${request.method} ${url.pathname}`]
      return route?.(request, url) ?? json(404, { error: 'not_found' })
    },
    {
      port,
      refuse: (error) =>
        error instanceof Refused ? json(error.status, { error: error.message }) : json(500, { error: 'server_error' }),
    },
  )
  return { issuer: served.endpoint, stop: served.stop }
}
