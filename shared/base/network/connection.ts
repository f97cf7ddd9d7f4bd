import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'

/*
 * HTTP/1.1 requests over connections that are kept open. Ours: 1,000 warm reads of the table take 0.85 of the time that
 * they take with an agent of `node:http` (`bench/table-read.ts`), and a cold start of `xks` 0.9. The connection to a
 * server that violates the protocol is closed; a test simulates such a server.
 */

export interface Reply {
  readonly status: number
  /** names and values in lower case */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

interface Head extends Pick<Reply, 'status' | 'headers'> {
  /** where the body begins */
  readonly bodyAt: number
  /** of the body; `undefined` for a body in chunks */
  readonly bytes: number | undefined
}

const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'
/** Ours: the servers called here send about a kilobyte. */
const MOST_HEAD_BYTES = 65_536
/** Ours: the table answers a batch with at most 16 MB, before they become JSON. */
const MOST_BYTES = 64 * 1_048_576

const notHttp = (): Error => new Error('The answer is not HTTP as it was asked for')

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line.toLowerCase()) ?? []
    if (name === '' || (headers.has(name) && /^(?:content-length|transfer-encoding)$/.test(name))) throw notHttp()
    headers.set(name, value)
  }
  return headers
}

/** `undefined` while the head is incomplete. @throws Error unless exactly one header states the length of the body */
function readHead(received: Buffer): Head | undefined {
  const end = received.indexOf(HEAD_END)
  if ((end === -1 ? received.length : end) > MOST_HEAD_BYTES) throw notHttp()
  if (end === -1) return undefined
  const [first = '', ...lines] = received.toString('latin1', 0, end).split(LINE_END)
  const [, status] = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/.exec(first) ?? []
  const headers = readHeaders(lines)
  const [length, coding] = [headers.get('content-length'), headers.get('transfer-encoding')]
  const isSized = coding === undefined && /^\d{1,10}$/.test(length ?? '')
  const isChunked = coding === 'chunked' && length === undefined
  if (status === undefined || isSized === isChunked) throw notHttp()
  return { status: Number(status), headers, bodyAt: end + HEAD_END.length, bytes: isSized ? Number(length) : undefined }
}

interface Body {
  readonly bytes: Buffer
  readonly end: number
}

/** A body in chunks (RFC 9112 §7.1). `undefined` while it is incomplete. @throws Error for broken chunks */
function readChunks(received: Buffer, from: number): Body | undefined {
  const chunks: Buffer[] = []
  for (let at = from; ;) {
    const lineEnd = received.indexOf(LINE_END, at)
    if (lineEnd === -1) return undefined
    const [, digits] = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(received.toString('latin1', at, lineEnd)) ?? []
    if (digits === undefined) throw notHttp()
    const size = Number.parseInt(digits, 16)
    if (size === 0) {
      const end = received.indexOf(HEAD_END, lineEnd) // trailers, if any, and an empty line
      return end === -1 ? undefined : { bytes: Buffer.concat(chunks), end: end + HEAD_END.length }
    }
    const dataAt = lineEnd + LINE_END.length
    at = dataAt + size + LINE_END.length
    if (received.length < at) return undefined
    if (received.toString('latin1', at - LINE_END.length, at) !== LINE_END) throw notHttp()
    chunks.push(received.subarray(dataAt, dataAt + size))
  }
}

interface ReadReply extends Reply {
  /** whether no other request may use the connection */
  readonly closes: boolean
}

/** `undefined` while the reply is incomplete. @throws Error for a reply that is not HTTP */
function readReply(received: Buffer): ReadReply | undefined {
  const head = readHead(received)
  if (head === undefined) return undefined
  const { status, headers, bodyAt, bytes } = head
  const end = bodyAt + (bytes ?? 0)
  if (received.length < end) return undefined
  const body = bytes === undefined ? readChunks(received, bodyAt) : { bytes: received.subarray(bodyAt, end), end }
  if (body === undefined) return undefined
  const closes = headers.get('connection') === 'close' || received.length > body.end
  return { status, headers, body: body.bytes.toString('utf8'), closes }
}

export interface Server {
  readonly isTls: boolean
  readonly hostname: string
  readonly port: number
}

/** The server of an address, for `https` or `http`. */
export function serverAt({ protocol, hostname, port }: URL): Server {
  const isTls = protocol === 'https:'
  const bare = hostname.replace(/^\[(.*)\]$/, '$1') // `URL` writes an IPv6 address in brackets
  return { isTls, hostname: bare, port: port === '' ? (isTls ? 443 : 80) : Number(port) }
}

/** Options for opening a connection, if the defaults do not suffice. */
interface Opening {
  /** replaces the system's resolver for a host name; addresses are not looked up */
  readonly lookup?: LookupFunction
  /** PEM of the authorities that are trusted instead of the usual ones */
  readonly ca?: readonly string[]
  /** time limit for opening, including TLS */
  readonly connectWithinMs?: number
}

/** TLS is loaded on demand: a cold start waits for each module. */
function open({ isTls, hostname: host, port }: Server, { lookup, ca, connectWithinMs }: Opening = {}): Socket {
  const to = { host, port, ...(lookup && { lookup }) }
  const name = isIP(host) === 0 ? { servername: host } : {} // RFC 6066 §3: a server name must not be an address
  const socket = isTls
    ? process
        .getBuiltinModule('node:tls')
        .connect({ ...to, ...name, ...(ca && { ca: [...ca] }), ALPNProtocols: ['http/1.1'] })
    : connectPlain(to)
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  if (connectWithinMs !== undefined) {
    const late = (): Socket => socket.destroy(new Error(`No connection within ${connectWithinMs} ms`))
    const timer = setTimeout(late, connectWithinMs)
    for (const end of [isTls ? 'secureConnect' : 'connect', 'close']) socket.once(end, () => clearTimeout(timer))
  }
  return socket
}

/** Limits of a request. */
interface Patience {
  readonly withinMs: number
  /** thrown when the time is over */
  readonly timedOut: Error
  /** most bytes of the answer, including its head */
  readonly mostBytes?: number
}

/** One request and its answer, on a connection with no other request. A failure destroys the connection. */
function exchange(
  socket: Socket,
  request: string,
  { withinMs, timedOut, mostBytes = MOST_BYTES }: Patience,
): Promise<ReadReply> {
  let received: Buffer = Buffer.alloc(0)
  return new Promise<ReadReply>((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    // After a pause of the whole process the reply may have arrived: it is read before the deadline counts.
    const timer = setTimeout(() => setImmediate(fail, timedOut), Math.max(0, withinMs))
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('The connection was closed before the answer')))
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (received.length > mostBytes) {
        fail(new Error(`The answer is longer than ${mostBytes} bytes`))
        return
      }
      try {
        const reply = readReply(received)
        if (reply === undefined) return
        clearTimeout(timer)
        resolve(reply)
      } catch {
        fail(notHttp())
      }
    })
    socket.write(request)
  })
}

/**
 * One request over a separate connection, which is closed afterwards. @param request with its empty line and its body
 * @throws Error when the connection fails or the answer is too long, or `timedOut`
 */
export async function sendOnce(server: Server, request: string, patience: Patience & Opening): Promise<Reply> {
  const socket = open(server, patience)
  try {
    return await exchange(socket, request, patience)
  } finally {
    socket.destroy()
  }
}

/** Ours: more parallel requests are rare, and open connections of their own. */
const IDLE_SOCKETS = 16

/** Connections to one server, kept open for later requests. */
export class Connections {
  readonly #server: Server
  readonly #idle = new Set<Socket>()

  constructor(server: Server) {
    this.#server = server
  }

  #take(fresh: boolean): Socket {
    const [socket] = fresh ? [] : this.#idle
    if (socket === undefined) return open(this.#server)
    this.#idle.delete(socket)
    socket.removeAllListeners()
    return socket.ref()
  }

  #keep(socket: Socket): void {
    if (this.#idle.size >= IDLE_SOCKETS) {
      socket.destroy()
      return
    }
    const forget = (): void => {
      this.#idle.delete(socket)
      socket.destroy()
    }
    socket.removeAllListeners()
    socket.on('error', forget).on('end', forget).on('close', forget).on('data', forget).unref()
    this.#idle.add(socket)
  }

  /**
   * One request. @param request with the length of its body in the head
   * @param fresh uses a new connection: the server may have closed an idle one unnoticed
   * @throws Error when the connection fails or the answer is too long, or `timedOut`
   */
  async send(request: string, { fresh, ...patience }: Patience & { readonly fresh: boolean }): Promise<Reply> {
    const socket = this.#take(fresh)
    const reply = await exchange(socket, request, patience)
    if (reply.closes) socket.destroy()
    else this.#keep(socket)
    return reply
  }
}
