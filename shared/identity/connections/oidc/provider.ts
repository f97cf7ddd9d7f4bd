import type { Configuration, ServerMetadata, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { machineTime } from '../../../base/clock.ts'
import { isLoopbackAllowed } from '../loopback.ts'
import { Misdescribed, NotReached } from '../strategies.ts'
import type { StoredLoginConnection } from '../store.ts'
import { guardedFetch, notReachedIn } from './fetch.ts'
import type { Oidc } from './model.ts'

/** Ours: time for which metadata is cached; it changes a few times a year. */
const DISCOVERED_MS = 600_000
const PROVIDERS = 64
const SECOND_MS = 1_000
/** Ours: default interval, and maximum lifetime of a device code. @see RFC 8628 §3.2 */
const DEVICE_SECONDS = { interval: 5, mostLife: 1_800 }

const discovered = new BoundedCache<{ readonly server: ServerMetadata; readonly readAtMs: number }>(PROVIDERS)

/** The claims of an id token, completed by UserInfo, which identify the user. */
export type Claims = Readonly<Record<string, unknown>>

/** A log-in that the provider refused, or that failed a check. `error` is that of RFC 6749 §5.2, or names the check. */
export class NotVouched extends Error {
  override readonly name = 'NotVouched'
  readonly error: string

  constructor(error: string, options?: ErrorOptions) {
    super(`The identity provider did not authenticate the user: ${error}`, options)
    this.error = error
  }
}

/** A log-in that continues at the provider: its address, and the values that verify the return. */
export interface AuthorizationBegun {
  readonly url: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const library = () => import('openid-client')

/**
 * Allows the OpenID client to call loopback without TLS, if the deployment does. The library marks the option as
 * deprecated only to make it conspicuous.
 */
const loopbackAlso = (openid: Awaited<ReturnType<typeof library>>): ((client: Configuration) => void)[] =>
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  isLoopbackAllowed() ? [openid.allowInsecureRequests] : []

/** The endpoints that a log-in by code needs. @see OpenID Connect Discovery 1.0 §3 */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint'] as const

/** @throws Misdescribed for metadata with an endpoint to which nobody can be sent */
function assertUsable(server: ServerMetadata): void {
  const schemes = isLoopbackAllowed() ? ['https:', 'http:'] : ['https:']
  const broken = ENDPOINTS.find((name) => {
    const url = URL.parse(String(server[name]))
    return typeof server[name] !== 'string' || url === null || !schemes.includes(url.protocol)
  })
  if (broken !== undefined)
    throw new Misdescribed(`The metadata of the identity provider has no ${broken} that can be used.`)
}

/** The identity provider of a connection, in its present state. */
export class Provider {
  readonly #oidc: Oidc
  readonly #readsGroups: boolean
  readonly #secret: string | undefined
  readonly #now: Date

  constructor({ oidc, group_mappings }: StoredLoginConnection, secret: string | undefined, now = machineTime()) {
    if (oidc === undefined) throw new Error('A connection of strategy oidc has its fields')
    this.#oidc = oidc
    this.#readsGroups = group_mappings.length > 0
    this.#secret = secret
    this.#now = now
  }

  /** @throws NotReached */
  async #server(): Promise<ServerMetadata> {
    const { issuer, client_id } = this.#oidc
    const known = discovered.get(issuer)
    if (known && performance.now() - known.readAtMs < DISCOVERED_MS) return known.server
    const openid = await library()
    try {
      const configuration = await openid.discovery(new URL(issuer), client_id, undefined, undefined, {
        [openid.customFetch]: guardedFetch,
        execute: loopbackAlso(openid),
      })
      const server = configuration.serverMetadata()
      discovered.set(issuer, { server, readAtMs: performance.now() })
      return server
    } catch (error) {
      throw (
        notReachedIn(error) ??
        new NotReached('The identity provider does not describe itself as that issuer.', { cause: error })
      )
    }
  }

  /**
   * The client of one log-in. It has no keys of former log-ins, so it reads the provider's present keys. Tokens are
   * checked by the time of the request.
   * @throws NotReached
   */
  async #client(): Promise<Configuration> {
    const openid = await library()
    const server = structuredClone(await this.#server())
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    const secret = this.#secret
    const authentication =
      secret === undefined
        ? openid.None()
        : methods.includes('client_secret_basic')
          ? openid.ClientSecretBasic(secret)
          : openid.ClientSecretPost(secret)
    const skew = Math.round((this.#now.getTime() - machineTime().getTime()) / SECOND_MS)
    const client = new openid.Configuration(server, this.#oidc.client_id, { [openid.clockSkew]: skew }, authentication)
    client[openid.customFetch] = guardedFetch
    for (const allow of loopbackAlso(openid)) allow(client)
    openid.enableNonRepudiationChecks(client) // checks the signature of the id token too, not only the connection
    return client
  }

  /** @throws NotReached, NotVouched */
  async #vouched<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      const notReached = notReachedIn(error)
      if (notReached) throw notReached
      const { ResponseBodyError, ClientError } = await library()
      if (error instanceof ResponseBodyError) {
        // the provider no longer accepts this client: an administrator must act, not the user
        if (error.error === 'invalid_client' || error.error === 'unauthorized_client')
          throw new NotReached('The identity provider refuses client_id and client_secret.', {
            cause: error,
            step: 'log_in',
          })
        throw new NotVouched(error.error, { cause: error })
      }
      const { code = 'invalid' } = error instanceof ClientError ? error : {}
      throw new NotVouched(code, { cause: error })
    }
  }

  /**
   * The claims of an id token, completed by UserInfo if a claim for the log-in is absent: many providers return names
   * only there. UserInfo must have the same `sub`; claims of the id token, which is signed, take precedence. Ours: if a
   * provider refuses UserInfo, only the id token is used.
   * @throws NotReached, NotVouched without an id token, and for UserInfo of another person
   * @see OpenID Connect Core 1.0 §5.3.2, §5.4
   */
  async #completed(
    client: Configuration,
    answer: TokenEndpointResponse & TokenEndpointResponseHelpers,
  ): Promise<Claims> {
    const claims = answer.claims()
    if (claims === undefined) throw new NotVouched('without id token')
    const { username_claim: name, groups_claim: groups } = this.#oidc
    const proof = name === 'email' ? ['email_verified'] : []
    const read = [name, 'name', 'email', ...proof, ...(this.#readsGroups ? [groups] : [])]
    const isWhole = read.every((claim) => claims[claim] !== undefined)
    if (isWhole || client.serverMetadata().userinfo_endpoint === undefined) return claims
    const info = await this.#userInfo(client, answer.access_token)
    if (info !== undefined && info.sub !== claims.sub) throw new NotVouched('UserInfo is about another person')
    return { ...info, ...claims }
  }

  /** `undefined` if the provider refuses it, or the answer is malformed. @throws NotReached */
  async #userInfo(client: Configuration, accessToken: string): Promise<Claims | undefined> {
    const openid = await library()
    try {
      // the caller compares the sub, which a refusal must tell from a UserInfo that is none
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so that it stands out
      return await openid.fetchUserInfo(client, accessToken, openid.skipSubjectCheck)
    } catch (error) {
      const notReached = notReachedIn(error)
      if (notReached) throw notReached
      return undefined
    }
  }

  /** The address at which the user logs in, and the values that verify the return. @throws NotReached */
  async begin(redirectUri: string): Promise<AuthorizationBegun> {
    const openid = await library()
    const client = await this.#client()
    assertUsable(client.serverMetadata())
    const [state, nonce, codeVerifier] = [openid.randomState(), openid.randomNonce(), openid.randomPKCECodeVerifier()]
    const url = openid.buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: this.#oidc.scopes,
      state,
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, state, nonce, codeVerifier }
  }

  /** Redeems a code. Checks iss (RFC 9207), signature, issuer, audience, azp, nonce and times. @throws NotReached, NotVouched */
  async redeem(
    begun: Omit<AuthorizationBegun, 'url'> & { readonly redirectUri: string },
    returned: { readonly code: string; readonly iss: string | undefined },
  ): Promise<Claims> {
    const openid = await library()
    const client = await this.#client()
    const address = new URL(begun.redirectUri)
    address.searchParams.set('code', returned.code)
    address.searchParams.set('state', begun.state)
    if (returned.iss !== undefined) address.searchParams.set('iss', returned.iss)
    return this.#vouched(async () => {
      const answer = await openid.authorizationCodeGrant(client, address, {
        expectedNonce: begun.nonce,
        expectedState: begun.state,
        pkceCodeVerifier: begun.codeVerifier,
        idTokenExpected: true,
      })
      return this.#completed(client, answer)
    })
  }

  /** Starts a log-in of a device. @throws NotReached, NotVouched */
  async beginDevice() {
    const openid = await library()
    const client = await this.#client()
    if (client.serverMetadata().device_authorization_endpoint === undefined)
      throw new NotVouched('it offers no log-in of devices')
    const { interval, ...begun } = await this.#vouched(() =>
      openid.initiateDeviceAuthorization(client, { scope: this.#oidc.scopes }),
    )
    return {
      ...begun,
      interval: interval ?? DEVICE_SECONDS.interval,
      expires_in: Math.min(begun.expires_in, DEVICE_SECONDS.mostLife),
    }
  }

  /**
   * Checks once whether the user has confirmed the device. @throws NotReached; NotVouched, also for
   * `authorization_pending`
   */
  async redeemDevice(deviceCode: string): Promise<Claims> {
    const openid = await library()
    const client = await this.#client()
    return this.#vouched(async () => {
      const answer = await openid.genericGrantRequest(client, DEVICE_GRANT, { device_code: deviceCode })
      return this.#completed(client, answer)
    })
  }

  /** Reads the provider's metadata and keys. @throws NotReached */
  async prove(): Promise<void> {
    discovered.delete(this.#oidc.issuer)
    const server = await this.#server()
    assertUsable(server)
    const { jwks_uri } = server
    if (jwks_uri === undefined) throw new NotReached('The identity provider publishes no keys.')
    const { status } = await guardedFetch(jwks_uri, {
      method: 'GET',
      headers: { accept: 'application/json' },
      body: undefined,
      redirect: 'manual',
    })
    if (status !== 200) throw new NotReached('The identity provider does not answer with its keys.')
  }
}
