import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { traceCall } from '../../base/network/trace.ts'
import { Late } from './failures.ts'

/** One request to a cloud. */
export interface CloudRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: URL
  /** including credentials; the length of the body is added, and its type unless it is here */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, unless the headers have another `content-type` */
  readonly body?: string | undefined
  readonly answerWithinMs: number
  /** resolves the host of an address that a user configured */
  readonly lookup?: LookupFunction | undefined
}

export interface CloudReply {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

const SOCKETS_MOST = 50
/** Ours: many times a page of 1,000 keys with all their tags. */
const ANSWER_BYTES_MOST = 64 * 1_048_576

/** `fetch` would cost the first call of a process some thirty milliseconds more. */
const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
}

/**
 * Sends a request once. Redirects are not followed: the credentials are for this host only.
 * @throws Late when there is no answer within its time; the budget's own reason; the runtime's error for a failed
 * connection
 */
export async function send(request: CloudRequest, budget: AbortSignal): Promise<CloudReply> {
  const time = AbortSignal.timeout(request.answerWithinMs)
  const traced = traceCall(request.method, request.url)
  let status: number | undefined
  try {
    const answer = await answered(request, traced.headers, AbortSignal.any([budget, time]))
    const { statusCode = 0, headers } = answer
    const text = await textOf(answer)
    status = statusCode
    return { status, headers, text }
  } catch (error) {
    if (time.aborted && !budget.aborted) throw new Late('no answer in time', { cause: error })
    throw error
  } finally {
    traced.end(status)
  }
}

/** @throws Error with a network code when the answer is longer than any that the documents promise */
async function textOf(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const parts: AsyncIterable<Buffer> = answer
  for await (const chunk of parts) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MOST) throw Object.assign(new Error('The answer is too long'), { code: 'EMSGSIZE' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function answered(
  { method, url, headers, body, lookup }: CloudRequest,
  traced: CloudRequest['headers'],
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const isPlain = url.protocol === 'http:'
  const options = {
    method,
    signal,
    ...(lookup && { lookup }),
    agent: agents[isPlain ? 'http:' : 'https:'],
    headers: {
      accept: 'application/json',
      'user-agent': 'keymgr',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...traced,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
  }
  return new Promise((resolve, reject) => {
    const sent = (isPlain ? http : https).request(url, options, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}
