import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { machineTime } from '../clock.ts'
import { setting } from '../environment.ts'
import { collector, record } from './spans.ts'

/** The trace of a request (W3C Trace Context). */
export interface Trace {
  /** 32 hexadecimal digits */
  readonly id: string
  /** two hexadecimal digits: whether the trace is recorded */
  readonly flags: string
  /** 16 hexadecimal digits: the caller's span; absent where the trace begins here */
  readonly parent?: string
  /** 16 hexadecimal digits: the span of the request; absent where no spans are recorded */
  readonly span?: string
}

/** Variable of the deployment. `off`: calls to clouds carry no trace of the caller. */
const TRACE_TO_CLOUDS = 'KEYMGR_TRACE_TO_CLOUDS'

const traces = new AsyncLocalStorage<Trace>()
const TRACE_BYTES = 16
const SPAN_BYTES = 8
const RECORDED = '01'

const newSpan = (): string => randomBytes(SPAN_BYTES).toString('hex')

/**
 * The trace of a request whose caller sent `caller`. Where spans are collected, every request has one, and the caller's
 * mark decides whether its spans are recorded.
 */
export function traceFrom(caller: Trace | undefined): Trace | undefined {
  if (collector() === undefined) return caller
  if (caller === undefined) return { id: randomBytes(TRACE_BYTES).toString('hex'), flags: RECORDED, span: newSpan() }
  return caller.flags === RECORDED ? { ...caller, span: newSpan() } : caller
}

/** Runs work on behalf of a trace. Without one, it costs nothing. */
export const within = <T>(trace: Trace | undefined, work: () => T): T =>
  trace === undefined ? work() : traces.run(trace, work)

/** A call to a cloud as a part of a trace. */
export interface TracedCall {
  /** pass the trace on; empty outside of a trace, and where the deployment keeps traces to itself */
  readonly headers: Readonly<Record<string, string>>
  /** Records the span of the call. @param status of the answer; `undefined` without one */
  readonly end: (status: number | undefined) => void
}

const UNTRACED: TracedCall = { headers: {}, end: () => undefined }
const FAULT = 400

/** Begins a call to a cloud, with a span of its own. The span has the host, but no path, which names keys. */
export function traceCall(method: string, { hostname, port }: Pick<URL, 'hostname' | 'port'>): TracedCall {
  const trace = traces.getStore()
  if (trace === undefined) return UNTRACED
  const id = newSpan()
  const isKept = setting(TRACE_TO_CLOUDS) === 'off'
  const headers = isKept ? {} : { traceparent: `00-${trace.id}-${id}-${trace.flags}` }
  if (trace.span === undefined) return { ...UNTRACED, headers }
  const [startedAt, from] = [machineTime(), performance.now()]
  const end = (status: number | undefined): void => {
    const isFault = status === undefined || status >= FAULT
    record({
      ...{ trace: trace.id, id, parent: trace.span, kind: 'client', name: method, isFault },
      ...{ startedAt, ms: performance.now() - from },
      attributes: {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': port === '' ? undefined : Number(port),
        'http.response.status_code': status,
        'error.type': isFault ? String(status ?? 'no_answer') : undefined,
      },
    })
  }
  return { headers, end }
}

/** Records the span of a request, from the beginning of the request to now. */
export function recordRequest(
  { id, span, parent }: Trace,
  { method, route, scheme, status, requestId, ms }: RequestFacts,
): void {
  if (span === undefined) return
  const isFault = status >= 500
  record({
    ...{ trace: id, id: span, parent, kind: 'server', isFault, ms },
    name: route === undefined ? method : `${method} ${route}`,
    startedAt: new Date(machineTime().getTime() - ms),
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': scheme,
      'http.response.status_code': status,
      'error.type': isFault ? String(status) : undefined,
      'keymgr.request_id': requestId,
    },
  })
}

/** The attributes of the span of a request: no path, no query and no name of a person. */
interface RequestFacts {
  readonly method: string
  /** the template of the path; `undefined` for an address without an operation */
  readonly route: string | undefined
  readonly scheme: string
  readonly status: number
  /** the `x-request-id` of the answer */
  readonly requestId: string
  readonly ms: number
}
