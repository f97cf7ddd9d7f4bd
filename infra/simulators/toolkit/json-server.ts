import { controls, type Controls } from './controls.ts'
import { createFaultRules, underFaults, type Counted, type UsualFault } from './fault-rules.ts'
import { serveHttp, type HttpRequest, type Served } from './loopback.ts'
import { createRequestLog, type Called } from './request-log.ts'

export interface JsonReply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Faults of a JSON server, for one operation or for all. */
export type JsonServerFault<Call extends Called> = Counted & { readonly operation?: Call['operation'] } & (
    UsualFault<Call> | { readonly fault: 'throttle' }
  )

/** The service's own refusals, by fault. */
export type StruckReplies = Readonly<
  Record<'throttle' | 'server-error' | 'access-denied' | 'expired-credentials', JsonReply>
>

/** The answers of a JSON server, and the names of its calls. */
export interface JsonService<Call extends Called> {
  /** The log's entry for a request. */
  readonly callOf: (url: URL) => Call
  readonly struckReplies: StruckReplies
  readonly answer: (call: Call, url: URL, request: HttpRequest) => Promise<JsonReply>
}

/** Serves JSON on loopback, with faults on demand and a log of all requests. @throws Error when no port is free */
export async function serveJson<Call extends Called>({
  callOf,
  struckReplies,
  answer,
}: JsonService<Call>): Promise<Served & Controls<JsonServerFault<Call>, Call>> {
  const faults = createFaultRules<JsonServerFault<Call>, [Call]>(
    ({ operation }, call) => (operation ?? call.operation) === call.operation,
  )
  const log = createRequestLog<Call>()
  const served = await serveHttp(async (request) => {
    const url = new URL(request.url, `http://${request.headers.host ?? 'loopback'}`)
    const call = callOf(url)
    const refused = log.note(call)
    return underFaults(faults.strike(call), call, async (struck) => {
      const [, struckReply] = Object.entries(struckReplies).find(([fault]) => struck(fault)) ?? []
      const { status, body, headers } = struckReply ?? (await answer(call, url, request))
      if (status >= 400) refused(String(status))
      return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    })
  })
  return { ...served, ...controls({ faults, log }) }
}
