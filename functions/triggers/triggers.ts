import * as z from 'zod'
import type { Sweep } from '../../shared/base/time.ts'
import { checkTrees } from '../../shared/audit/evidence/check/check-trees.ts'
import { signHeads } from '../../shared/audit/evidence/sign-heads.ts'
import { forwardLogs } from '../../shared/audit/forwarding/deliver/forward.ts'
import { drainFor } from '../../shared/audit/log/drain.ts'
import { raiseAlarms } from '../../shared/audit/alarms/evaluate.ts'
import { keepTrustStore } from '../../shared/certificates/trust-store/keep.ts'
import { isOffered } from '../../shared/cloud/cloud-row.ts'
import { noticeExpiries } from '../../shared/cloud/settings/notice.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { bootstrap } from '../../shared/identity/bootstrap.ts'
import { recoverAdministrator } from '../../shared/identity/recover-administrator.ts'
import { logLags } from '../../shared/metrics/lags.ts'
import { EXPORT } from '../../shared/audit-exports/export.ts'
import { REPORT } from '../../shared/work/report/report.ts'
import { beginRun } from '../../shared/work/schedule/begin-run.ts'
import { removeOrphans } from '../../shared/work/schedule/keep-schedule.ts'
import { planRun } from '../../shared/work/schedule/plan-run.ts'
import { RUN, workOnQuotaGroup } from '../../shared/work/schedule/run.ts'
import type { Engine } from '../../shared/work/engine/engine.ts'
import type { JobState } from '../../shared/work/engine/generation.ts'
import type { WorkItemState } from '../../shared/work/engine/turn.ts'
import { SYNCHRONIZATION } from '../../shared/work/synchronize/synchronization.ts'
import { LogDelivery, recordDelivery } from './log-delivery.ts'
import { resealKeys, sweepDue } from './sweep.ts'

interface Trigger<Event> {
  readonly name: string
  readonly event: z.ZodType<Event>
  readonly run: (event: Event, sweep: Sweep) => Promise<unknown>
  /** The answer is not logged. */
  readonly secretAnswer?: true
}

// Rows differ in their events; each is only handed what its own schema let through.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyTrigger = Trigger<any>

const row = <Event>(trigger: Trigger<Event>): AnyTrigger => trigger

const Scheduled = z.object({ scheduled_time: z.iso.datetime() })
const scheduled = (name: string, run: (sweep: Sweep) => Promise<unknown>): AnyTrigger =>
  row({ name, event: Scheduled, run: (_event, sweep) => run(sweep) })

const OfFlow = Scheduled.extend({ domain: z.string(), generation: z.int() })
const ofRun = OfFlow.extend({ job_config: z.uuid() }).shape
const ofQuotaGroup = { ...ofRun, job: z.uuid(), quota_group: z.string() }

/** A step of a flow that works part by part (`infra/flows.ts`), without the name of its job. */
const PartStep = z.discriminatedUnion('step', [
  OfFlow.extend({ step: z.enum(['plan', 'finish']) }),
  OfFlow.extend({ step: z.enum(['part', 'fail-part']), part: z.string(), cause: z.unknown().optional() }),
])

async function runPartStep<J extends JobState, I extends WorkItemState>(
  engine: Engine<J, I>,
  job: string,
  event: z.infer<typeof PartStep>,
  sweep: Sweep,
): Promise<unknown> {
  const { domain, generation } = event
  if ('part' in event) {
    const step = { domain, job, item: event.part, generation }
    return event.step === 'part' ? engine.takeTurn(step, sweep) : engine.failItem(step, event.cause, sweep.now)
  }
  if (event.step === 'plan') return { parts: await engine.plan(domain, job, sweep.now) }
  return engine.finish(domain, job, generation, sweep.now)
}

const RunJob = z.discriminatedUnion('step', [
  z.object({ step: z.literal('begin'), occasion: z.union([z.uuid(), z.iso.datetime()]), ...ofRun }),
  z.object({ step: z.enum(['plan', 'finish']), job: z.uuid(), ...ofRun }),
  z.object({ step: z.literal('quota-group'), ...ofQuotaGroup }),
  z.object({ step: z.literal('fail-run'), cause: z.unknown(), job: z.uuid(), ...ofRun }),
  z.object({ step: z.literal('fail-quota-group'), cause: z.unknown(), ...ofQuotaGroup }),
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

const TRIGGERS: readonly AnyTrigger[] = [
  row({
    name: 'bootstrap',
    event: z.object({ admin_password: z.string().optional() }),
    run: ({ admin_password }, { now }) => bootstrap(now, admin_password),
    secretAnswer: true,
  }),
  row({
    name: 'recover-administrator',
    event: z.object({ username: z.string().optional() }),
    run: ({ username }, { now }) => recoverAdministrator(now, username),
    secretAnswer: true,
  }),
  row({ name: 'log-delivery', event: LogDelivery, run: recordDelivery }),
  row({
    name: 'synchronize',
    event: PartStep.and(z.object({ job: z.uuid() })),
    run: (event, sweep) => runPartStep(SYNCHRONIZATION, event.job, event, sweep),
  }),
  row({
    name: 'build-report',
    event: PartStep.and(z.object({ report: z.uuid() })),
    run: (event, sweep) => runPartStep(REPORT, event.report, event, sweep),
  }),
  row({
    name: 'export-audit-log',
    event: PartStep.and(z.object({ job: z.uuid() })),
    run: (event, sweep) => runPartStep(EXPORT, event.job, event, sweep),
  }),
  row({ name: 'run-job', event: RunJob, run: runJob }),
  row({
    name: 'drain-outbox',
    event: Scheduled.extend({ for_seconds: z.int().min(0).max(60).default(0) }),
    run: async ({ for_seconds }, sweep) => {
      await logLags(sweep.now) // before what waits is taken away
      return drainFor(for_seconds, sweep)
    },
  }),
  scheduled('sign-heads', signHeads),
  scheduled('raise-alarms', raiseAlarms),
  scheduled('forward-logs', forwardLogs),
  scheduled('check-trees', checkTrees),
  scheduled('notice-key-expiry', (sweep) => noticeExpiries(CLOUDS.filter(isOffered), sweep)),
  scheduled('sweep-due', sweepDue),
  scheduled('reseal-keys', resealKeys),
  scheduled('repair-schedules', removeOrphans),
  scheduled('keep-trust-store', keepTrustStore),
]

/** @throws Error, a fault, for a name that no row has */
export function triggerNamed(name: string): AnyTrigger {
  const trigger = TRIGGERS.find((each) => each.name === name)
  if (trigger === undefined) throw new Error(`There is no trigger named ${name}`)
  return trigger
}
