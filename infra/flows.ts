import type { StateMachineDefinition } from 'aws-local-stepfunctions'

/**
 * Every flow of the deployment, one row each: work in many steps, kept going by a state machine. The same definitions are
 * deployed (`infra/aws/`) and run on a laptop (`infra/local/`), so they keep to what runs alike in both places: JSONPath,
 * Task, Choice, Wait, inline Map, Retry and Catch. A definition holds no progress: that is in the table, and whoever starts
 * a flow again goes on from there.
 */
export interface FlowRow {
  readonly name: string
  /** The function that all its tasks call. */
  readonly calls: string
  /** Environment variable that tells its address to functions with the grant `starts-flows`. */
  readonly variable: string
  /** @param taskArn address of the function `calls` */
  readonly definition: (taskArn: string) => StateMachineDefinition
}

/** Ours: above the 300 seconds of `triggers`, so that only a call that never answers is given up here. */
const TASK_SECONDS = 330

/** Parts of one execution that are read side by side; what the cloud bears is paced by the function. */
const PARTS_AT_ONCE = 8

/**
 * What a task meets and what passes: first what the platform says of a function it could not call, then what the function
 * itself failed with. Every task may be called again: it goes on from what the table says.
 */
const RETRY = [
  {
    ErrorEquals: [
      'Lambda.TooManyRequestsException',
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
      'Lambda.ClientExecutionTimeoutException',
    ],
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: 8,
    MaxDelaySeconds: 60,
    JitterStrategy: 'FULL' as const,
  },
  {
    ErrorEquals: ['States.TaskFailed', 'States.Timeout'],
    IntervalSeconds: 2,
    BackoffRate: 2,
    MaxAttempts: 4,
    MaxDelaySeconds: 30,
    JitterStrategy: 'FULL' as const,
  },
]

const EVERYTHING = ['States.ALL']

/**
 * Reads what a job covers, part by part. Input: `{ domain, job, generation }`, `generation` counting the executions of one
 * job from 0.
 *
 * - `plan` answers `{ parts: [id, ...] }`: at most 5,000, because a state's data may have 256 KiB.
 * - `part` reads on for a while and answers `{ next: 'read' | 'done' }`, or `{ next: 'wait', wait_seconds }`. One part that
 *   fails for good is handed to `fail-part` with `cause: { Error, Cause }`, and the others go on.
 * - `finish` closes the job, or starts the next generation when parts are left.
 *
 * An execution may have 25,000 events. A turn of a part takes 7, with a wait before the next 9, each retry 3 more. So the
 * function answers `done` also for a part that has had its share of turns, and the next generation reads on: with at most
 * 2,000 turns in one generation, all parts together, there is room for every retry that is likely.
 */
function synchronize(taskArn: string): StateMachineDefinition {
  const step = (name: string, more: Readonly<Record<string, string>> = {}) => ({
    Type: 'Task' as const,
    Resource: taskArn,
    Parameters: {
      trigger: 'synchronize',
      step: name,
      'domain.$': '$.domain',
      'job.$': '$.job',
      'generation.$': '$.generation',
      'scheduled_time.$': '$$.State.EnteredTime',
      ...more,
    },
    TimeoutSeconds: TASK_SECONDS,
    Retry: RETRY,
  })
  return {
    Comment: 'keymgr: reads what a synchronization job covers, part by part',
    StartAt: 'Plan',
    States: {
      Plan: { ...step('plan'), ResultSelector: { 'parts.$': '$.parts' }, ResultPath: '$.plan', Next: 'Parts' },
      Parts: {
        Type: 'Map',
        ItemsPath: '$.plan.parts',
        ItemSelector: {
          'domain.$': '$.domain',
          'job.$': '$.job',
          'generation.$': '$.generation',
          'part.$': '$$.Map.Item.Value',
        },
        MaxConcurrency: PARTS_AT_ONCE,
        ItemProcessor: {
          StartAt: 'Read',
          States: {
            Read: {
              ...step('part', { 'part.$': '$.part' }),
              ResultPath: '$.turn',
              Catch: [{ ErrorEquals: EVERYTHING, ResultPath: '$.failure', Next: 'FailPart' }],
              Next: 'Decide',
            },
            Decide: {
              Type: 'Choice',
              Choices: [
                { Variable: '$.turn.next', StringEquals: 'read', Next: 'Read' },
                { Variable: '$.turn.next', StringEquals: 'wait', Next: 'Pause' },
                { Variable: '$.turn.next', StringEquals: 'done', Next: 'Done' },
              ],
            },
            Pause: { Type: 'Wait', SecondsPath: '$.turn.wait_seconds', Next: 'Read' },
            FailPart: {
              ...step('fail-part', { 'part.$': '$.part', 'cause.$': '$.failure' }),
              // Not even noted down: the part is still open in the table, and `finish` sees that.
              Catch: [{ ErrorEquals: EVERYTHING, ResultPath: '$.failure', Next: 'Done' }],
              ResultPath: null,
              Next: 'Done',
            },
            // The outputs of all parts are one array, which has the limit of a state's data.
            Done: { Type: 'Succeed', OutputPath: null },
          },
        },
        ResultPath: null,
        Next: 'Finish',
      },
      Finish: { ...step('finish'), End: true },
    },
  }
}

export const FLOWS: readonly FlowRow[] = [
  { name: 'synchronize', calls: 'triggers', variable: 'KEYMGR_FLOW_SYNCHRONIZE', definition: synchronize },
]
