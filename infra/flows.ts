import type { StateMachineDefinition } from 'aws-local-stepfunctions'

/**
 * Every flow of the deployment, one row each: work in many steps that a state machine drives. The same definitions are
 * deployed (`infra/aws/`) and run on a laptop (`infra/local/`), so they only use features of both: JSONPath, Task,
 * Choice, Wait, inline Map, Retry and Catch. A definition contains no progress: that is in the table, from which
 * another execution continues.
 */
export interface FlowRow {
  readonly name: string
  /** The function that all its tasks call. */
  readonly calls: string
  /** Environment variable with its address, for functions with the grant `starts-flows`. */
  readonly variable: string
  /** @param taskArn address of the function `calls` */
  readonly definition: (taskArn: string) => StateMachineDefinition
}

/** Ours: above the 300 seconds of `triggers`, so that only a call without an answer times out here. */
const TASK_SECONDS = 330

/** Items of one execution in parallel; the function limits the calls to a cloud. */
const PARTS_AT_ONCE = 8

/**
 * Temporary errors: first those of the platform, which could not call the function, then those of the function. Every
 * task may be called again: it continues from the state in the table.
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

/**
 * For a step before which no record exists that a sweeper could resume. Ours: for about an hour, in which an outage of
 * the table or a function ends.
 */
const LONG_RETRY = RETRY.map((retry) => ({ ...retry, MaxAttempts: 60, MaxDelaySeconds: 120 }))

const EVERYTHING = ['States.ALL']

/**
 * A task that invokes the function for one step of a flow; `more` are fields of its event besides those of every step.
 */
const stepOf =
  (taskArn: string, trigger: string, everyStep: Readonly<Record<string, string>>) =>
  (name: string, more: Readonly<Record<string, string>> = {}) => ({
    Type: 'Task' as const,
    Resource: taskArn,
    Parameters: {
      trigger,
      step: name,
      ...everyStep,
      'scheduled_time.$': '$$.State.EnteredTime',
      ...more,
    },
    TimeoutSeconds: TASK_SECONDS,
    Retry: RETRY,
  })
type Step = ReturnType<typeof stepOf>

/**
 * Processes the ids of a list, several in parallel. For each, the step `turn` repeats: it returns `{ next: 'read' |
 * 'done' }`, or `{ next: 'wait', wait_seconds }`. An id that keeps failing is passed to the step `fail` with `cause: {
 * Error, Cause }`, and the others continue.
 */
const inTurns = (
  step: Step,
  names: { readonly items: string; readonly item: string; readonly turn: string; readonly fail: string },
  passed: readonly string[],
  next: string,
) => ({
  Type: 'Map' as const,
  ItemsPath: names.items,
  ItemSelector: {
    ...Object.fromEntries(passed.map((field) => [`${field}.$`, `$.${field}`])),
    [`${names.item}.$`]: '$$.Map.Item.Value',
  },
  MaxConcurrency: PARTS_AT_ONCE,
  ItemProcessor: {
    StartAt: 'Turn',
    States: {
      Turn: {
        ...step(names.turn, { [`${names.item}.$`]: `$.${names.item}` }),
        ResultPath: '$.turn',
        Catch: [{ ErrorEquals: EVERYTHING, ResultPath: '$.failure', Next: 'Fail' }],
        Next: 'Decide',
      },
      Decide: {
        Type: 'Choice' as const,
        Choices: [
          { Variable: '$.turn.next', StringEquals: 'read', Next: 'Turn' },
          { Variable: '$.turn.next', StringEquals: 'wait', Next: 'Pause' },
          { Variable: '$.turn.next', StringEquals: 'done', Next: 'Done' },
        ],
      },
      Pause: { Type: 'Wait' as const, SecondsPath: '$.turn.wait_seconds', Next: 'Turn' },
      Fail: {
        ...step(names.fail, { [`${names.item}.$`]: `$.${names.item}`, 'cause.$': '$.failure' }),
        // The failure is not recorded: the item is still open in the table, where `finish` finds it.
        Catch: [{ ErrorEquals: EVERYTHING, ResultPath: '$.failure', Next: 'Done' }],
        ResultPath: null,
        Next: 'Done',
      },
      // The outputs of all items form one array, which would be limited by the size of a state's data.
      Done: { Type: 'Succeed' as const, OutputPath: null },
    },
  },
  ResultPath: null,
  Next: next,
})

/**
 * Works on a job or a report part by part. Input: `{ domain, job, generation }`, or with `report` instead of `job`;
 * `generation` counts the executions of one, from 0.
 *
 * - `plan` returns `{ parts: [id, ...] }`: at most 5,000, because a state's data may have 256 KiB.
 * - `part` takes a turn at a part; one that keeps failing is passed to `fail-part`.
 * - `finish` closes it, or starts the next generation when parts are left.
 *
 * An execution may have 25,000 events. A turn of a part takes 7, with a wait before the next 9, each retry 3 more. So
 * the function returns `done` also for a part that has used its share of turns, and the next generation continues: at
 * most 2,000 turns in one generation, for all parts together, leave room for the likely retries.
 */
const partByPart =
  (trigger: string, of: string, comment: string) =>
  (taskArn: string): StateMachineDefinition => {
    const passed = ['domain', of, 'generation']
    const step = stepOf(taskArn, trigger, Object.fromEntries(passed.map((field) => [`${field}.$`, `$.${field}`])))
    return {
      Comment: comment,
      StartAt: 'Plan',
      States: {
        Plan: { ...step('plan'), ResultSelector: { 'parts.$': '$.parts' }, ResultPath: '$.plan', Next: 'Parts' },
        Parts: inTurns(
          step,
          { items: '$.plan.parts', item: 'part', turn: 'part', fail: 'fail-part' },
          passed,
          'Finish',
        ),
        Finish: { ...step('finish'), End: true },
      },
    }
  }

const synchronize = partByPart('synchronize', 'job', 'keymgr: reads what a synchronization job covers, part by part')
const buildReport = partByPart(
  'build-report',
  'report',
  'keymgr: collects what a report covers, container by container',
)
const exportAuditLog = partByPart('export-audit-log', 'job', 'keymgr: writes an export of audit records, part by part')

/**
 * One run of a job configuration. Input: `{ domain, job_config, occasion, generation }`: `occasion` is the scheduled
 * time of a scheduled start, otherwise the id of the run; `generation` as above.
 *
 * - `begin` returns the id of the run, or an empty text when another start was first. Until it has
 *   returned, no record shows a scheduled start, so it is retried longer than other steps.
 * - `plan` writes the sub-jobs of the run, and returns `{ next: 'plan' }` while there are more, then
 *   `{ next: 'run', quota_groups: [name, ...] }`. The sub-jobs of a quota group are paced as its cloud allows. When
 *   planning keeps failing, `fail-run` closes the run.
 * - `quota-group` takes a turn at a quota group; one that keeps failing is passed to `fail-quota-group`.
 * - `finish` closes the run, or starts the next generation when sub-jobs are left.
 */
function runJob(taskArn: string): StateMachineDefinition {
  const given = ['domain', 'job_config', 'occasion', 'generation']
  const passed = ['domain', 'job_config', 'generation', 'job']
  const begin = stepOf(taskArn, 'run-job', Object.fromEntries(given.map((field) => [`${field}.$`, `$.${field}`])))
  const step = stepOf(taskArn, 'run-job', Object.fromEntries(passed.map((field) => [`${field}.$`, `$.${field}`])))
  return {
    Comment: 'keymgr: one run of a job configuration',
    StartAt: 'Begin',
    States: {
      Begin: { ...begin('begin'), Retry: LONG_RETRY, ResultPath: '$.job', Next: 'Begun' },
      Begun: {
        Type: 'Choice',
        Choices: [{ Variable: '$.job', StringEquals: '', Next: 'Nothing' }],
        Default: 'Plan',
      },
      Nothing: { Type: 'Succeed' },
      Plan: {
        ...step('plan'),
        ResultPath: '$.plan',
        Catch: [{ ErrorEquals: EVERYTHING, ResultPath: '$.failure', Next: 'FailRun' }],
        Next: 'Planned',
      },
      FailRun: { ...step('fail-run', { 'cause.$': '$.failure' }), End: true },
      Planned: {
        Type: 'Choice',
        Choices: [{ Variable: '$.plan.next', StringEquals: 'plan', Next: 'Plan' }],
        Default: 'QuotaGroups',
      },
      QuotaGroups: inTurns(
        step,
        { items: '$.plan.quota_groups', item: 'quota_group', turn: 'quota-group', fail: 'fail-quota-group' },
        passed,
        'Finish',
      ),
      Finish: { ...step('finish'), End: true },
    },
  }
}

export const FLOWS: readonly FlowRow[] = [
  { name: 'synchronize', calls: 'triggers', variable: 'KEYMGR_FLOW_SYNCHRONIZE', definition: synchronize },
  { name: 'build-report', calls: 'triggers', variable: 'KEYMGR_FLOW_BUILD_REPORT', definition: buildReport },
  {
    name: 'export-audit-log',
    calls: 'triggers',
    variable: 'KEYMGR_FLOW_EXPORT_AUDIT_LOG',
    definition: exportAuditLog,
  },
  { name: 'run-job', calls: 'triggers', variable: 'KEYMGR_FLOW_RUN_JOB', definition: runJob },
]
