import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { setting } from '../environment.ts'

/** The trace of a caller (W3C Trace Context). */
export interface Trace {
  /** 32 hexadecimal digits */
  readonly id: string
  /** two hexadecimal digits: whether the caller records it */
  readonly flags: string
}

/** Variable with which a deployment keeps the traces of its callers to itself: `off`. */
const TRACE_TO_CLOUDS = 'KEYMGR_TRACE_TO_CLOUDS'

const traces = new AsyncLocalStorage<Trace>()
const SPAN_BYTES = 8

/** Runs work on behalf of a caller's trace. Without one, it costs nothing. */
export const within = <T>(trace: Trace | undefined, work: () => T): T =>
  trace === undefined ? work() : traces.run(trace, work)

/**
 * The header that passes the caller's trace on, with a span of its own for each call. Empty outside of a trace, and where
 * the deployment keeps traces to itself.
 */
export function traceHeaders(): Readonly<Record<string, string>> {
  const trace = traces.getStore()
  if (trace === undefined || setting(TRACE_TO_CLOUDS) === 'off') return {}
  return { traceparent: `00-${trace.id}-${randomBytes(SPAN_BYTES).toString('hex')}-${trace.flags}` }
}
