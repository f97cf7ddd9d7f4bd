import { BoundedCache } from '../../../base/bounded-cache.ts'
import { closeSession, type DirectorySession } from './session.ts'

/** Ours: maximum number of idle connections to one directory, per instance. */
const IDLE_MOST = 4
const IDLE_MS = 30_000
const DIRECTORIES = 64

interface Idle {
  readonly session: DirectorySession
  readonly sinceMs: number
}

interface Pool {
  /** identifies a state of the connection's record */
  readonly state: string
  readonly idle: Idle[]
}

const pools = new BoundedCache<Pool>(DIRECTORIES)

const closeAll = ({ idle }: Pool): void => idle.forEach(({ session }) => closeSession(session))

/** An idle bound connection for this state of the record; those of former states are closed. */
export function takeIdle(id: string, state: string): DirectorySession | undefined {
  const pool = pools.get(id)
  if (pool === undefined) return undefined
  if (pool.state !== state) {
    closeAll(pool)
    pools.delete(id)
    return undefined
  }
  for (let next = pool.idle.pop(); next !== undefined; next = pool.idle.pop()) {
    const { session, sinceMs } = next
    if (session.client.isBound && performance.now() - sinceMs < IDLE_MS) {
      session.socket.ref()
      return session
    }
    closeSession(session)
  }
  return undefined
}

/** Keeps a bound connection for the next log-in. */
export function keepIdle(id: string, state: string, session: DirectorySession): void {
  const known = pools.get(id)
  const pool = known?.state === state ? known : { state, idle: [] }
  if (known !== undefined && known !== pool) closeAll(known)
  pools.set(id, pool)
  if (pool.idle.length >= IDLE_MOST || !session.client.isConnected) closeSession(session)
  else {
    session.socket.unref()
    pool.idle.push({ session, sinceMs: performance.now() })
  }
}
