import { CfnRule } from 'aws-cdk-lib/aws-events'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Construct } from 'constructs'
import type { ApiFunction } from './api-function.ts'
import type { DeployedFlow } from './flows.ts'

export interface EndedExecutionsProps {
  readonly flows: readonly DeployedFlow[]
  readonly triggers: ApiFunction
}

/** Ours: an event that cannot be delivered is soon abandoned, since the sweeper resumes the work as well. */
const RETRY = { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 60 }

/** Starts `triggers` when an execution of a flow does not end by itself, so that its work gets another one. */
export class EndedExecutions extends Construct {
  constructor(scope: Construct, id: string, { flows, triggers }: EndedExecutionsProps) {
    super(scope, id)
    const rule = new CfnRule(this, 'Rule', {
      description: 'keymgr: executions of flows that failed, timed out or were aborted',
      eventPattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: flows.map(({ machine }) => machine.stateMachineArn),
        },
      },
      targets: [
        {
          id: 'triggers',
          arn: triggers.lambda.functionArn,
          retryPolicy: RETRY,
          inputTransformer: {
            inputPathsMap: { time: '$.time', detail: '$.detail' },
            inputTemplate: '{"trigger":"execution-ended","scheduled_time":<time>,"detail":<detail>}',
          },
        },
      ],
    })
    triggers.lambda.addPermission('EndedExecutions', {
      principal: new ServicePrincipal('events.amazonaws.com'),
      sourceArn: rule.attrArn,
    })
  }
}
