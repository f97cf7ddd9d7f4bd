import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { defined } from '../../../base/fields.ts'
import { AddressRefused, lookupOf } from '../../../base/network/guarded-fetch.ts'
import { NotReached } from '../strategies.ts'
import { directoryAddress, isConnectable } from './address.ts'
import type { Ldap } from './model.ts'

const CONNECT_MS = 5_000
/** Ours: an idle connection is closed after this time. */
const IDLE_MS = 60_000
/** Ours: a person and their groups take a few kilobytes. */
const MOST_BYTES = 1_048_576

/** `1.3.6.1.4.1.1466.20037` as message 1. @see RFC 4511 §4.14 */
const START_TLS = Buffer.concat([
  Buffer.from('301d02010177188016', 'hex'),
  Buffer.from('1.3.6.1.4.1.1466.20037', 'latin1'),
])

/** Messages for errors that an administrator can fix, by their code. */
const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host has no address',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** The refusal for a failed connection, without the server's message. */
export function notConnected(error: unknown): NotReached {
  if (error instanceof NotReached) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const isOfCertificate = /CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)
  const words =
    error instanceof AddressRefused
      ? `its address ${error.message}`
      : (WORDS[code] ?? (isOfCertificate ? 'its certificate is not trusted: see ca_cert' : 'no connection to it'))
  return new NotReached(`The directory is not reached: ${words}.`, { cause: error })
}

/** Resolves when `event` occurs. @throws Error of the socket, or when it takes too long */
function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(new NotReached(`The directory is not reached within ${CONNECT_MS} ms.`)),
      CONNECT_MS,
    )
    socket.on('error', () => undefined) // remains in place, because an unhandled error event would end the process
    socket.once(event, () => {
      clearTimeout(timer)
      resolve()
    })
    socket.once('error', reject)
    socket.once('close', () => {
      clearTimeout(timer)
      reject(new Error('The connection was closed'))
    })
  })
}

/** Whether bytes are exactly one whole answer to StartTLS that grants it. */
const isGranted = (answer: Buffer): boolean =>
  answer.length >= 14 && // messageID 1, then extendedResp with resultCode 0
  answer[0] === 0x30 &&
  answer[1] === answer.length - 2 &&
  answer.subarray(2, 6).equals(Buffer.from('02010178', 'hex')) &&
  answer.subarray(7, 10).equals(Buffer.from('0a0100', 'hex'))

/**
 * Starts TLS on a plain connection. Bytes after the answer would later count as data from within TLS, so such an answer
 * is refused.
 */
async function startTls(socket: Socket): Promise<void> {
  const answered = new Promise<Buffer>((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('No answer to StartTLS')), CONNECT_MS)
    socket.once('data', resolve).once('close', () => reject(new Error('StartTLS was not answered')))
    socket.once('data', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
  })
  socket.write(START_TLS)
  const answer = await answered
  socket.removeAllListeners('data').pause()
  if (!isGranted(answer)) throw new NotReached('The directory does not grant StartTLS.')
}

/** Closes a connection on which more data arrives than any answer has. */
function bounded(socket: Socket): void {
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > MOST_BYTES) socket.destroy(new Error(`The answers are longer than ${MOST_BYTES} bytes`))
  })
}

/**
 * A connection to a directory, over TLS if its address requires it. It connects to the address that was checked; the
 * certificate is checked against the name.
 * @throws NotReached
 */
export async function openSocket({ url, start_tls, ca_cert }: Ldap): Promise<Socket> {
  const address = directoryAddress(url)
  if (address === undefined) throw new Error('The address of a directory was checked when it was stored')
  const { isTls, host, port } = address
  const isAccepted = (ip: string): boolean => isConnectable(ip, isTls || start_tls)
  if (isIP(host) !== 0 && !isAccepted(host))
    throw new NotReached('The directory is not reached: its address must lead to a server of the public Internet.')
  const to = { host, port, lookup: lookupOf(isAccepted) }
  const secure = { ...(isIP(host) === 0 && { servername: host }), ...defined({ ca: ca_cert }) }
  let socket: Socket | TLSSocket | undefined
  try {
    socket = isTls ? connectTls({ ...to, ...secure }) : connectPlain(to)
    await opened(socket, isTls ? 'secureConnect' : 'connect')
    if (start_tls) {
      await startTls(socket)
      socket = connectTls({ socket, host, ...secure })
      await opened(socket, 'secureConnect')
    }
    bounded(socket)
    return socket.setTimeout(IDLE_MS)
  } catch (error) {
    socket?.destroy()
    throw notConnected(error)
  }
}
