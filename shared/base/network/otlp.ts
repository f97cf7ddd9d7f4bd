import { sendOnce, serverAt } from './connection.ts'
import type { Span } from './spans.ts'

/*
 * OTLP over HTTP as JSON. Ours: the official exporter and its tracer add more to every bundle than the rest of a request
 * takes (docs/decisions/0023-spans-by-a-small-exporter.md), and keep their batches in timers, which do not run between
 * two calls of an instance.
 */

const PATH = 'v1/traces'
/** @see opentelemetry-proto, trace.proto: SpanKind and StatusCode */
const KIND = { server: 2, client: 3 } as const
const STATUS_ERROR = 2
const NANOSECONDS_A_MS = 1_000_000n
const BOUNDS = { connectWithinMs: 2_000, withinMs: 5_000, mostBytes: 65_536 } as const

interface Attribute {
  readonly key: string
  /** 64-bit numbers are texts in the JSON of protocol buffers */
  readonly value: { readonly stringValue: string } | { readonly intValue: string }
}

const attributesOf = (attributes: Span['attributes']): Attribute[] =>
  Object.entries(attributes).flatMap(([key, value]): Attribute[] => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }]
  })

const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * (NANOSECONDS_A_MS / 1_000n))

function spanOf({ trace, id, parent, kind, name, startedAt, ms, attributes, isFault }: Span): object {
  const start = startedAt.getTime()
  return {
    traceId: trace,
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name,
    kind: KIND[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(start + ms),
    attributes: attributesOf(attributes),
    status: isFault ? { code: STATUS_ERROR } : {},
  }
}

/** The body of a request to a collector. @param functionName of the function that recorded the spans */
export const bodyOf = (spans: readonly Span[], functionName: string): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': 'keymgr', 'faas.name': functionName }) },
        scopeSpans: [{ scope: { name: 'keymgr' }, spans: spans.map(spanOf) }],
      },
    ],
  })

/**
 * Sends spans to a collector, once.
 * @param collector its address, to which `v1/traces` is added
 * @throws Error unless it accepts them
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export async function sendSpans(collector: string, spans: readonly Span[], functionName: string): Promise<void> {
  const url = new URL(PATH, collector.endsWith('/') ? collector : `${collector}/`)
  const body = bodyOf(spans, functionName)
  const head = {
    host: url.host,
    connection: 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  const timedOut = new Error(`The collector does not answer within ${BOUNDS.withinMs} ms`)
  const { status } = await sendOnce(serverAt(url), text, { ...BOUNDS, timedOut })
  if (status < 200 || status >= 300) throw new Error(`The collector answers with status ${status}`)
}
