import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { inBatches } from '../../base/batches.ts'
import { functionName, takeFigures, type Counted } from '../../base/figures.ts'
import { errorFields, log } from '../../base/log.ts'
import type { HttpHandler } from '../stack.ts'
import { addFigures, OPERATIONS_A_WRITE } from './store.ts'

/** Ours: how long an answer waits for its figures, once a minute. What takes longer ends beside the next call. */
const WAIT_MS = 250

interface Write {
  readonly counted: Counted
  readonly token: string
}

/** Ours: as many are kept for another try; what was counted before is lost. */
const MOST_OPEN = 10

/** Writes that have not ended, or ended in nothing. */
let open: Write[] = []
let underWay = false

/**
 * Adds what this instance has counted to the figures in the table: at the end of a call, at most once a minute. Never
 * fails: what others kept from being added is added a minute later, under the same token, so that it counts once.
 * Ours: an instance that ends loses what it counted since: figures are no records, and a write for each call would cost more than
 * the call.
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

/** A handler that keeps what it counts. Its function needs the grant `writes`. */
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

/** Whether nothing is left to do of it. */
async function isAdded({ counted, token }: Write): Promise<boolean> {
  try {
    const { end } = await addFigures(functionName(), counted, token)
    return end === 'done'
  } catch (error) {
    log('warn', 'figures not kept', errorFields(error))
    return true // it would fail again
  }
}
