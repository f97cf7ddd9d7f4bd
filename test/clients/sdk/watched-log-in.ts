import { createKeymgr, type Keymgr } from '../../../clients/sdk/client.ts'
import { logIn, type LogIn, type LogInOptions } from '../../../clients/sdk/log-in.ts'
import type { Timing } from '../../../clients/sdk/timing.ts'
import type { Way } from '../../../clients/sdk/ways.ts'
import { createClock, type Clock } from '../../../infra/local/clock.ts'
import { useService, type Service } from '../../support/service.ts'

/** A log-in whose token calls are recorded. */
export interface Watched {
  readonly session: LogIn
  /** returns the name of the token's user */
  readonly me: () => Promise<string>
  /** bodies of the token calls so far */
  readonly asked: any[]
  readonly told: (string | undefined)[]
}

export interface WatchedLogIns {
  readonly service: () => Service
  readonly clock: Clock
  readonly baseUrl: () => string
  readonly watched: (way: Way, options?: Partial<LogInOptions>) => Watched
  /** The deployment's clock, so that both sides agree on expiry. `wait` receives the length of each pause. */
  readonly timing: (wait?: (milliseconds: number) => Promise<void>) => Timing
}

/** A service with a movable clock, and log-ins to it. */
export function useWatchedLogIns(): WatchedLogIns {
  const clock = createClock()
  const service = useService({ clock })
  const baseUrl = (): string => `${service().deployment.baseUrl}/api`
  const timing: WatchedLogIns['timing'] = (wait = () => Promise.resolve()) => ({
    now: () => clock.now().getTime(),
    wait,
    random: () => 0,
  })
  const watched: WatchedLogIns['watched'] = (way, options = {}) => {
    const asked: any[] = []
    const told: (string | undefined)[] = []
    const noting: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      if (request.url.endsWith('/v1/auth/tokens')) asked.push(await request.clone().json())
      return fetch(request)
    }
    const onRefreshToken = (token: string | undefined) => told.push(token)
    const session = logIn(way, { baseUrl: baseUrl(), fetch: noting, timing: timing(), onRefreshToken, ...options })
    const keymgr: Keymgr = createKeymgr({ baseUrl: baseUrl(), token: session.token })
    return { session, me: async () => (await keymgr.get('/v1/auth/self/user')).username, asked, told }
  }
  return { service, clock, baseUrl, watched, timing }
}
