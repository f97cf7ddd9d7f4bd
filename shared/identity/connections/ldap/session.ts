import type { Socket } from 'node:net'
import type { Client } from 'ldapts'
import { NotReached } from '../strategies.ts'
import type { Ldap } from './model.ts'
import { openSocket } from './socket.ts'

/** Time limit of all requests of one log-in to a directory. */
const TOTAL_MS = 10_000

/** The time limit of a log-in that starts now. */
export const deadlineFromNow = (): number => performance.now() + TOTAL_MS

/** One connection to a directory. A closed connection is never reopened, since it would not be bound. */
export interface DirectorySession {
  readonly client: Client
  readonly socket: Socket
}

/** @throws NotReached */
export async function openSession(ldap: Ldap): Promise<DirectorySession> {
  const [{ Client: LdapClient }, socket] = await Promise.all([import('ldapts'), openSocket(ldap)])
  let isTaken = false
  const client = new LdapClient({
    url: 'ldap://directory', // the socket is connected already
    createConnection: () => {
      if (isTaken) throw new NotReached('The directory closed the connection.')
      isTaken = true
      return socket
    },
  })
  return { client, socket }
}

export const closeSession = ({ socket }: DirectorySession): unknown => socket.destroy()

/**
 * The answer to a request; without an answer in time, the connection is closed. @throws NotReached, and errors of the
 * request
 */
export async function inTime<T>(session: DirectorySession, deadline: number, request: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        reject(new NotReached(`The directory does not answer within ${TOTAL_MS} ms.`))
        closeSession(session)
      },
      Math.max(0, deadline - performance.now()),
    )
  })
  try {
    return await Promise.race([request, late])
  } finally {
    clearTimeout(timer)
    request.catch(() => undefined)
  }
}
