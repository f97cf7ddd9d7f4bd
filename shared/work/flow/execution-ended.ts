import * as z from 'zod'
import { jsonOf } from '../../base/json.ts'
import { object } from '../../base/lazy-fields.ts'
import { log } from '../../base/log.ts'
import { loadedOf } from '../../base/room.ts'
import type { Sweep } from '../../base/time.ts'

/**
 * The platform's report that an execution failed, timed out or was aborted.
 * @see Step Functions, "Automating Step Functions event delivery with EventBridge": `input` is null if it is too long
 */
export const ExecutionEnded = object(() => ({
  detail: z.looseObject({
    stateMachineArn: z.string(),
    executionArn: z.string(),
    status: z.enum(['FAILED', 'TIMED_OUT', 'ABORTED']),
    input: z.string().nullish(),
  }),
}))

/**
 * Continues the work of an execution that did not end by itself: as after its last step, open work gets another execution. Otherwise
 * the sweeper would do so when the heartbeat is overdue, half an hour later. Safe to repeat.
 */
export async function resumeEnded({ detail }: z.infer<typeof ExecutionEnded>, sweep: Sweep): Promise<void> {
  const { flowAt } = await import('./start-flow.ts')
  const flow = flowAt(detail.stateMachineArn)
  const triggers = (await loadedOf('triggers')).flat()
  const resume = flow === undefined ? undefined : triggers.find(({ name }) => name === flow)?.resume
  if (resume === undefined) return
  log('warn', 'an execution ended before its work', { flow, execution: detail.executionArn, status: detail.status })
  await resume(jsonOf(detail.input ?? ''), sweep)
}
