/**
 * Names under which interrupted or failed work waits for the sweeper: the rows of sweeps that resume it, only by name,
 * because the rows load the engines.
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
