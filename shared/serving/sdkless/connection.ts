import { connect as connectPlain, type Socket } from 'node:net'

/*
 * HTTP/1.1 requests over connections that are kept open, no more. Ours: `node:http` would do the same, but
 * its first requests cost a cold start of a data plane ten milliseconds more than these lines do.
 */

export interface Reply {
  readonly status: number
  /** in lower case, names and values */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

interface Head {
  readonly status: number
  readonly headers: Reply['headers']
  /** where the body begins */
  readonly bodyAt: number
  /** in bytes; `undefined` for a body in chunks */
  readonly length: number | undefined
  readonly closes: boolean
}

const HEAD_END = '\r\n\r\n'

/** `undefined` while some of it is still to come. @throws Error for what is no HTTP */
function readHead(received: Buffer): Head | undefined {
  const end = received.indexOf(HEAD_END)
  if (end === -1) return undefined
  const [first = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1])
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [
        line.slice(0, colon).toLowerCase(),
        line
          .slice(colon + 1)
          .trim()
          .toLowerCase(),
      ]
    }),
  )
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  const length = isChunked ? undefined : Number(headers.get('content-length'))
  if (Number.isNaN(status) || Number.isNaN(length)) throw new Error('The answer is not HTTP as it was asked for')
  return { status, headers, bodyAt: end + HEAD_END.length, length, closes: headers.get('connection') === 'close' }
}

/** The bytes of a body in chunks (RFC 9112 §7.1). `undefined` while some of it is still to come. */
function readChunks(received: Buffer, from: number): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = from; ;) {
    const lineEnd = received.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size)) throw new Error('The answer is not HTTP as it was asked for')
    const dataAt = lineEnd + 2
    if (size === 0) return received.indexOf('\r\n', dataAt) === -1 ? undefined : Buffer.concat(chunks)
    if (received.length < dataAt + size + 2) return undefined
    chunks.push(received.subarray(dataAt, dataAt + size))
    at = dataAt + size + 2
  }
}

interface ReadReply extends Reply {
  /** whether its connection is of no more use */
  readonly closes: boolean
}

/** `undefined` while some of it is still to come. @throws Error for what is no HTTP */
function readReply(received: Buffer): ReadReply | undefined {
  const head = readHead(received)
  if (head === undefined) return undefined
  const { status, headers, bodyAt, length, closes } = head
  const whole = length === undefined || received.length >= bodyAt + length
  const body = length === undefined ? readChunks(received, bodyAt) : received.subarray(bodyAt, bodyAt + length)
  return whole && body ? { status, headers, body: body.toString('utf8'), closes } : undefined
}

/** Where requests go. */
export interface Server {
  readonly isTls: boolean
  readonly hostname: string
  readonly port: number
}

/** Where an address leads, of `https` or else of `http`. */
export function serverAt({ protocol, hostname, port }: URL): Server {
  const isTls = protocol === 'https:'
  return { isTls, hostname, port: port === '' ? (isTls ? 443 : 80) : Number(port) }
}

/** TLS is loaded where it is needed: a cold start waits for all that is loaded. */
function open({ isTls, hostname: host, port }: Server): Socket {
  const socket = isTls
    ? process.getBuiltinModule('node:tls').connect({ host, port, servername: host, ALPNProtocols: ['http/1.1'] })
    : connectPlain({ host, port })
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  return socket
}

/** How long an answer is waited for, and how much of it is read. */
interface Patience {
  readonly withinMs: number
  /** what is thrown after that */
  readonly timedOut: Error
  /** of the answer, head included; without it any number */
  readonly mostBytes?: number
}

/** One request and its answer, on a connection that nobody else uses meanwhile; it is destroyed when that fails. */
function exchange(
  socket: Socket,
  request: string,
  { withinMs, timedOut, mostBytes = Infinity }: Patience,
): Promise<ReadReply> {
  let received: Buffer = Buffer.alloc(0)
  return new Promise<ReadReply>((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    // After a pause of the whole process the reply may be there already, and is read before time is up.
    const timer = setTimeout(() => setImmediate(fail, timedOut), Math.max(0, withinMs))
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('The connection was closed before the answer')))
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      if (received.length > mostBytes) {
        fail(new Error(`The answer is longer than ${mostBytes} bytes`))
        return
      }
      let reply: ReadReply | undefined
      try {
        reply = readReply(received)
      } catch (error) {
        fail(error instanceof Error ? error : new Error('The answer could not be read'))
        return
      }
      if (reply === undefined) return
      clearTimeout(timer)
      resolve(reply)
    })
    socket.write(request)
  })
}

/**
 * One request over a connection of its own, which ends with it. @param request with its empty line and its body
 * @throws Error when the connection fails or the answer is too long, or `timedOut`
 */
export async function sendOnce(server: Server, request: string, patience: Patience): Promise<Reply> {
  const socket = open(server)
  try {
    return await exchange(socket, request, patience)
  } finally {
    socket.destroy()
  }
}

/** Ours: more come together rarely, and the rest of them is opened anew. */
const IDLE_SOCKETS = 16

/** Connections to one server, kept open for the next requests. */
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
   * @param fresh on a connection just opened: one that was kept may have been closed unnoticed
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
