import { createKeymgr, type KeymgrOptions } from './client.ts'
import { lifetimeOf, type Lifetime } from './lifetime.ts'
import { isProblem, type ProblemError } from './problem.ts'
import { realTime } from './timing.ts'
import type { Granted, Service, Way } from './ways.ts'

export interface LogInOptions extends Omit<KeymgrOptions, 'token'> {
  /**
   * Receives each refresh token from the service, and `undefined` once it is no longer valid. A refresh token is
   * equivalent to a password: store it so that only its owner can read it.
   */
  readonly onRefreshToken?: (refreshToken: string | undefined) => void
}

/** A log-in. It starts when the first token is requested. */
export interface LogIn {
  /**
   * A token that is valid for the next call: `createKeymgr({ baseUrl, token: logIn.token })`.
   * @param refused a token that the service no longer accepts
   * @throws ProblemError, UnreachableError, LogInEnded
   */
  readonly token: (refused?: string) => Promise<string>
  /** Ends the log-in here and at the service. */
  readonly logOut: () => Promise<void>
}

/** A log-in that `logOut` has ended. */
export class LogInEnded extends Error {
  override readonly name = 'LogInEnded'

  constructor() {
    super('The log-in has ended.')
  }
}

class Session implements LogIn {
  #jwt: string | undefined
  #lifetime: Lifetime = { renewAt: 0, endsAt: 0 }
  #refreshToken: string | undefined
  #renewing: Promise<string> | undefined
  #ended = false
  /** ended it permanently: no further token is requested */
  #refusal: ProblemError | undefined
  readonly #way: Way
  readonly #service: Service
  readonly #tell: (refreshToken: string | undefined) => void

  constructor(way: Way, { onRefreshToken, ...options }: LogInOptions) {
    this.#way = way
    this.#refreshToken = way.refreshToken
    this.#service = { keymgr: createKeymgr(options), timing: options.timing ?? realTime }
    this.#tell = onRefreshToken ?? (() => undefined)
  }

  readonly token = async (refused?: string): Promise<string> => {
    if (this.#ended) throw new LogInEnded()
    if (this.#refusal !== undefined) throw this.#refusal
    const jwt = this.#jwt
    if (jwt !== undefined && jwt !== refused && this.#now() < this.#lifetime.renewAt) return jwt
    this.#renewing ??= this.#renew(refused).finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  readonly logOut = async (): Promise<void> => {
    while (this.#renewing !== undefined) await this.#renewing.catch(() => undefined)
    const [jwt, refreshToken] = [this.#jwt, this.#refreshToken]
    this.#ended = true
    this.#forget()
    const { keymgr } = this.#service
    if (refreshToken !== undefined) await keymgr.post('/v1/auth/revoke', { body: { refresh_token: refreshToken } })
    else if (this.#way.byCookie) await keymgr.post('/v1/auth/revoke', { body: {} })
    else if (jwt !== undefined) await keymgr.post('/v1/auth/logout', { headers: { authorization: `Bearer ${jwt}` } })
  }

  #now(): number {
    return this.#service.timing.now()
  }

  /** A failed early renewal does not matter while the token is still valid. */
  async #renew(refused: string | undefined): Promise<string> {
    const askedAt = this.#now()
    try {
      return this.#take(await this.#granted(), askedAt)
    } catch (error) {
      const jwt = this.#jwt
      if (isProblem(error, 'unauthenticated') || jwt === undefined || jwt === refused) throw error
      if (this.#now() >= this.#lifetime.endsAt) throw error
      return jwt
    }
  }

  async #granted(): Promise<Granted> {
    if (this.#refreshToken === undefined && !(this.#way.byCookie && this.#jwt !== undefined)) return this.#begin()
    try {
      return await this.#service.keymgr.post('/v1/auth/tokens', {
        body: {
          grant_type: 'refresh_token',
          ...(this.#refreshToken !== undefined && { refresh_token: this.#refreshToken }),
        },
      })
    } catch (error) {
      if (!isProblem(error, 'unauthenticated')) throw error
      this.#forget()
      if (this.#way.repeatable) return this.#begin()
      this.#refusal = error
      throw error
    }
  }

  async #begin(): Promise<Granted> {
    try {
      return await this.#way.begin(this.#service)
    } catch (error) {
      if (this.#way.isGuess && isProblem(error, 'unauthenticated')) this.#refusal = error
      throw error
    }
  }

  #take({ jwt, duration, refresh_token }: Granted, askedAt: number): string {
    this.#jwt = jwt
    this.#lifetime = lifetimeOf(askedAt, duration)
    if (refresh_token !== undefined) {
      this.#refreshToken = refresh_token
      this.#tell(refresh_token)
    }
    return jwt
  }

  #forget(): void {
    this.#jwt = undefined
    if (this.#refreshToken === undefined) return
    this.#refreshToken = undefined
    this.#tell(undefined)
  }
}

/**
 * Logs in when the first token is requested, and renews tokens before they expire and after they were refused, with one
 * renewal at a time for all callers.
 */
export const logIn = (way: Way, options: LogInOptions): LogIn => new Session(way, options)
