import { Stack } from 'aws-cdk-lib'
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { FlowRow } from '../flows.ts'
import type { ApiFunction } from './api-function.ts'
import { excuse } from './excuse.ts'
import { flowArn, machineName } from './flow-arn.ts'
import { tracePolicy } from './trace-policy.ts'

export interface FlowProps {
  readonly row: FlowRow
  /** The function that the row names: the only one that its tasks may call. */
  readonly task: ApiFunction
}

const TRACING = [
  'xray:PutTraceSegments',
  'xray:PutTelemetryRecords',
  'xray:GetSamplingRules',
  'xray:GetSamplingTargets',
] as const

/** One flow as a standard workflow: it may run for a year, and each step is executed at least once. */
export class DeployedFlow extends Construct {
  readonly row: FlowRow
  readonly machine: StateMachine

  constructor(scope: Construct, id: string, { row, task }: FlowProps) {
    super(scope, id)
    this.row = row
    const role = new Role(this, 'Role', {
      description: `keymgr: what the flow ${row.name} may do`,
      // Only this machine, of this account: the service is shared by all accounts (confused deputy).
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account, 'aws:SourceArn': flowArn(this, row) },
        },
      }),
    })
    const policies = [this.tasks(task), tracePolicy(this, TRACING, 'X-Ray knows no resources for these actions.')]
    for (const policy of policies) policy.attachToRole(role)

    this.machine = new StateMachine(this, 'Machine', {
      stateMachineName: machineName(row),
      definitionBody: DefinitionBody.fromString(JSON.stringify(row.definition(task.lambda.functionArn))),
      role: role.withoutPolicyUpdates(),
      tracingEnabled: true,
    })
    this.machine.node.addDependency(...policies)
    excuse(
      this.machine,
      'AwsSolutions-SF1',
      'The service keeps every event of an execution for 90 days, and the function logs what it did. A log besides would ' +
        'need rights on all log deliveries of the account.',
    )
  }

  private tasks(task: ApiFunction): Policy {
    return new Policy(this, 'Tasks', {
      statements: [
        new PolicyStatement({
          sid: 'CallTasks',
          actions: ['lambda:InvokeFunction'],
          resources: [task.lambda.functionArn],
        }),
      ],
    })
  }
}
