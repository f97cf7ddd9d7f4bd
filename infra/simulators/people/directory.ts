import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { comparable, ENTRIES, type Entry } from './entries.ts'
import { matches } from './filter.ts'
import {
  bindAnswer,
  entryAnswer,
  extendedAnswer,
  NotLdap,
  numberOf,
  OPERATION,
  partsOf,
  readMessage,
  RESULT,
  searchDone,
  tagOf,
  textOf,
  type Message,
} from './ldap.ts'

/** A company's directory. */
export interface Directory {
  /** `ldap://localhost:<port>`, also for StartTLS */
  readonly url: string
  /** `ldaps://localhost:<port>` */
  readonly tlsUrl: string
  readonly stop: () => Promise<void>
}

const START_TLS = '1.3.6.1.4.1.1466.20037'
/** First byte of a TLS connection: a handshake record. */
const HANDSHAKE = 0x16
/** A request of a client that searches for people takes some hundred bytes. */
const MOST_BYTES = 65_536
const SCOPE = { base: 0, one: 1 } as const

/** @see RFC 4511 §4.5.1.2 */
function isInScope(dn: string, base: string, scope: number): boolean {
  if (dn === base) return scope !== SCOPE.one
  if (scope === SCOPE.base || !dn.endsWith(`,${base}`)) return false
  return scope !== SCOPE.one || !dn.slice(0, -base.length - 1).includes(',')
}

/** The attributes that a search asks for: all without a name and with `*`. */
function shown({ attributes }: Entry, names: readonly string[]): [string, readonly string[]][] {
  const isAll = names.length === 0 || names.includes('*')
  const wanted = names.map((name) => name.toLowerCase())
  return Object.entries(attributes).filter(([name]) => isAll || wanted.includes(name.toLowerCase()))
}

/** One connection: the bound user, and the answers. */
class Session {
  #bound: string | undefined

  /** @throws NotLdap */
  answer({ id, operation, parts }: Message): Buffer[] {
    if (operation === OPERATION.bind) return [bindAnswer(id, this.#bind(parts))]
    if (operation === OPERATION.search) return this.#search(id, parts)
    throw new NotLdap('This directory is read only')
  }

  #bind([, name, credentials]: Message['parts']): number {
    this.#bound = undefined
    if (credentials === undefined || tagOf(credentials) !== 0) return RESULT.authMethodNotSupported
    const [dn, password] = [comparable(textOf(name)), textOf(credentials)]
    if (password === '') return RESULT.success // anonymous, whatever the name (RFC 4513 §5.1.2)
    const entry = ENTRIES.find((each) => comparable(each.dn) === dn)
    if (entry?.password !== password) return RESULT.invalidCredentials
    this.#bound = dn
    return RESULT.success
  }

  #search(id: number, [base, scope, , sizeLimit, , , filter, names]: Message['parts']): Buffer[] {
    if (filter === undefined) throw new NotLdap('A search has a filter')
    if (this.#bound === undefined) return [searchDone(id, RESULT.insufficientAccessRights)]
    const from = comparable(textOf(base))
    if (!ENTRIES.some(({ dn }) => comparable(dn) === from)) return [searchDone(id, RESULT.noSuchObject)]
    const found = ENTRIES.filter(
      (entry) => isInScope(comparable(entry.dn), from, numberOf(scope)) && matches(filter, entry),
    )
    const most = numberOf(sizeLimit) || found.length
    const wanted = (names ? partsOf(names) : []).map(textOf)
    return [
      ...found.slice(0, most).map((entry) => entryAnswer(id, entry.dn, shown(entry, wanted))),
      searchDone(id, found.length > most ? RESULT.sizeLimitExceeded : RESULT.success),
    ]
  }
}

const startsTls = ({ operation, parts: [name] }: Message): boolean =>
  operation === OPERATION.extended && name !== undefined && textOf(name) === START_TLS

/**
 * Serves the directory on loopback. One port has all ways: a TLS connection begins with another byte than LDAP does.
 * @param identity PEM of the certificate, for `localhost`, and of its key
 * @param port default: any free one
 * @throws Error when the port is taken
 * @see RFC 4511
 */
export async function startDirectory(
  identity: { readonly cert: string; readonly key: string },
  port = 0,
): Promise<Directory> {
  const sockets = new Set<Socket>()
  const secured = (socket: Socket): Socket =>
    new TLSSocket(socket, { isServer: true, cert: identity.cert, key: identity.key })

  const serve = (socket: Socket, isSecure: boolean): void => {
    const session = new Session()
    let received = Buffer.alloc(0)
    const read = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      if (received.length > MOST_BYTES) throw new NotLdap('A request is too long')
      for (let message = readMessage(received); message !== undefined; message = readMessage(received)) {
        received = received.subarray(message.length)
        if (message.operation === OPERATION.unbind) return void socket.end()
        if (!isSecure && startsTls(message)) {
          socket.removeAllListeners('data')
          socket.write(extendedAnswer(message.id, RESULT.success))
          return serve(secured(socket), true)
        }
        for (const answer of session.answer(message)) socket.write(answer)
      }
    }
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        socket.destroy() // no client of LDAP
      }
    })
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    socket.once('data', (first: Buffer) => {
      const isTls = first[0] === HANDSHAKE
      socket.pause()
      socket.unshift(first)
      serve(isTls ? secured(socket) : socket, isTls)
      if (!isTls) socket.resume()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening') // rejects with the server's error
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The directory has no port')
  return {
    url: `ldap://localhost:${address.port}`,
    tlsUrl: `ldaps://localhost:${address.port}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
