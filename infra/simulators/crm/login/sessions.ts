import { randomBytes } from 'node:crypto'
import { HOUR_MS } from '../state/held.ts'
import { shortId } from '../state/ids.ts'
import type { SimulatedUser } from './directory.ts'

interface Session {
  readonly organizationId: string
  readonly user: SimulatedUser
  lastUsed: number
}

/** Access tokens. A restart ends all of them. */
export interface Sessions {
  readonly begin: (organizationId: string, user: SimulatedUser) => string
  /** The session's user, unless it ended or was not used for long. */
  readonly userOf: (organizationId: string, token: string) => SimulatedUser | undefined
  /** Ends all sessions of an organization. */
  readonly end: (organizationId: string) => void
}

/** The platform's usual setting. */
const IDLE_MS = 2 * HOUR_MS

/** @param now in milliseconds */
export function createSessions(now: () => number): Sessions {
  const sessions = new Map<string, Session>()
  return {
    begin: (organizationId, user) => {
      const token = `${shortId(organizationId)}!${randomBytes(36).toString('base64url')}`
      sessions.set(token, { organizationId, user, lastUsed: now() })
      return token
    },
    userOf: (organizationId, token) => {
      const session = sessions.get(token)
      if (session?.organizationId !== organizationId || now() - session.lastUsed > IDLE_MS) return undefined
      session.lastUsed = now()
      return session.user
    },
    end: (organizationId) => {
      for (const [token, session] of sessions) if (session.organizationId === organizationId) sessions.delete(token)
    },
  }
}
