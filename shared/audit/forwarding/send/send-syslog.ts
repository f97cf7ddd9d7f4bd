import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { defined } from '../../../base/fields.ts'
import { AddressRefused, lookupOf } from '../../../base/network/guarded-fetch.ts'
import { isLoopbackAddress, isPublicAddress } from '../../../base/network/public-address.ts'
import { framed } from '../format/message.ts'
import type { MessageFormat, Transport } from '../format/model.ts'
import { NotDelivered, notDelivered, SEND_MS } from './not-delivered.ts'

/** A syslog server. */
export interface SyslogTarget {
  readonly host: string
  readonly port?: number | undefined
  readonly transport: Transport
  /** PEM of the authority of a TLS server */
  readonly ca_cert?: string | undefined
  readonly message_format: MessageFormat
}

/** RFC 5426 §3.3, the port of syslog-conn, RFC 5425 §4.1. */
export const USUAL_PORTS: Readonly<Record<Transport, number>> = { udp: 514, tcp: 601, tls: 6514 }

export interface Reach {
  /** whether the deployment allows targets on this machine */
  readonly allowsLoopback: boolean
  readonly withinMs?: number
}

/** Whether an address is allowed: one of the public Internet, or of this machine if that is allowed. */
const isReachable =
  (allowsLoopback: boolean) =>
  (ip: string): boolean =>
    isPublicAddress(ip) || (allowsLoopback && isLoopbackAddress(ip))

/** Checks a host before its name is resolved. @throws AddressRefused */
export function assertSyslogHost(host: string, { allowsLoopback }: Reach): void {
  if (isIP(host) !== 0 && !isReachable(allowsLoopback)(host))
    throw new AddressRefused('must lead to a server of the public Internet')
}

/**
 * Sends messages in order over one connection, or each as a datagram. Syslog has no answer: delivered over a stream
 * means that the target accepted every byte and closed the connection after it was closed here; over UDP, that the
 * datagrams left this machine.
 * @throws NotDelivered; the target may have received some of them
 */
export async function sendMessages(target: SyslogTarget, messages: readonly string[], reach: Reach): Promise<void> {
  try {
    assertSyslogHost(target.host, reach)
    if (target.transport === 'udp') await sendDatagrams(target, messages, reach)
    else await sendStream(target, Buffer.concat(messages.map((text) => framed(text, target.message_format))), reach)
  } catch (error) {
    throw notDelivered(error)
  }
}

const portOf = ({ port, transport }: SyslogTarget): number => port ?? USUAL_PORTS[transport]

function open(target: SyslogTarget, { allowsLoopback }: Reach): Socket {
  const { host, transport, ca_cert } = target
  const to = { host, port: portOf(target), lookup: lookupOf(isReachable(allowsLoopback)) }
  if (transport !== 'tls') return connectTcp(to)
  return connectTls({
    ...to,
    ...(isIP(host) === 0 && { servername: host }),
    ...defined({ ca: ca_cert }),
  })
}

/**
 * Closes the connection after the bytes and waits until the target closes it too, which detects an abort on the way.
 */
function sendStream(target: SyslogTarget, bytes: Buffer, reach: Reach): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = open(target, reach)
    let [isWritten, isEnded] = [false, false]
    let failure: Error | undefined
    const timer = setTimeout(() => socket.destroy(new NotDelivered('TIMEOUT')), reach.withinMs ?? SEND_MS)
    socket.on('error', (error) => (failure ??= error))
    socket.on('finish', () => (isWritten = true))
    socket.on('end', () => (isEnded = isWritten))
    socket.on('close', () => {
      clearTimeout(timer)
      if (failure === undefined && isEnded) resolve()
      else reject(failure ?? new NotDelivered('CLOSED_EARLY'))
    })
    socket.resume() // data from the target is discarded
    socket.end(bytes)
  })
}

const found = (host: string, { allowsLoopback }: Reach): Promise<{ address: string; family: number }> =>
  new Promise((resolve, reject) => {
    if (isIP(host) !== 0) resolve({ address: host, family: isIP(host) })
    else
      lookupOf(isReachable(allowsLoopback))(host, {}, (error, address, family) => {
        if (error || typeof address !== 'string') reject(error ?? new NotDelivered('ENOTFOUND'))
        else resolve({ address, family: family ?? isIP(address) })
      })
  })

const sendOne = (socket: UdpSocket, message: string): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.send(message, (error) => (error ? reject(error) : resolve()))
  })

async function sendDatagrams(target: SyslogTarget, messages: readonly string[], reach: Reach): Promise<void> {
  const { address, family } = await found(target.host, reach)
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  try {
    const failed = new Promise<never>((_resolve, reject) => socket.on('error', reject))
    failed.catch(() => undefined)
    const connected = new Promise<void>((resolve) => {
      socket.connect(portOf(target), address, () => resolve())
    })
    await Promise.race([connected, failed])
    for (const message of messages) await Promise.race([sendOne(socket, message), failed])
  } finally {
    socket.close()
  }
}
