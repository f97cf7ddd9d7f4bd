import * as z from 'zod'
import type { Sweep } from '../base/time.ts'
import { trigger, type AnyTrigger } from '../base/trigger.ts'
import { extended, object } from '../base/lazy-fields.ts'
import { FlowStep, partTrigger } from './engine/part-trigger.ts'
import { REPORT } from './report/report.ts'
import { beginRun } from './schedule/runs/begin-run.ts'
import { planRun } from './schedule/runs/plan-run.ts'
import { RUN, workOnQuotaGroup } from './schedule/runs/run.ts'
import { ExecutionEnded, resumeEnded } from './flow/execution-ended.ts'
import { SYNCHRONIZATION } from './synchronize/synchronization.ts'

const ofRun = extended(FlowStep, () => ({ job_config: z.uuid() })).shape
const ofQuotaGroup = { ...ofRun, job: z.uuid(), quota_group: z.string() }

const RunJob = z.discriminatedUnion('step', [
  object(() => ({ step: z.literal('begin'), occasion: z.union([z.uuid(), z.iso.datetime()]), ...ofRun })),
  object(() => ({ step: z.enum(['plan', 'finish']), job: z.uuid(), ...ofRun })),
  object(() => ({ step: z.literal('quota-group'), ...ofQuotaGroup })),
  object(() => ({ step: z.literal('fail-run'), cause: z.unknown(), job: z.uuid(), ...ofRun })),
  object(() => ({ step: z.literal('fail-quota-group'), cause: z.unknown(), ...ofQuotaGroup })),
])

async function runJob(event: z.infer<typeof RunJob>, sweep: Sweep): Promise<unknown> {
  const { domain, generation } = event
  if (event.step === 'begin') return beginRun(event, sweep.now)
  const { job } = event
  if (event.step === 'plan') return planRun(domain, job, sweep)
  if (event.step === 'quota-group') return workOnQuotaGroup(event, sweep)
  if (event.step === 'fail-quota-group')
    return RUN.failItem({ domain, item: event.quota_group, generation }, event.cause, sweep.now)
  if (event.step === 'fail-run') return RUN.giveUp(domain, job, event.cause, sweep.now)
  return RUN.finish(domain, job, generation, sweep.now)
}

const RunInput = object(() => ({
  domain: z.string(),
  job_config: z.uuid(),
  occasion: z.union([z.uuid(), z.iso.datetime()]),
  generation: z.int(),
}))

/** Continues a run from the input of its execution; a scheduled run that never began is begun now. */
async function resumeRun(input: unknown, { now }: Sweep): Promise<unknown> {
  const start = RunInput.parse(input)
  const job = await beginRun(start, now)
  return job === '' ? undefined : RUN.finish(start.domain, job, start.generation, now)
}

export const WORK_TRIGGERS: readonly AnyTrigger[] = [
  partTrigger('synchronize', 'job', SYNCHRONIZATION),
  partTrigger('build-report', 'report', REPORT),
  trigger({ name: 'run-job', event: RunJob, run: runJob, resume: resumeRun }),
  trigger({ name: 'execution-ended', event: ExecutionEnded, run: resumeEnded }),
]
