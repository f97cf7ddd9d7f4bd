import { Aws } from 'aws-cdk-lib'
import { Policy, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { FLOWS } from '../flows.ts'
import { JOB_SCHEDULES, SCHEDULE_ENVIRONMENT } from '../functions.ts'
import { excuse } from './excuse.ts'
import { flowArn } from './flow-arn.ts'
import { SCHEDULER, schedulerRole } from './scheduler-role.ts'

/** With tokens for account and region even if both are known, so that the excused finding has one spelling. */
const EVERY_SCHEDULE = `arn:${Aws.PARTITION}:scheduler:${Aws.REGION}:${Aws.ACCOUNT_ID}:schedule/${JOB_SCHEDULES.group}/*`

export interface JobSchedulesProps {
  /** Keeps the starts that could not be delivered for a day. */
  readonly deadLetters: Queue
}

/**
 * The group of the schedules that functions manage, and the role that a schedule assumes when it fires. Deleting the
 * group deletes its schedules; they are created again from the table.
 */
export class JobSchedules extends Construct {
  /** Variables of functions with the grant `keeps-schedules`. */
  readonly environment: Readonly<Record<string, string>>
  private readonly role: Role

  constructor(scope: Construct, id: string, { deadLetters }: JobSchedulesProps) {
    super(scope, id)
    const { group, flow } = JOB_SCHEDULES
    const row = FLOWS.find(({ name }) => name === flow)
    if (row === undefined) throw new Error(`There is no flow ${flow}, which schedules are to start`)
    const machineArn = flowArn(this, row)

    new CfnScheduleGroup(this, 'Group', { name: group })
    this.role = schedulerRole(this, group, 'keymgr: what the schedules of jobs may do')
    new Policy(this, 'Policy', {
      statements: [
        new PolicyStatement({ sid: 'StartRuns', actions: ['states:StartExecution'], resources: [machineArn] }),
        new PolicyStatement({
          sid: 'KeepUndelivered',
          actions: ['sqs:SendMessage'],
          resources: [deadLetters.queueArn],
        }),
      ],
    }).attachToRole(this.role)
    this.environment = {
      [row.variable]: machineArn,
      [SCHEDULE_ENVIRONMENT.group]: group,
      [SCHEDULE_ENVIRONMENT.role]: this.role.roleArn,
      [SCHEDULE_ENVIRONMENT.deadLetters]: deadLetters.queueArn,
    }
  }

  /**
   * Grants the calls of `shared/work/flow/schedules.ts`. A separate policy, so that its excuse covers nothing else.
   */
  keptBy(role: Role): Policy {
    const policy = new Policy(role, 'SchedulePolicy', {
      statements: [
        new PolicyStatement({
          sid: 'KeepSchedules',
          actions: [
            'scheduler:CreateSchedule',
            'scheduler:GetSchedule',
            'scheduler:UpdateSchedule',
            'scheduler:DeleteSchedule',
          ],
          resources: [EVERY_SCHEDULE],
        }),
        new PolicyStatement({ sid: 'ListSchedules', actions: ['scheduler:ListSchedules'], resources: ['*'] }),
        // a schedule has the rights of its role, so no other role may be passed
        new PolicyStatement({
          sid: 'LendRole',
          actions: ['iam:PassRole'],
          resources: [this.role.roleArn],
          conditions: { StringEquals: { 'iam:PassedToService': SCHEDULER } },
        }),
      ],
    })
    policy.attachToRole(role)
    excuse(policy, 'AwsSolutions-IAM5[Resource::*]', 'The scheduler knows no resources for listing.')
    excuse(
      policy,
      `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${JOB_SCHEDULES.group}/*]`,
      'Every schedule of the group, which has no others: they are made and deleted with the configurations of jobs.',
    )
    return policy
  }
}
