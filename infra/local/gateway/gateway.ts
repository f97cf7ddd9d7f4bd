import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { codeOf } from '../../simulators/toolkit/error-code.ts'
import { parseTarget, toEvent, type HttpEvent } from './gateway-event.ts'
import { fromResult, ownResponse, type GatewayResponse } from './gateway-response.ts'
import { listen, portOf } from '../../simulators/toolkit/loopback.ts'
import { StartRefusal } from '../command/start-refusal.ts'
import type { Router } from './routing.ts'

interface Gateway {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string
  /** `https://localhost:<port>` */
  readonly tlsBaseUrl?: string
  /** Before this call, every request is answered 503. */
  readonly open: () => void
  /** Closes the ports to new connections and waits for running answers, at most `withinMs`. */
  readonly stop: (withinMs: number) => Promise<void>
}

interface GatewayOptions {
  readonly clock: Clock
  /** 0 means any free port */
  readonly port: number
  readonly tls?: { readonly port: number; readonly cert: string; readonly key: string }
  readonly route: Router
  /** @throws if the function failed for any reason */
  readonly invoke: (functionName: string, event: HttpEvent) => Promise<unknown>
  readonly onFault?: (message: string) => void
  readonly observe?: Observer | undefined
}

/** Receives every request that a function answered, with the answer. */
export type Observer = (event: HttpEvent, answer: GatewayResponse) => void

/** Quotas of the HTTP API. */
const MAX_BODY_BYTES = 10 * 1024 * 1024
const MAX_HEADER_BYTES = 10_240
const INTEGRATION_LIMIT_MS = 30_000
/** Above this size Node itself refuses the headers; from the quota up to this size, the gateway does. */
const NODE_HEADER_BYTES = 64 * 1024
/** Ours: requests that take longer than these times are refused. */
const HEADERS_WITHIN_MS = 10_000
const REQUEST_WITHIN_MS = 60_000
const KEEP_ALIVE_MS = 65_000

const SERVER_OPTIONS: http.ServerOptions = {
  maxHeaderSize: NODE_HEADER_BYTES,
  headersTimeout: HEADERS_WITHIN_MS,
  requestTimeout: REQUEST_WITHIN_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
}

/**
 * Listens on loopback, HTTP and HTTPS, and passes requests to functions as an HTTP API does.
 * @throws StartRefusal if a port is taken
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  let open = false
  const underWay = new Set<http.ServerResponse>()
  const handle = (request: http.IncomingMessage, response: http.ServerResponse) => {
    underWay.add(response)
    response.on('close', () => underWay.delete(response))
    respond(request, response, open ? options : undefined).catch((error: unknown) => {
      if (!isAbort(error))
        options.onFault?.(`the front door failed: ${error instanceof Error ? String(error.stack) : String(error)}`)
      response.destroy()
    })
  }
  const plain = http.createServer(SERVER_OPTIONS)
  // Accepts any client certificate: the functions decide whom they trust, like a trust store with many issuers.
  const secure =
    options.tls &&
    https.createServer({
      ...SERVER_OPTIONS,
      ...options.tls,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    })
  const servers = [plain, ...(secure ? [secure] : [])]
  for (const server of servers) {
    server.on('request', handle).on('checkContinue', handle).on('clientError', refuseMalformed)
    server.on('checkExpectation', (_request, response: http.ServerResponse) =>
      send(response, ownResponse(417, 'Expectation Failed')),
    )
    server.on('connect', (_request, socket: Socket) =>
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n'),
    )
  }
  const close = () => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  try {
    await listenOn(plain, options.port, '--port')
    if (secure) await listenOn(secure, options.tls.port, '--tls-port')
  } catch (error) {
    await close()
    throw error
  }
  return {
    baseUrl: `http://127.0.0.1:${portOf(plain)}`,
    ...(secure && { tlsBaseUrl: `https://localhost:${portOf(secure)}` }),
    open: () => {
      open = true
    },
    stop: async (withinMs) => {
      const closed = close() // ends idle connections at once; the others end after their answers
      for (const response of underWay) if (!response.headersSent) response.setHeader('connection', 'close')
      const timer = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), withinMs)
      await closed
      clearTimeout(timer)
    },
  }
}

async function listenOn(server: http.Server, port: number, option: string): Promise<void> {
  try {
    await listen(server, port)
  } catch (error) {
    const taken = codeOf(error) === 'EADDRINUSE'
    const why = taken ? 'is taken by another program' : `cannot be listened on (${codeOf(error)})`
    throw new StartRefusal(`Port ${port} ${why}; choose another with ${option}.`, { cause: error })
  }
}

/** @param options undefined while the deployment is starting */
async function respond(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  options?: GatewayOptions,
): Promise<void> {
  request.on('error', () => undefined) // the client disconnected; reading the body reports that
  response.on('error', () => undefined)
  if (options === undefined) return refuse(request, response, ownResponse(503, 'Service Unavailable'))
  if (headerBytes(request) > MAX_HEADER_BYTES) {
    return refuse(request, response, ownResponse(431, 'Request Header Fields Too Large'))
  }
  const target = parseTarget(request.url ?? '')
  if (target === undefined) return refuse(request, response, ownResponse(400, 'Bad Request'))
  const route = options.route(request.method ?? 'GET', target.path)
  if (route === undefined) return refuse(request, response, ownResponse(404, 'Not Found'))
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return refuse(request, response, tooLarge)
  if (request.headers.expect !== undefined) response.writeContinue()
  const body = await readBody(request)
  if (body === undefined) return refuse(request, response, tooLarge)
  const event = toEvent(request, target, route, body, options.clock.now())
  const answer = await integrate(options, route.functionName, event)
  options.observe?.(event, answer)
  response.setHeader('apigw-requestid', event.requestContext.requestId)
  send(response, answer)
}

const tooLarge = ownResponse(413, 'Request Entity Too Large')
const internalError = ownResponse(500, 'Internal Server Error')

/** A failed function is answered 500, one that exceeds the gateway's time limit 503, as by the HTTP API. */
async function integrate(options: GatewayOptions, functionName: string, event: HttpEvent): Promise<GatewayResponse> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<GatewayResponse>((resolve) => {
    timer = setTimeout(() => resolve(ownResponse(503, 'Service Unavailable')), INTEGRATION_LIMIT_MS)
  })
  const answered = options.invoke(functionName, event).then(
    (result) => fromResult(result) ?? internalError,
    () => internalError, // logged where it failed
  )
  try {
    return await Promise.race([answered, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** @returns `undefined` if it is above the limit. @throws Abort if the client disconnects */
async function readBody(request: http.IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) {
        chunks.length = 0
        resolve(undefined)
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('close', () => reject(new Abort()))
    request.on('error', () => reject(new Abort()))
  })
}

class Abort extends Error {}
const isAbort = (error: unknown): boolean => error instanceof Abort

/** Size of request line and headers as sent, which the HTTP API counts against its quota. */
function headerBytes({ method, url, rawHeaders }: http.IncomingMessage): number {
  const line = (method ?? '').length + (url ?? '').length + ' HTTP/1.1\r\n'.length + 1
  return rawHeaders.reduce((sum, text) => sum + text.length + 2, line)
}

function send(response: http.ServerResponse, { status, headers, body }: GatewayResponse): void {
  const empty = status === 204 || status === 304
  for (const [name, value] of headers) response.appendHeader(name, value)
  if (!empty) response.setHeader('content-length', body.length) // for HEAD too, whose body Node omits
  response.statusCode = status
  response.end(empty ? undefined : body)
}

/** Time for a client to read the refusal before the connection is closed. */
const LINGER_MS = 2_000

/**
 * Answers without having read the body. The rest is read and dropped for a moment: closing a connection over unread
 * bytes resets it, and the client may never see the answer. A client that sent `Expect` sends no body.
 */
function refuse(request: http.IncomingMessage, response: http.ServerResponse, answer: GatewayResponse): void {
  if (request.headers.expect !== undefined) response.setHeader('connection', 'close')
  request.resume()
  const timer = setTimeout(() => request.destroy(), LINGER_MS).unref()
  request.on('close', () => clearTimeout(timer))
  send(response, answer)
}

/** Answers requests that Node's parser refuses. */
function refuseMalformed(error: Error, socket: Socket): void {
  if (codeOf(error) === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] =
    codeOf(error) === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : codeOf(error) === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout']
        : [400, 'Bad Request']
  const body = JSON.stringify({ message: reason })
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n`
  socket.end(`${head}connection: close\r\n\r\n${body}`)
}
