import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib'
import { FilterPattern, SubscriptionFilter } from 'aws-cdk-lib/aws-logs'
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { FLOWS } from '../flows.ts'
import { AUDITED_BY_LOG, FUNCTIONS, SCHEDULES } from '../functions.ts'
import { Alarms } from './alarms.ts'
import { ApiFunction, type Concurrency, type RuntimeRole } from './api-function.ts'
import { Dashboard } from './dashboard.ts'
import { EndedExecutions } from './ended-executions.ts'
import { excuse } from './excuse.ts'
import { DeployedFlow } from './flows.ts'
import type { Foundation } from './foundation-stack.ts'
import { HttpFrontDoor, type HttpFrontDoorProps } from './http-front-door.ts'
import { JobSchedules } from './job-schedules.ts'
import { Schedules } from './schedules.ts'

export interface ServiceStackProps extends StackProps, HttpFrontDoorProps {
  readonly foundation: Foundation
  /** Folder with the output of `buildFunctions`. */
  readonly bundles: string
  /** Address for callers, if it is neither `domain` nor the gateway's own address. */
  readonly baseUrl?: string | undefined
  readonly alarmEmail?: string | undefined
  /** False if the HTTP API is not available, as in some editions of LocalStack; then `baseUrl` is required. */
  readonly hasFrontDoor: boolean
  readonly concurrency: Concurrency
  /** Days that audit records are kept, or `never`. */
  readonly auditRetention?: string | undefined
  /** Whether legacy keys can be generated and imported: `allowed` or `refused`. */
  readonly legacyAlgorithms?: string | undefined
  /** Whether calls to clouds carry the caller's trace: `on` or `off`. */
  readonly traceToClouds?: string | undefined
  /** Address of a collector, to which spans go. */
  readonly otlpEndpoint?: string | undefined
  readonly runtimeRole?: RuntimeRole | undefined
}

/** The function that the schedules start, and that turns log lines into audit records. */
const TRIGGERS = 'triggers'

/**
 * The stateless resources: functions, HTTP API, schedules, flows, alarms and the dashboard. The routes of the API and
 * the alarms are nested stacks, so that each stack has room for the functions of more clouds and protocols.
 */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props)
    const { foundation, bundles, domain, mutualTlsDomain, alarmEmail, auditRetention, legacyAlgorithms, runtimeRole } =
      props
    const deadLetters = this.createDeadLetters()
    const frontDoor = props.hasFrontDoor ? new HttpFrontDoor(this, 'FrontDoor', { domain, mutualTlsDomain }) : undefined
    const baseUrl = props.baseUrl ?? frontDoor?.address ?? ''

    const jobSchedules = new JobSchedules(this, 'JobSchedules', { deadLetters })
    const functions = FUNCTIONS.map(
      (row) =>
        new ApiFunction(this, row.name, {
          row,
          bundles,
          foundation,
          baseUrl,
          jobSchedules,
          auditRetention,
          legacyAlgorithms,
          traceToClouds: props.traceToClouds,
          otlpEndpoint: props.otlpEndpoint,
          runtimeRole,
          mutualTlsDomain,
          concurrency: props.concurrency,
          ...(row.name === TRIGGERS && { deadLetters }),
        }),
    )
    for (const each of functions) frontDoor?.leadTo(each)

    const functionNamed = (name: string): ApiFunction => {
      const found = functions.find(({ row }) => row.name === name)
      if (found === undefined) throw new Error(`There is no function ${name}, which something is to start`)
      return found
    }
    const triggers = functionNamed(TRIGGERS)
    for (const name of AUDITED_BY_LOG) this.recordLines(functionNamed(name), triggers)
    new Schedules(this, 'Schedules', { rows: SCHEDULES, triggers, deadLetters })
    const flows = FLOWS.map(
      (row) => new DeployedFlow(this, `flow-${row.name}`, { row, task: functionNamed(row.calls) }),
    )
    new EndedExecutions(this, 'EndedExecutions', { flows, triggers })
    new Alarms(this, 'Alarms', {
      functions,
      flows,
      triggers,
      stage: frontDoor?.stage,
      table: foundation.table,
      deadLetters,
      email: alarmEmail,
    })
    new Dashboard(this, 'Dashboard', { functions, flows, stage: frontDoor?.stage, table: foundation.table })

    new CfnOutput(this, 'BaseUrl', { value: `${baseUrl}/api`, description: 'base_url of the interface' })
  }

  /**
   * Delivers the lines of a data plane that belong in the audit, or that report a credential's use or counts, to
   * `triggers`. Only this log group may start the function. The start is asynchronous: a failed one is a dead letter,
   * which can be repeated, since every line identifies its record.
   */
  private recordLines({ row, logGroup }: ApiFunction, triggers: ApiFunction): void {
    new SubscriptionFilter(this, `${row.name}-audit`, {
      logGroup,
      filterName: 'audit',
      filterPattern: FilterPattern.any(
        FilterPattern.booleanValue('$.audit', true),
        FilterPattern.exists('$.used'),
        FilterPattern.exists('$.emergency'),
        FilterPattern.exists('$.figures'),
        FilterPattern.exists('$.levels'),
      ),
      destination: new LambdaDestination(triggers.lambda),
    })
  }

  private createDeadLetters(): Queue {
    const queue = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14), // the maximum
    })
    excuse(
      queue,
      'AwsSolutions-SQS3',
      'It is itself the dead-letter queue, of the schedules, those of jobs too, and of the triggers.',
    )
    return queue
  }
}
