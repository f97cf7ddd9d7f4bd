/**
 * Names under which work waits for the sweeper that a stop or a fault has left: the rows of sweeps that go on with it, by
 * name alone, since the rows load the engines.
 */
export const OVERDUE_WORK: readonly string[] = [
  'resume-synchronization',
  'resume-report',
  'resume-saga',
  'resume-job',
  'resume-export',
  'run-bulk-job',
  'keep-schedule',
]
