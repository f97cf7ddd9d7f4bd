import { Duration } from 'aws-cdk-lib'
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2'
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  Metric,
  SearchExpression,
  Stats,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import { DURATION, ERRORS, NAMESPACE } from '../../shared/base/figures.ts'
import { TABLE_CALLS } from './alarms.ts'
import type { ApiFunction } from './api-function.ts'
import type { DeployedFlow } from './flows.ts'
import type { FoundationTable } from './foundation-stack.ts'

export interface DashboardProps {
  readonly functions: readonly ApiFunction[]
  readonly flows: readonly DeployedFlow[]
  readonly stage: HttpStage | undefined
  readonly table: FoundationTable
}

const NAME = 'keymgr'
const PERIOD = Duration.minutes(5)
/** Columns of a dashboard; two graphs are side by side. */
const WIDTH = 12
const HEIGHT = 8

/** A figure that functions embed in their log lines. */
const embeddedFigure = (
  metricName: string,
  statistic: string,
  label: string,
  dimensions: Record<string, string> = {},
) => new Metric({ namespace: NAMESPACE, metricName, statistic, label, period: PERIOD, dimensionsMap: dimensions })

const graph = (title: string, left: readonly IMetric[], unit: string): IWidget =>
  new GraphWidget({
    title,
    left: [...left],
    leftYAxis: { label: unit, showUnits: false, min: 0 },
    width: WIDTH,
    height: HEIGHT,
  })

/** Calls to a data plane, one line per outcome: the number of samples of their duration. */
const decisionsOf = (name: string): IMetric =>
  new SearchExpression({
    expression: `SEARCH('{${NAMESPACE},function,outcome} MetricName="${DURATION.Name}" function="${name}"', 'SampleCount')`,
    label: '',
    period: PERIOD,
  })

/**
 * The dashboard of the deployment, generated from the rows of its functions, flows and table, so that it covers
 * everything that is deployed. Decisions are searched for, since each protocol has its own names of refusals.
 */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { functions, flows, stage, table }: DashboardProps) {
    super(scope, id)
    const byFunction = (metricOf: (each: ApiFunction) => IMetric) => functions.map(metricOf)
    const planes = functions.filter(({ row }) => row.budgetMs !== undefined)
    const dashboard = new CloudWatchDashboard(this, 'Dashboard', { dashboardName: NAME })
    const duration = (statistic: string) =>
      byFunction(({ row, lambda }) => lambda.metricDuration({ period: PERIOD, statistic, label: row.name }))
    dashboard.addWidgets(
      graph(
        'Requests by function',
        byFunction(({ row, lambda }) => lambda.metricInvocations({ period: PERIOD, label: row.name })),
        'calls',
      ),
      graph(
        'Errors by function',
        byFunction(({ row: { name } }) => embeddedFigure(ERRORS.Name, Stats.SUM, name, { function: name })).concat(
          byFunction(({ row, lambda }) => lambda.metricErrors({ period: PERIOD, label: `${row.name} (no answer)` })),
        ),
        'calls',
      ),
      graph('Latency by function, p50', duration(Stats.p(50)), 'ms'),
      graph('Latency by function, p99', duration(Stats.p(99)), 'ms'),
      ...planes.map(({ row: { name } }) => graph(`Decisions of ${name}`, [decisionsOf(name)], 'calls')),
      graph(
        'Table: throttled calls',
        [table.metricThrottledRequestsForOperations({ operations: TABLE_CALLS, period: PERIOD, label: 'throttled' })],
        'calls',
      ),
      graph(
        'Lags',
        ['outbox_lag_seconds', 'job_lag_seconds'].map((name) => embeddedFigure(name, Stats.MAXIMUM, name)),
        'seconds',
      ),
      graph(
        'Flows: failed executions',
        flows.map(({ row, machine }) => machine.metricFailed({ period: PERIOD, label: row.name })),
        'executions',
      ),
      ...(stage === undefined
        ? []
        : [
            graph(
              'API: answers of 4xx and 5xx',
              [
                stage.metricClientError({ period: PERIOD, statistic: Stats.SUM, label: '4xx' }),
                stage.metricServerError({ period: PERIOD, statistic: Stats.SUM, label: '5xx' }),
              ],
              'answers',
            ),
          ]),
    )
  }
}
