import type { Keymgr } from '../../sdk/client.ts'
import { lifetimeOf } from '../../sdk/lifetime.ts'
import { isProblem } from '../../sdk/problem.ts'
import { realTime } from '../../sdk/timing.ts'
import { byRefreshToken, type Granted, type Way } from '../../sdk/ways.ts'
import { Failure } from '../failures.ts'
import { now } from './clock.ts'
import { alone, readPrivate, sessionFile, writePrivate } from './private-files.ts'

/** The log-in of a profile, as it is kept. */
export interface Kept {
  readonly url: string
  readonly token: string
  /** when to ask for another token, and when this one ends: milliseconds */
  readonly renew_at: number
  readonly ends_at: number
  readonly refresh_token?: string | undefined
}

/** The log-in of a profile, if it has one at this service: no token goes to another one. */
export function keptOf(profile: string, url: string): Kept | undefined {
  const kept = readPrivate(sessionFile(profile)) as Kept | undefined
  return kept?.url === url ? kept : undefined
}

/** Keeps what the service gave. Without another refresh token, the former one stays good. */
export function keep(profile: string, url: string, granted: Granted, former?: Kept): Kept {
  const { renewAt, endsAt } = lifetimeOf(now(), granted.duration)
  const kept: Kept = {
    url,
    token: granted.jwt,
    renew_at: renewAt,
    ends_at: endsAt,
    refresh_token: granted.refresh_token ?? former?.refresh_token,
  }
  writePrivate(sessionFile(profile), kept)
  return kept
}

/** The token, unless it is refused or about to end. */
const goodIn = (kept: Kept | undefined, refused: string | undefined): string | undefined =>
  kept !== undefined && kept.token !== refused && now() < kept.renew_at ? kept.token : undefined

export interface Renewing {
  readonly profile: string
  readonly url: string
  readonly keymgr: Keymgr
  /** a way to log in without a prompt: by certificate */
  readonly way?: Way | undefined
}

const ended = (profile: string, cause?: unknown): Failure =>
  new Failure('unauthenticated', `Profile ${profile} is not logged in.`, ['keymgr login logs in.'], { cause })

async function renewed({ profile, url, keymgr, way }: Renewing): Promise<Kept> {
  const former = keptOf(profile, url)
  const service = { keymgr, timing: realTime }
  if (former?.refresh_token !== undefined)
    try {
      return keep(profile, url, await byRefreshToken(former.refresh_token).begin(service), former)
    } catch (error) {
      if (!isProblem(error, 'unauthenticated', 'denied', 'invalid')) throw error
      if (way === undefined) throw ended(profile, error)
    }
  if (way === undefined) throw ended(profile)
  return keep(profile, url, await way.begin(service))
}

/**
 * The token of a profile. It is renewed by one process at a time, and the others take what that one got.
 * @param refused a token that the service no longer takes
 */
export async function tokenOf(renewing: Renewing, refused?: string): Promise<string> {
  const { profile, url } = renewing
  const kept = keptOf(profile, url)
  const token = goodIn(kept, refused)
  if (token !== undefined) return token
  if (kept === undefined && renewing.way === undefined) throw ended(profile)
  return alone(
    sessionFile(profile),
    async () => goodIn(keptOf(profile, url), refused) ?? (await renewed(renewing)).token,
  )
}
