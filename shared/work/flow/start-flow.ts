import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { environment } from '../../base/environment.ts'
import { Refusal } from '../../base/errors.ts'

const CONNECT_TIMEOUT_MS = 1_000
const CALL_TIMEOUT_MS = 3_000

const ADDRESS_VARIABLES = {
  synchronize: 'KEYMGR_FLOW_SYNCHRONIZE',
  'run-job': 'KEYMGR_FLOW_RUN_JOB',
  'build-report': 'KEYMGR_FLOW_BUILD_REPORT',
  'export-audit-log': 'KEYMGR_FLOW_EXPORT_AUDIT_LOG',
} as const
export type FlowName = keyof typeof ADDRESS_VARIABLES

/** The flow of a state machine. @param arn its address @returns `undefined` for a state machine of others */
export const flowAt = (arn: string): string | undefined =>
  Object.entries(ADDRESS_VARIABLES).find(([, variable]) => environment()[variable] === arn)?.[0]

let client: SFNClient | undefined
const sfn = (): SFNClient => {
  client ??= new SFNClient({
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: CALL_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  })
  return client
}

/** Errors of keymgr's own request: a retry would not help. */
const FAULTS: ReadonlySet<string> = new Set([
  'InvalidArn',
  'InvalidName',
  'InvalidExecutionInput',
  'ValidationException',
])

/**
 * Starts one execution of a flow, without waiting for its end. The name makes it safe to repeat: an execution of that
 * name, under way or ended within 90 days, counts as started. So a stopped execution is resumed under another name.
 * @param executionName 1 to 80 of `A-Z a-z 0-9 - _`
 * @param input ids and counts, no secrets: the history of executions shows it
 * @param budget how long to try; by default three tries of three seconds
 * @throws Refusal UNAVAILABLE if the outcome is unknown
 */
export async function startFlow(
  name: FlowName,
  executionName: string,
  input: object,
  budget?: AbortSignal,
): Promise<void> {
  const stateMachineArn = environment()[ADDRESS_VARIABLES[name]]
  if (stateMachineArn === undefined) throw new Error(`This function was not told where the flow ${name} is`)
  try {
    const command = new StartExecutionCommand({ stateMachineArn, name: executionName, input: JSON.stringify(input) })
    await sfn().send(command, { ...(budget && { abortSignal: budget }) })
  } catch (cause) {
    if (cause instanceof ExecutionAlreadyExists) return
    if (cause instanceof Error && FAULTS.has(cause.name)) throw cause
    throw new Refusal('UNAVAILABLE', 'The work could not be started at the moment. Try again.', { cause })
  }
}
