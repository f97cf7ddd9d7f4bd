import { call, Refused } from './api.ts'

/**
 * Ten minutes without activity end a session (interface, Limits). Calls of the page itself, such as a renewal, do not
 * count.
 */
const IDLE_MS = 10 * 60_000
const LOOK_MS = 5_000
/** A token is renewed this long before it expires. */
const RENEWED_BEFORE_MS = 60_000
const ACTIVITY = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const

interface Token {
  readonly jwt: string
  /** seconds */
  readonly duration: number
}

/** Marks that a session may exist. Without it, no page requests a token in vain. It is not secret. */
const OPEN = 'keymgr-session'

type Told = 'active' | 'ended' | 'changed'

/**
 * The log-in of this page. The token is in memory only; a cookie that scripts cannot read renews it, in every tab and
 * after a reload, until the session ends.
 */
export class Session {
  #jwt = ''
  #endsAt = 0
  #activeAt = Date.now()
  #renewing: Promise<void> | undefined
  readonly #tabs = new BroadcastChannel('keymgr-session')
  readonly #ended: (why: string) => void

  /** @param ended is called at the end of the session, with a sentence or an empty text */
  constructor(ended: (why: string) => void) {
    this.#ended = ended
    for (const event of ACTIVITY) window.addEventListener(event, () => this.#active(), { passive: true })
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if (data === 'active') this.#activeAt = Date.now()
      else if (data === 'changed') location.reload()
      else this.#forget('You logged out in another tab.')
    })
    window.setInterval(() => void this.#look(), LOOK_MS)
    document.addEventListener('visibilitychange', () => void this.#look())
  }

  /** Continues a session of this browser, if there is one. */
  async resume(): Promise<boolean> {
    if (localStorage.getItem(OPEN) === null) return false
    try {
      await this.#renew()
      this.#begin()
      return true
    } catch {
      return false
    }
  }

  /**
   * Opens a session. It takes the place of an open one, which goes on if the log-in is refused; other tabs follow.
   * @param body of POST /v1/auth/tokens
   * @throws Refused
   */
  async logIn(body: object): Promise<void> {
    const former = this.#jwt
    this.#take(await call<Token>('/v1/auth/tokens', { method: 'POST', body: { ...body, cookies: true } }))
    this.#begin()
    if (former === '') return
    this.#tabs.postMessage('changed' satisfies Told)
    // The cookie is that of the new session. The former one also ends when it is not used.
    await call('/v1/auth/logout', { method: 'POST', token: former, withoutCookies: true }).catch(() => undefined)
  }

  async logOut(why = ''): Promise<void> {
    const token = this.#jwt
    this.#forget(why)
    this.#tabs.postMessage('ended' satisfies Told)
    await call('/v1/auth/logout', { method: 'POST', token }).catch(() => undefined) // the session ends anyway
  }

  /** A token that is valid for the next call. @throws Refused when the session has ended */
  async token(): Promise<string> {
    if (Date.now() > this.#endsAt - RENEWED_BEFORE_MS) await this.#renew()
    return this.#jwt
  }

  #begin(): void {
    this.#activeAt = Date.now()
    this.#tabs.postMessage('active' satisfies Told)
  }

  #active(): void {
    const now = Date.now()
    if (now - this.#activeAt > LOOK_MS) this.#tabs.postMessage('active' satisfies Told)
    if (now - this.#activeAt < IDLE_MS) this.#activeAt = now
  }

  async #look(): Promise<void> {
    if (this.#jwt !== '' && Date.now() - this.#activeAt >= IDLE_MS)
      await this.logOut('You were logged out after ten minutes without activity.')
  }

  #take({ jwt, duration }: Token): void {
    localStorage.setItem(OPEN, 'open')
    this.#jwt = jwt
    this.#endsAt = Date.now() + duration * 1_000
  }

  #renew(): Promise<void> {
    this.#renewing ??= call<Token>('/v1/auth/tokens', { method: 'POST', body: { grant_type: 'refresh_token' } })
      .then((token) => this.#take(token))
      .catch((error: unknown) => {
        if (error instanceof Refused && error.problem.status === 401 && this.#jwt !== '')
          this.#forget('Your session has ended.')
        throw error
      })
      .finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  #forget(why: string): void {
    const wasOpen = this.#jwt !== ''
    localStorage.removeItem(OPEN)
    this.#jwt = ''
    this.#endsAt = 0
    if (wasOpen) this.#ended(why)
  }
}
