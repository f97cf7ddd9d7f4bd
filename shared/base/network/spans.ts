import { setting } from '../environment.ts'

/** Variable with the address of a collector of OpenTelemetry, to which spans go. Without it none are recorded. */
const COLLECTOR = 'KEYMGR_OTLP_ENDPOINT'

/** A piece of work in a trace, named by OpenTelemetry's conventions for HTTP. */
export interface Span {
  /** 32 hexadecimal digits */
  readonly trace: string
  /** 16 hexadecimal digits */
  readonly id: string
  /** the span that it is a part of; absent at the beginning of a trace */
  readonly parent?: string | undefined
  readonly kind: 'server' | 'client'
  readonly name: string
  /** machine time */
  readonly startedAt: Date
  readonly ms: number
  readonly attributes: Readonly<Record<string, string | number | undefined>>
  readonly isFault: boolean
}

/** Ours: two thousand spans take about a megabyte; later ones are lost until some are sent. */
const MOST = 2_000

let recorded: Span[] = []
let lost = 0

/** The collector's address; `undefined` where no spans leave the service. */
export const collector = (): string | undefined => setting(COLLECTOR) || undefined

/** Keeps a span until it is sent. */
export function record(span: Span): void {
  if (recorded.length < MOST) recorded.push(span)
  else lost += 1
}

/** Returns and clears what is kept, with the number of spans that found no room. */
export function takeSpans(): { readonly spans: readonly Span[]; readonly lost: number } {
  const taken = { spans: recorded, lost }
  recorded = []
  lost = 0
  return taken
}
