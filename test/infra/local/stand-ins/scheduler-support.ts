import { CreateScheduleCommand, SchedulerClient, type CreateScheduleCommandInput } from '@aws-sdk/client-scheduler'
import { LOCAL_ACCOUNT } from '../../../../infra/local/stand-ins/account.ts'
import type { Clock } from '../../../../infra/local/clock.ts'
import {
  startScheduler,
  type Scheduler,
  type SchedulerOptions,
} from '../../../../infra/local/stand-ins/scheduler/scheduler.ts'

export const GROUP = 'jobs'
export const MACHINE = `arn:aws:states:us-east-1:${LOCAL_ACCOUNT.id}:stateMachine:run-job`
export const FUNCTION = `arn:aws:lambda:us-east-1:${LOCAL_ACCOUNT.id}:function:triggers`
export const ROLE = `arn:aws:iam::${LOCAL_ACCOUNT.id}:role/keymgr-schedules`
export const DEAD_LETTERS = `arn:aws:sqs:us-east-1:${LOCAL_ACCOUNT.id}:dead-letters`
/** A time at which no schedule of the tests is due. */
export const NOON = new Date('2026-03-02T12:00:30Z')

/** A separate stand-in, the starts of its schedules, and its clock. */
export interface Stage {
  readonly scheduler: Scheduler
  readonly client: SchedulerClient
  readonly clock: Clock
  /** Inputs of executions and payloads of functions, in order of their start. */
  readonly started: { readonly target: string; readonly input: unknown }[]
  /** Creates a schedule of the group, with minimal values unless given. */
  readonly create: (Name: string, more?: Partial<CreateScheduleCommandInput>) => Promise<string | undefined>
}

/** A clock that stands still until it is moved. */
export function stillClock(time: Date): Clock {
  let now = time
  return {
    now: () => now,
    set: (date) => {
      now = date
    },
    advance: (milliseconds) => {
      now = new Date(now.getTime() + milliseconds)
    },
  }
}

export async function startStage(options: Partial<SchedulerOptions> & { readonly clock?: Clock } = {}): Promise<Stage> {
  const clock = options.clock ?? stillClock(NOON)
  const started: Stage['started'] = []
  const scheduler = await startScheduler({
    groups: [GROUP],
    clock,
    targets: {
      startExecution: (target, input) => started.push({ target, input: JSON.parse(input) as unknown }),
      invoke: (target, input) => Promise.resolve(started.push({ target, input })),
    },
    ...options,
  })
  const client = clientOf(scheduler)
  const create: Stage['create'] = async (Name, more) =>
    (await client.send(new CreateScheduleCommand({ ...simple(Name), ...more }))).ScheduleArn
  return { scheduler, client, clock, started, create }
}

export const clientOf = ({ endpoint }: Pick<Scheduler, 'endpoint'>): SchedulerClient =>
  new SchedulerClient({
    endpoint,
    region: LOCAL_ACCOUNT.region,
    credentials: LOCAL_ACCOUNT.credentials,
    maxAttempts: 1,
  })

/** Every five minutes, starts a state machine with the schedule's name and the time. */
export const simple = (Name: string): CreateScheduleCommandInput => ({
  Name,
  GroupName: GROUP,
  ScheduleExpression: 'cron(0/5 * * * ? *)',
  FlexibleTimeWindow: { Mode: 'OFF' },
  Target: {
    Arn: MACHINE,
    RoleArn: ROLE,
    Input: JSON.stringify({ name: Name, time: '<aws.scheduler.scheduled-time>' }),
  },
})
