import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setting } from '../environment.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'
import { sendOnce, serverAt, type Reply } from './connection.ts'

/*
 * Requests to addresses that users configure. They reach only servers of the public Internet: no user can make this
 * service call its own network. The checked address is the one that is called.
 */

/** The address must never be called. `message` is worded to follow a name of the address. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** Ours: servers of tokens and keys answer within a second, with a few kilobytes. */
const BOUNDS = { connectWithinMs: 3_000, withinMs: 10_000, mostBytes: 65_536 }

export interface Bounds extends Partial<typeof BOUNDS> {
  /** whether the deployment allows servers on this machine, also over http */
  readonly allowsLoopback: boolean
}

const LOCALHOST = 'localhost'
const isOnThisMachine = (host: string): boolean => host === LOCALHOST || isLoopbackAddress(host)

/** Variable with the PEM of an authority that servers on this machine may have: that of a deployment's own certificate. */
export const LOOPBACK_CA = 'KEYMGR_LOOPBACK_CA'

/** The authorities for a server, if they are others than usual. */
function authoritiesOf(host: string, allowsLoopback: boolean): readonly string[] | undefined {
  const own = allowsLoopback && isOnThisMachine(host) ? setting(LOOPBACK_CA) : undefined
  return own === undefined ? undefined : [...process.getBuiltinModule('node:tls').rootCertificates, own]
}

const refuseHost = (): AddressRefused => new AddressRefused('must lead to a server of the public Internet')

/** Whether a resolved address may be called. Plain http never leaves this machine. */
const isCallable = (ip: string, { protocol }: URL, allowsLoopback: boolean): boolean =>
  (protocol === 'https:' && isPublicAddress(ip)) || (allowsLoopback && isLoopbackAddress(ip))

/**
 * Checks an address before its name is resolved.
 * @throws AddressRefused
 */
export function assertFetchable(url: URL, { allowsLoopback }: Pick<Bounds, 'allowsLoopback'>): void {
  const { protocol, hostname, username, password, hash } = url
  const host = serverAt(url).hostname
  const isHere = isOnThisMachine(host)
  if (protocol !== 'https:' && !(protocol === 'http:' && isHere && allowsLoopback))
    throw new AddressRefused('must begin with https://')
  if (hostname === '') throw new AddressRefused('must name a host')
  if (username !== '' || password !== '') throw new AddressRefused('must have no user and no password')
  if (hash !== '') throw new AddressRefused('must have no fragment')
  if (isIP(host) !== 0 && !isCallable(host, url, allowsLoopback)) throw refuseHost()
}

type Resolve = (
  host: string,
  options: { readonly all: true; readonly family?: number; readonly hints?: number },
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

/**
 * Resolves a name for one connection, which can only be opened to the resolved addresses. Ours: a name with any address
 * that may not be called is refused.
 */
export const lookupOf =
  (isAccepted: (ip: string) => boolean, resolve: Resolve = systemLookup): LookupFunction =>
  (host, { family, hints, all: isAll }, done) => {
    const options = { all: true, ...(typeof family === 'number' && { family }), ...(hints && { hints }) } as const
    resolve(host, options, (error, found) => {
      if (error) {
        done(error, [])
        return
      }
      const [first] = found
      if (first === undefined || !found.every(({ address }) => isAccepted(address))) done(refuseHost(), [])
      else if (isAll) done(null, found)
      else done(null, first.address, first.family)
    })
  }

/** Resolves the host of an address that a user configured, only to addresses that may be called. */
export const guardedLookup = (url: URL, allowsLoopback: boolean): LookupFunction =>
  lookupOf((ip) => isCallable(ip, url, allowsLoopback))

export interface GuardedRequest {
  readonly method: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * One request, over a separate connection. Redirects are refused, never followed.
 * @param headers without `host`, `connection` and `content-length`
 * @throws AddressRefused; Error without a complete answer within the bounds. Neither reveals anything about the reply.
 */
export async function sendGuarded(url: URL, request: GuardedRequest, bounds: Bounds): Promise<Reply> {
  assertFetchable(url, bounds)
  const { method, headers = {}, body } = request
  const { allowsLoopback, ...patience } = { ...BOUNDS, ...bounds }
  const lines = Object.entries({
    host: url.host,
    connection: 'close',
    ...headers,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
  const server = serverAt(url)
  const ca = authoritiesOf(server.hostname, allowsLoopback)
  const reply = await sendOnce(server, text, {
    ...patience,
    ...(ca && { ca }),
    timedOut: new Error(`No answer within ${patience.withinMs} ms`),
    lookup: guardedLookup(url, allowsLoopback),
  })
  if (reply.status >= 300 && reply.status < 400) throw new AddressRefused('must answer itself, without a redirect')
  return reply
}
