import '../../shared/wiring.ts'
import type { Context as LambdaContext } from 'aws-lambda'
import * as z from 'zod'
import { timeOfTrigger } from '../../shared/base/clock.ts'
import { log } from '../../shared/base/log.ts'
import { fieldsOf, loadedOf } from '../../shared/base/room.ts'
import type { Sweep } from '../../shared/base/time.ts'
import type { AnyTrigger } from '../../shared/base/trigger.ts'

/** The part of an event common to all triggers. A log subscription sends neither field. */
const Heading = z.object({
  trigger: z.string().default('log-delivery'),
  scheduled_time: z.iso.datetime().optional(),
})

const Scheduled = z.object({
  scheduled_time: z.iso.datetime(),
  for_seconds: z.int().min(0).max(60).default(0),
})

/** When less time than this is left, no more work is begun. */
const RESERVE_MS = 20_000

/** @throws Error, a fault, for a name without a trigger */
async function triggerNamed(name: string): Promise<Pick<AnyTrigger, 'event' | 'run' | 'secretAnswer'>> {
  const scheduled = fieldsOf('schedules')
    .flat()
    .find(({ trigger }) => trigger === name)
  if (scheduled !== undefined) {
    const run = await scheduled.run()
    return {
      event: Scheduled,
      run: ({ for_seconds }: z.infer<typeof Scheduled>, sweep) => run(sweep, for_seconds),
    }
  }
  const trigger = (await loadedOf('triggers')).flat().find((each) => each.name === name)
  if (trigger === undefined) throw new Error(`There is no trigger named ${name}`)
  return trigger
}

/**
 * Not HTTP: schedules, flows, log subscriptions and operators invoke this. Each trigger may run twice, or stop
 * anywhere.
 */
export async function handler(
  event: unknown,
  context: Pick<LambdaContext, 'getRemainingTimeInMillis'>,
): Promise<unknown> {
  const { trigger: name, scheduled_time } = Heading.parse(event)
  const trigger = await triggerNamed(name)
  const now = timeOfTrigger(scheduled_time)
  const sweep: Sweep = { now, hasTime: () => context.getRemainingTimeInMillis() > RESERVE_MS }
  const answer = await trigger.run(trigger.event.parse(event), sweep)
  log('info', 'trigger', { trigger: name, ...(trigger.secretAnswer !== true && { answer: JSON.stringify(answer) }) })
  return answer
}
