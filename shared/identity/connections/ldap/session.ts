import type { Socket } from 'node:net'
import type { Client } from 'ldapts'
import { NotReached } from '../strategies.ts'
import type { Ldap } from './model.ts'
import { openSocket } from './socket.ts'

/** Until everything that one log-in asks a directory is answered. */
const TOTAL_MS = 10_000

/** The end of the time that a log-in has, from now. */
export const deadlineFromNow = (): number => performance.now() + TOTAL_MS

/** One connection to a directory. It is never opened again once it is closed: another one would not be bound. */
export interface DirectorySession {
  readonly client: Client
  readonly socket: Socket
}

/** @throws NotReached */
export async function openSession(ldap: Ldap): Promise<DirectorySession> {
  const [{ Client: LdapClient }, socket] = await Promise.all([import('ldapts'), openSocket(ldap)])
  let isTaken = false
  const client = new LdapClient({
    url: 'ldap://directory', // the connection is made already
    createConnection: () => {
      if (isTaken) throw new NotReached('The directory closed the connection.')
      isTaken = true
      return socket
    },
  })
  return { client, socket }
}

export const closeSession = ({ socket }: DirectorySession): unknown => socket.destroy()

/** The answer to a request, which closes the connection unless it comes in time. @throws NotReached, and what the request throws */
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
