import * as http from 'node:http'
import * as https from 'node:https'
import { buffer } from 'node:stream/consumers'
import { Late } from '../../../cloud/adapter/failures.ts'

/** One request to the cloud. */
export interface CloudRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: URL
  readonly bearer: string
  /** JSON text */
  readonly body?: string | undefined
  readonly answerWithinMs: number
}

export interface CloudReply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

const SOCKETS_MOST = 50

/** `fetch` would cost the first call of a process some thirty milliseconds more. */
const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
}

/**
 * Sends a request once. Redirects are not followed: the bearer token is for this host only.
 * @throws Late when there is no answer within its time; the budget's own reason; the runtime's error for a failed
 * connection
 */
export async function send(request: CloudRequest, budget: AbortSignal): Promise<CloudReply> {
  const time = AbortSignal.timeout(request.answerWithinMs)
  try {
    const answer = await answered(request, AbortSignal.any([budget, time]))
    const { statusCode = 0, headers } = answer
    return {
      status: statusCode,
      retryAfter: headers['retry-after'],
      text: (await buffer(answer)).toString('utf8'),
    }
  } catch (error) {
    if (time.aborted && !budget.aborted) throw new Late('no answer in time', { cause: error })
    throw error
  }
}

function answered({ method, url, bearer, body }: CloudRequest, signal: AbortSignal): Promise<http.IncomingMessage> {
  const isPlain = url.protocol === 'http:'
  const options = {
    method,
    signal,
    agent: agents[isPlain ? 'http:' : 'https:'],
    headers: {
      authorization: `Bearer ${bearer}`,
      accept: 'application/json',
      'user-agent': 'keymgr',
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    },
  }
  return new Promise((resolve, reject) => {
    const sent = (isPlain ? http : https).request(url, options, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}
