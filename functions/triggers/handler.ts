import '../../shared/wiring.ts'
import type { Context as LambdaContext } from 'aws-lambda'
import * as z from 'zod'
import { timeOfTrigger } from '../../shared/base/clock.ts'
import { log } from '../../shared/base/log.ts'
import type { Sweep } from '../../shared/base/time.ts'
import { triggerNamed } from './triggers.ts'

/** The part of an event that every trigger shares. A log subscription sends neither field. */
const Heading = z.object({
  trigger: z.string().default('log-delivery'),
  scheduled_time: z.iso.datetime().optional(),
})

/** Time left for the work under way when no more is begun. */
const RESERVE_MS = 20_000

/** Not HTTP: schedules, flows, log subscriptions and operators call this. Each trigger may run twice, or stop anywhere. */
export async function handler(
  event: unknown,
  context: Pick<LambdaContext, 'getRemainingTimeInMillis'>,
): Promise<unknown> {
  const { trigger: name, scheduled_time } = Heading.parse(event)
  const trigger = triggerNamed(name)
  const now = timeOfTrigger(scheduled_time)
  const sweep: Sweep = { now, hasTime: () => context.getRemainingTimeInMillis() > RESERVE_MS }
  const answer = await trigger.run(trigger.event.parse(event), sweep)
  log('info', 'trigger', { trigger: name, ...(trigger.secretAnswer !== true && { answer: JSON.stringify(answer) }) })
  return answer
}
