import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { ScheduleRow } from '../functions.ts'
import type { ApiFunction } from './api-function.ts'
import { schedulerRole } from './scheduler-role.ts'

export interface SchedulesProps {
  readonly rows: readonly ScheduleRow[]
  readonly triggers: ApiFunction
  readonly deadLetters: Queue
}

const GROUP = 'keymgr'

/** Ours: a start that cannot be delivered is soon abandoned, since the next one does the same work. */
const RETRY = { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 60 }

/** The scheduled starts of the `triggers` function, in a group of their own. */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, { rows, triggers, deadLetters }: SchedulesProps) {
    super(scope, id)
    const group = new CfnScheduleGroup(this, 'Group', { name: GROUP })
    const role = schedulerRole(this, GROUP, 'keymgr: what the schedules may do')
    const policy = new Policy(this, 'Policy', {
      statements: [
        new PolicyStatement({
          sid: 'StartTriggers',
          actions: ['lambda:InvokeFunction'],
          resources: [triggers.lambda.functionArn],
        }),
        new PolicyStatement({
          sid: 'KeepUndelivered',
          actions: ['sqs:SendMessage'],
          resources: [deadLetters.queueArn],
        }),
      ],
    })
    policy.attachToRole(role)

    for (const { trigger, everyMinutes, forSeconds } of rows) {
      const schedule = new CfnSchedule(this, trigger, {
        name: `keymgr-${trigger}`,
        groupName: GROUP,
        description: `keymgr: ${trigger}`,
        scheduleExpression: `rate(${everyMinutes} ${everyMinutes === 1 ? 'minute' : 'minutes'})`,
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          arn: triggers.lambda.functionArn,
          roleArn: role.roleArn,
          // The scheduler inserts the scheduled time, not the time of delivery, so that a start delivered twice is
          // recognizable.
          input: JSON.stringify({
            trigger,
            scheduled_time: '<aws.scheduler.scheduled-time>',
            for_seconds: forSeconds,
          }),
          deadLetterConfig: { arn: deadLetters.queueArn },
          retryPolicy: RETRY,
        },
      })
      schedule.node.addDependency(group, policy)
    }
  }
}
