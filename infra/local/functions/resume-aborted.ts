import type { Log } from '../log.ts'
import { STOPPED, type Execution } from '../stand-ins/step-functions.ts'

/** Longer than the end of a deployment takes, which aborts one execution after the other. */
const END_MS = 60_000

/** The executions that the end of the last deployment aborted. */
function abortedLast(executions: readonly Execution[]): Execution[] {
  const aborted = executions.filter(({ error }) => error === STOPPED.error)
  const stops = aborted.map(({ stopDate }) => stopDate?.getTime() ?? 0)
  return aborted.filter((_, at) => (stops[at] ?? 0) > Math.max(...stops) - END_MS)
}

interface Resuming {
  /** Starts the trigger for executions that ended early, with the platform's report of one. */
  readonly report: (detail: object) => Promise<unknown>
  readonly arnOf: (flow: string) => string
  readonly log: Log
}

/**
 * Reports executions that were aborted because the deployment ended, as the platform does: their open work gets another execution.
 * Safe to repeat. One that fails is left to the sweeper.
 */
export async function resumeAborted(executions: readonly Execution[], { report, arnOf, log }: Resuming): Promise<void> {
  for (const { flow, arn, status, input } of abortedLast(executions)) {
    try {
      await report({ stateMachineArn: arnOf(flow), executionArn: arn, status, input })
    } catch (error) {
      log.write('flows', `an aborted execution of ${flow} is left to the sweeper: ${String(error)}`)
    }
  }
}
