import { setTimeout } from 'node:timers/promises'
import { countSpans, functionName } from '../../base/figures.ts'
import { log } from '../../base/log.ts'
import { collector, takeSpans } from '../../base/network/spans.ts'
import type { HttpHandler } from './call.ts'

/**
 * Ours: maximum time for which an answer waits for its spans, as for its figures. A longer transfer ends during the
 * next call.
 */
const WAIT_MS = 250
/** Ours: between two batches of an instance, and after a failure, doubled each time up to the second. */
const BETWEEN_MS = { usual: 5_000, most: 60_000 } as const

let sentAtMs = -Infinity
let betweenMs: number = BETWEEN_MS.usual
let underWay: Promise<void> | undefined

/** Sends the recorded spans. It never fails: spans for an unreachable collector are lost and counted. */
async function sendRecorded(to: string): Promise<void> {
  const { spans, lost } = takeSpans()
  if (lost > 0) countSpans('lost', lost)
  if (spans.length === 0) return
  try {
    const { sendSpans } = await import('../../base/network/otlp.ts')
    await sendSpans(to, spans, functionName())
    countSpans('sent', spans.length)
    betweenMs = BETWEEN_MS.usual
  } catch (error) {
    countSpans('lost', spans.length)
    betweenMs = Math.min(2 * betweenMs, BETWEEN_MS.most)
    log('warn', 'spans not sent', { lost: spans.length, detail: error instanceof Error ? error.message : undefined })
  }
}

/**
 * A handler that sends the spans of its calls at the end of a call, at most once in five seconds. Ours: an instance that
 * ends loses its latest spans, as it does its latest figures.
 */
export const sendingSpans =
  (handler: HttpHandler): HttpHandler =>
  async (event, context) => {
    const answer = await handler(event, context)
    const to = collector()
    const now = performance.now()
    if (to === undefined || underWay !== undefined || now - sentAtMs < betweenMs) return answer
    sentAtMs = now
    underWay = sendRecorded(to).finally(() => {
      underWay = undefined
    })
    const over = new AbortController()
    await Promise.race([underWay, setTimeout(WAIT_MS, undefined, { signal: over.signal }).catch(() => undefined)])
    over.abort()
    return answer
  }
