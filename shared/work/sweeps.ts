import { expiring, type SweepRow } from '../store/due.ts'
import { workOnBulkJob } from './bulk/run-bulk-job.ts'
import { bulkJobs } from './bulk/store.ts'
import { clearRemains as clearReport } from './report/clear-report.ts'
import { REPORT } from './report/report.ts'
import { sagas } from './sagas/store.ts'
import { sweepSaga } from './sagas/sweep-sagas.ts'
import { clearRemains as clearRun } from './schedule/runs/clear-job.ts'
import { keepSchedule } from './schedule/keep-schedule.ts'
import { RUN } from './schedule/runs/run.ts'
import type { Engine } from './engine/engine.ts'
import type { JobState } from './engine/generation.ts'
import type { WorkItemState } from './engine/turn.ts'
import { SYNCHRONIZATION } from './synchronize/synchronization.ts'

/**
 * Sweeps of jobs that the engine runs: a job without a heartbeat is resumed, a record past its retention is removed.
 */
export const carried = <J extends JobState, I extends WorkItemState>(
  name: string,
  engine: Engine<J, I>,
): SweepRow[] => [
  { due: `forget-${name}`, counts: 'expired', work: ({ domain, id }, { now }) => engine.forget(domain, id, now) },
  { due: `resume-${name}`, counts: 'resumed', work: ({ domain, id }, { now }) => engine.resume(domain, id, now) },
]

export const WORK_SWEEPS: readonly SweepRow[] = [
  expiring('forget-saga', sagas),
  expiring('forget-bulk-job', bulkJobs),
  ...carried('synchronization', SYNCHRONIZATION),
  ...carried('report', REPORT),
  { due: 'resume-saga', counts: 'resumed', work: ({ domain, id }, { now }) => sweepSaga(domain, id, now) },
  ...carried('job', RUN),
  { due: 'run-bulk-job', counts: 'resumed', work: ({ domain, id }, sweep) => workOnBulkJob(domain, id, sweep) },
  { due: 'keep-schedule', counts: 'scheduled', work: ({ domain, id }, { now }) => keepSchedule(domain, id, now) },
  { due: 'clear-job', counts: 'purged', work: ({ domain, id }, sweep) => clearRun(domain, id, sweep) },
  { due: 'clear-report', counts: 'purged', work: ({ domain, id }, sweep) => clearReport(domain, id, sweep) },
]
