import { Aws, Duration, NestedStack } from 'aws-cdk-lib'
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2'
import { Alarm, ComparisonOperator, Stats, TreatMissingData, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Operation } from 'aws-cdk-lib/aws-dynamodb'
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { NAMESPACE } from '../../shared/base/figures.ts'
import type { ApiFunction } from './api-function.ts'
import type { DeployedFlow } from './flows.ts'
import type { FoundationTable } from './foundation-stack.ts'

export interface AlarmsProps {
  readonly functions: readonly ApiFunction[]
  readonly flows: readonly DeployedFlow[]
  /** The function that must be called regularly. */
  readonly triggers: ApiFunction
  readonly stage: HttpStage | undefined
  readonly table: FoundationTable
  readonly deadLetters: Queue
  readonly email?: string | undefined
}

interface Bound {
  readonly atLeast: number
}

const PERIOD = Duration.minutes(5)
/**
 * Ours: share of the time limit. A sweep with much work stops by itself 20 seconds before its limit of 300, which
 * raises no alarm.
 */
const NEAR_TIMEOUT = 0.95
/**
 * Ours: share of a data plane's budget; gateway and network take the rest. One call in a hundred may take longer: a
 * cold start.
 */
const OWN_SHARE = 0.8
/** Ours: a single 503 is a temporary failure of a dependency, which the caller repeats; several need attention. */
const SERVER_ERRORS = 5
/** The calls of `shared/store/table.ts`. */
export const TABLE_CALLS = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.TRANSACT_WRITE_ITEMS,
]

/** The alarms, and the topic that they notify. A nested stack, because each function has three or four alarms. */
export class Alarms extends NestedStack {
  private readonly topic: Topic

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id, { description: 'keymgr: alarms' })
    const { functions, flows, triggers, stage, table, deadLetters, email } = props
    this.topic = this.createTopic(email)

    for (const { row, lambda } of functions) {
      this.alarm(`${row.name}-errors`, lambda.metricErrors({ period: PERIOD }), { atLeast: 1 })
      this.alarm(`${row.name}-throttles`, lambda.metricThrottles({ period: PERIOD }), { atLeast: 1 })
      this.alarm(`${row.name}-duration`, lambda.metricDuration({ period: PERIOD, statistic: Stats.MAXIMUM }), {
        atLeast: row.timeoutSeconds * 1_000 * NEAR_TIMEOUT,
      })
      if (row.budgetMs !== undefined)
        this.alarm(`${row.name}-slow`, lambda.metricDuration({ period: PERIOD, statistic: Stats.p(99) }), {
          atLeast: row.budgetMs * OWN_SHARE,
        })
    }
    for (const { row, machine } of flows)
      this.alarm(`flow-${row.name}-failed`, machine.metricFailed({ period: PERIOD }), { atLeast: 1 })
    if (stage !== undefined)
      this.alarm('api-5xx', stage.metricServerError({ period: PERIOD, statistic: Stats.SUM }), {
        atLeast: SERVER_ERRORS,
      })
    this.alarm(
      'table-throttles',
      table.metricThrottledRequestsForOperations({ operations: TABLE_CALLS, period: PERIOD }),
      { atLeast: 1 },
    )
    this.alarm(
      'table-system-errors',
      table.metricSystemErrorsForOperations({ operations: TABLE_CALLS, period: PERIOD }),
      { atLeast: 1 },
    )
    this.alarm(
      'dead-letters',
      deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: Stats.MAXIMUM }),
      { atLeast: 1 },
    )
    this.alarm('administrator-recovered', this.startsOf(triggers, 'recover-administrator'), { atLeast: 1 })
    this.alarm('approval-rule-overridden', this.startsOf(triggers, 'delete-approval-rule'), { atLeast: 1 })
    this.silence('triggers-silent', triggers.lambda.metricInvocations({ period: PERIOD }))
  }

  /** Starts of a trigger with which the operator overrides the rules of a domain. */
  private startsOf({ logGroup }: ApiFunction, trigger: string): IMetric {
    return new MetricFilter(this, `starts-${trigger}`, {
      logGroup,
      filterPattern: FilterPattern.stringValue('$.trigger', '=', trigger),
      metricNamespace: NAMESPACE,
      metricName: trigger,
    }).metric({ period: PERIOD, statistic: Stats.SUM })
  }

  private alarm(name: string, metric: IMetric, { atLeast }: Bound): void {
    this.tell(
      new Alarm(this, name, {
        alarmName: `keymgr-${name}`,
        metric,
        threshold: atLeast,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }),
    )
  }

  /**
   * Alarm for two periods without a call. Lambda reports nothing for a function that is not called, so missing data
   * breaches.
   */
  private silence(name: string, metric: IMetric): void {
    this.tell(
      new Alarm(this, name, {
        alarmName: `keymgr-${name}`,
        metric,
        threshold: 1,
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        evaluationPeriods: 2,
        treatMissingData: TreatMissingData.BREACHING,
      }),
    )
  }

  private tell(alarm: Alarm): void {
    const action = new SnsAction(this.topic)
    alarm.addAlarmAction(action)
    alarm.addOkAction(action)
  }

  private createTopic(email: string | undefined): Topic {
    const topic = new Topic(this, 'Topic', { displayName: 'keymgr alarms', enforceSSL: true })
    // A topic with a policy of its own no longer admits the account's services by default.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        effect: Effect.ALLOW,
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    )
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email))
    return topic
  }
}
