import type { Keymgr } from '../../sdk/client.ts'
import { lifetimeOf } from '../../sdk/lifetime.ts'
import { isProblem } from '../../sdk/problem.ts'
import { realTime } from '../../sdk/timing.ts'
import { byRefreshToken, type Granted, type Way } from '../../sdk/ways.ts'
import { Failure } from '../failures.ts'
import { now } from './clock.ts'
import { alone, readPrivate, sessionFile, writePrivate } from './private-files.ts'

/** The stored log-in of a profile. */
export interface Kept {
  readonly url: string
  readonly token: string
  /** renewal time and expiry of the token, in milliseconds */
  readonly renew_at: number
  readonly ends_at: number
  readonly refresh_token?: string | undefined
}

/** The log-in of a profile, if it is for this service: no token is sent to another one. */
export function keptOf(profile: string, url: string): Kept | undefined {
  const kept = readPrivate(sessionFile(profile)) as Kept | undefined
  return kept?.url === url ? kept : undefined
}

/** Stores the tokens from the service. Without a new refresh token, the former one is kept. */
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

/** The token, unless it was refused or is about to expire. */
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
 * The token of a profile. One process at a time renews it, and the others use its result.
 * @param refused a token that the service no longer accepts
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
