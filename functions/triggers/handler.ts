import type { Context as LambdaContext } from 'aws-lambda'
import * as z from 'zod'
import { bootstrap } from '../../shared/identity/bootstrap.ts'
import { collectPart, failPart as failReportPart } from '../../shared/work/report/collect-part.ts'
import { finishReport, planReport } from '../../shared/work/report/flow.ts'
import { beginRun } from '../../shared/work/schedule/begin-run.ts'
import { failRun, finishRun } from '../../shared/work/schedule/finish-run.ts'
import { removeOrphans } from '../../shared/work/schedule/keep-schedule.ts'
import { planRun } from '../../shared/work/schedule/plan-run.ts'
import { workLane } from '../../shared/work/schedule/work-lane.ts'
import { drainOutbox, resealKeys, sweepDue } from './sweep.ts'
import { finishJob, planParts } from '../../shared/work/synchronize/flow.ts'
import { failPart, readPart } from '../../shared/work/synchronize/read-part.ts'
import { log } from '../../shared/base/log.ts'
import type { Sweep } from '../../shared/base/time.ts'
import { LogDelivery, recordDelivery } from './log-delivery.ts'

const scheduled = { scheduled_time: z.iso.datetime() }
const ofJob = {
  trigger: z.literal('synchronize'),
  domain: z.string(),
  job: z.uuid(),
  generation: z.int(),
  ...scheduled,
}
const ofReport = {
  trigger: z.literal('build-report'),
  domain: z.string(),
  report: z.uuid(),
  generation: z.int(),
  ...scheduled,
}
const ofRun = {
  trigger: z.literal('run-job'),
  domain: z.string(),
  job_config: z.uuid(),
  generation: z.int(),
  ...scheduled,
}
const ofLane = { ...ofRun, job: z.uuid(), lane: z.string() }
const RunJob = z.discriminatedUnion('step', [
  z.object({ step: z.literal('begin'), occasion: z.union([z.uuid(), z.iso.datetime()]), ...ofRun }),
  z.object({ step: z.enum(['plan', 'finish']), job: z.uuid(), ...ofRun }),
  z.object({ step: z.literal('lane'), ...ofLane }),
  z.object({ step: z.literal('fail-run'), cause: z.unknown(), job: z.uuid(), ...ofRun }),
  z.object({ step: z.literal('fail-lane'), cause: z.unknown(), ...ofLane }),
])

const BuildReport = z.discriminatedUnion('step', [
  z.object({ step: z.enum(['plan', 'finish']), ...ofReport }),
  z.object({ step: z.enum(['part', 'fail-part']), part: z.string(), ...ofReport }),
])

/** Not HTTP: what a schedule, a flow or an operator starts. Beside these come deliveries of log lines. */
const TriggerEvent = z.discriminatedUnion('trigger', [
  z.discriminatedUnion('step', [
    z.object({ step: z.enum(['plan', 'finish']), ...ofJob }),
    z.object({ step: z.enum(['part', 'fail-part']), part: z.uuid(), ...ofJob }),
  ]),
  RunJob,
  BuildReport,
  z.object({
    trigger: z.literal('bootstrap'),
    scheduled_time: z.iso.datetime().optional(),
    admin_password: z.string().optional(),
  }),
  z.object({ trigger: z.literal('drain-outbox'), ...scheduled }),
  z.object({ trigger: z.literal('sweep-due'), ...scheduled }),
  z.object({ trigger: z.literal('reseal-keys'), ...scheduled }),
  z.object({ trigger: z.literal('repair-schedules'), ...scheduled }),
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
  const sweep: Sweep = { now, hasTime: () => context.getRemainingTimeInMillis() > RESERVE_MS }
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
  if (wanted.trigger === 'run-job') return runJob(wanted, sweep)
  if (wanted.trigger === 'build-report') return buildReport(wanted, sweep)
  const triggers = {
    'drain-outbox': drainOutbox,
    'sweep-due': sweepDue,
    'reseal-keys': resealKeys,
    'repair-schedules': removeOrphans,
  }
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

/** A step of the flow that makes a report. */
async function buildReport(wanted: z.infer<typeof BuildReport>, sweep: Sweep): Promise<unknown> {
  const { domain, report } = wanted
  if (wanted.step === 'plan') return { parts: await planReport(domain, report, sweep.now) }
  if (wanted.step === 'part') return collectPart(domain, wanted, sweep)
  if (wanted.step === 'fail-part') return failReportPart(domain, wanted.part, sweep.now)
  return finishReport(domain, report, wanted.generation, sweep.now)
}

/** A step of the flow that is one run of a job configuration. */
async function runJob(wanted: z.infer<typeof RunJob>, sweep: Sweep): Promise<unknown> {
  const { domain } = wanted
  if (wanted.step === 'begin') return beginRun(wanted, sweep.now)
  if (wanted.step === 'plan') return planRun(domain, wanted.job, sweep)
  if (wanted.step === 'lane') return workLane(wanted, sweep)
  if (wanted.step === 'fail-lane') return failLane(wanted)
  if (wanted.step === 'fail-run') {
    log('error', 'a run could not be planned', { job: wanted.job, cause: JSON.stringify(wanted.cause) })
    return failRun(domain, wanted.job, sweep.now)
  }
  return finishRun(domain, wanted.job, wanted.generation, sweep.now)
}

/** What is left of the lane stays open: `finish` sees it, and another execution tries again. */
function failLane({ job, lane, cause }: Extract<z.infer<typeof RunJob>, { step: 'fail-lane' }>): void {
  log('error', 'a lane of a run failed', { job, lane, cause: JSON.stringify(cause) })
}
