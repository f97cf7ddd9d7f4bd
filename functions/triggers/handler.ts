import type { Context as LambdaContext } from 'aws-lambda'
import * as z from 'zod'
import { bootstrap } from '../../shared/domain/bootstrap.ts'
import { drainOutbox, resealKeys, sweepDue } from '../../shared/domain/sweep.ts'
import { finishJob, planParts } from '../../shared/domain/synchronization/flow.ts'
import { failPart, readPart } from '../../shared/domain/synchronization/read-part.ts'
import { log } from '../../shared/log.ts'
import type { Sweep } from '../../shared/time.ts'
import { LogDelivery, recordDelivery } from './log-delivery.ts'

const scheduled = { scheduled_time: z.iso.datetime() }
const ofJob = {
  trigger: z.literal('synchronize'),
  domain: z.string(),
  job: z.uuid(),
  generation: z.int(),
  ...scheduled,
}
/** Not HTTP: what a schedule, a flow or an operator starts. Beside these come deliveries of log lines. */
const TriggerEvent = z.discriminatedUnion('trigger', [
  z.discriminatedUnion('step', [
    z.object({ step: z.enum(['plan', 'finish']), ...ofJob }),
    z.object({ step: z.enum(['part', 'fail-part']), part: z.uuid(), ...ofJob }),
  ]),
  z.object({
    trigger: z.literal('bootstrap'),
    scheduled_time: z.iso.datetime().optional(),
    admin_password: z.string().optional(),
  }),
  z.object({ trigger: z.literal('drain-outbox'), ...scheduled }),
  z.object({ trigger: z.literal('sweep-due'), ...scheduled }),
  z.object({ trigger: z.literal('reseal-keys'), ...scheduled }),
])

/** Time left for the work under way when no more is begun. */
const RESERVE_MS = 20_000

/** Schedules fire at least once: every trigger may run twice, or stop anywhere, and the next one goes on. */
export async function handler(
  event: unknown,
  context: Pick<LambdaContext, 'getRemainingTimeInMillis'>,
): Promise<unknown> {
  const { data: delivery } = LogDelivery.safeParse(event)
  if (delivery !== undefined) return told('log-delivery', await recordDelivery(delivery))
  const wanted = TriggerEvent.parse(event)
  const now = new Date(wanted.scheduled_time ?? new Date())
  const sweep: Sweep = { now, mayGoOn: () => context.getRemainingTimeInMillis() > RESERVE_MS }
  const answer = await run(wanted, sweep)
  return wanted.trigger === 'bootstrap' ? answer : told(wanted.trigger, answer)
}

function told(trigger: string, answer: unknown): unknown {
  log('info', 'trigger', { trigger, answer: JSON.stringify(answer) })
  return answer
}

function run(wanted: z.infer<typeof TriggerEvent>, sweep: Sweep): Promise<unknown> {
  if (wanted.trigger === 'bootstrap') return bootstrap(sweep.now, wanted.admin_password)
  if (wanted.trigger === 'synchronize') return synchronize(wanted, sweep)
  const triggers = { 'drain-outbox': drainOutbox, 'sweep-due': sweepDue, 'reseal-keys': resealKeys }
  return triggers[wanted.trigger](sweep)
}

/** A step of the flow that reads a job's places. */
async function synchronize(
  wanted: Extract<z.infer<typeof TriggerEvent>, { trigger: 'synchronize' }>,
  sweep: Sweep,
): Promise<unknown> {
  const { domain, job } = wanted
  if (wanted.step === 'plan') return { parts: await planParts(domain, job, sweep.now) }
  if (wanted.step === 'part') return readPart(domain, wanted, sweep)
  if (wanted.step === 'fail-part') return failPart(domain, wanted.part, sweep.now)
  return finishJob(domain, job, wanted.generation, sweep.now)
}
