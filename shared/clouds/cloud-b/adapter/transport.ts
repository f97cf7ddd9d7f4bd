import * as http from 'node:http'
import * as https from 'node:https'
import { createDefaultHttpClient, createHttpHeaders } from '@azure/core-rest-pipeline'
import type { HttpClient, PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline'
import { fieldsOf, isObject, jsonOf } from '../../../base/json.ts'
import { traceCall, type TracedCall } from '../../../base/network/trace.ts'
import { Garbled, Late, retryAfterMs } from '../../../cloud/adapter/failures.ts'
import { failureIn } from './errors.ts'
import { routeOf } from './hosts.ts'
import type { CloudBEntry } from './types.ts'

const SOCKETS_MOST = 50
/** Time limit of one answer: a job reads logs, whose pages may take half a minute. */
const ANSWER_MS: Readonly<Record<CloudBEntry['patience'], number>> = { request: 10_000, job: 60_000 }

const agents = {
  plain: new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
  secure: new https.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
}

/** Milliseconds to wait, from whichever header contains them. */
function pauseIn({ headers }: PipelineResponse): number | undefined {
  const ms = headers.get('retry-after-ms') ?? ''
  return /^\d{1,7}$/.test(ms) ? Number(ms) : retryAfterMs(headers.get('retry-after'))
}

/** The SDKs write times as signed 32-bit numbers, so times after 2038 become negative. */
const OVERFLOWN = /"(?:nbf|exp)":-\d/
const TWO_TO_32 = 2 ** 32

/** The body with the intended times. */
function withWholeTimes(body: PipelineRequest['body']): PipelineRequest['body'] {
  if (typeof body !== 'string' || !OVERFLOWN.test(body)) return body
  const fields = fieldsOf(jsonOf(body))
  const whole = Object.entries(fieldsOf(fields.attributes)).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'number' && value < 0 ? value + TWO_TO_32 : value,
  ])
  return JSON.stringify({ ...fields, attributes: Object.fromEntries<unknown>(whole) })
}

/** A copy, because the SDKs read the host of their own request after the answer. */
function routed(request: PipelineRequest, timeout: number, traced: TracedCall): PipelineRequest {
  const url = new URL(request.url)
  const route = routeOf(url)
  const isPlain = route?.startsWith('http:') === true
  const headers = createHttpHeaders({ ...request.headers.toJSON({ preserveCase: true }), ...traced.headers })
  if (route !== undefined) headers.set('x-forwarded-host', url.host)
  const copy = Object.create(request) as PipelineRequest // members that are not copied are read from the prototype
  return Object.assign(copy, {
    headers,
    timeout,
    url: route === undefined ? request.url : `${route}${url.pathname}${url.search}`,
    body: withWholeTimes(request.body),
    allowInsecureConnection: isPlain,
    agent: isPlain ? agents.plain : agents.secure,
  })
}

/**
 * Refuses answers that the SDKs would read without validation, or report without the cloud's message. The answer 401 is
 * left to the SDKs: it states the scope of the token to request.
 * @throws CloudFailure, Garbled
 */
function assertAnswer(response: PipelineResponse): void {
  const { status, bodyAsText: body } = response
  const text = body ?? ''
  if (status >= 200 && status < 300) {
    if (text !== '' && !isObject(jsonOf(text))) throw new Garbled(`no JSON, status ${status}`)
    return
  }
  if (status !== 401) throw failureIn(status, text, pauseIn(response))
}

const plain = createDefaultHttpClient()

async function sendRequest(request: PipelineRequest, timeout: number): Promise<PipelineResponse> {
  const traced = traceCall(request.method, new URL(request.url))
  const copy = routed(request, timeout, traced)
  const timer = AbortSignal.timeout(timeout)
  let status: number | undefined
  try {
    const response = await plain.sendRequest(copy)
    status = response.status
    assertAnswer(response)
    return { ...response, request }
  } catch (error) {
    const isOurs = request.abortSignal?.aborted !== true && timer.aborted
    throw isOurs ? new Late('no answer in time', { cause: error }) : error
  } finally {
    traced.end(status)
  }
}

const sendersByPatience: Readonly<Record<CloudBEntry['patience'], HttpClient>> = {
  request: { sendRequest: (request) => sendRequest(request, ANSWER_MS.request) },
  job: { sendRequest: (request) => sendRequest(request, ANSWER_MS.job) },
}

/**
 * The HTTP client of the SDKs and of keymgr's own calls. It sends each request once, only to the cloud's hosts, and
 * follows no redirects. Answers other than 401 and successes are thrown as `CloudFailure`.
 */
export const senderFor = (patience: CloudBEntry['patience']): HttpClient => sendersByPatience[patience]
