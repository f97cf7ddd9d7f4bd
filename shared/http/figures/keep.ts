import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { inBatches } from '../../base/batches.ts'
import { functionName, takeFigures, type Counted } from '../../base/figures.ts'
import { errorFields, log } from '../../base/log.ts'
import type { HttpHandler } from '../request/call.ts'
import { addFigures, OPERATIONS_A_WRITE } from './store.ts'

/**
 * Ours: maximum time, once a minute, for which an answer waits for the write of its figures. A longer write ends during
 * the next call.
 */
const WAIT_MS = 250

interface Write {
  readonly counted: Counted
  readonly token: string
}

/** Ours: maximum number of writes that are kept for a retry; earlier counts are lost. */
const MOST_OPEN = 10

/** Writes that are pending or have failed. */
let open: Write[] = []
let underWay = false

/**
 * Adds the figures of this instance to those in the table: at the end of a call, at most once a minute. It never fails:
 * a failed write is repeated a minute later, with the same token, so that it counts once. Ours: an instance that ends
 * loses its latest figures: figures are not records, and a write per call would cost more than the call.
 */
async function keepFigures(nowMs: number): Promise<void> {
  const counted = takeFigures(nowMs)
  if (counted === undefined) return
  const some = [...inBatches(counted, { items: OPERATIONS_A_WRITE, bytes: Infinity }, () => 0)]
  open.push(...some.map((each) => ({ counted: each, token: randomUUID() })))
  if (underWay) return
  underWay = true
  const over = new AbortController()
  const late = setTimeout(WAIT_MS, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([addAll(), late])
  over.abort()
}

/** A handler that stores its figures. Its function needs the grant `writes`. */
export const keepingFigures =
  (handler: HttpHandler): HttpHandler =>
  async (event, context) => {
    const answer = await handler(event, context)
    await keepFigures(event.requestContext.timeEpoch)
    return answer
  }

async function addAll(): Promise<void> {
  const writes = open
  open = []
  for (const write of writes.slice(-MOST_OPEN)) if (!(await isAdded(write))) open.push(write)
  underWay = false
}

/** Whether the write is complete. */
async function isAdded({ counted, token }: Write): Promise<boolean> {
  try {
    const { end } = await addFigures(functionName(), counted, token)
    return end === 'done'
  } catch (error) {
    log('warn', 'figures not kept', errorFields(error))
    return true // a retry would fail too
  }
}
