import * as path from 'node:path'
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
  type IFunction,
} from 'aws-cdk-lib/aws-lambda'
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Queue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { FLOWS } from '../flows.ts'
import {
  AUDIT_RETENTION,
  FUNCTION_ENVIRONMENT,
  LEGACY_ALGORITHMS,
  RUNTIME_ROLE_ENVIRONMENT,
  OTLP_ENDPOINT,
  TRACE_TO_CLOUDS,
  OBJECT_ENVIRONMENT,
  OBJECT_GRANTS,
  type FunctionRow,
} from '../functions.ts'
import { flowArn } from './flow-arn.ts'
import type { Foundation } from './foundation-stack.ts'
import { statementsOf } from './grants.ts'
import type { JobSchedules } from './job-schedules.ts'
import { tracePolicy } from './trace-policy.ts'
import { keepsTrustStore, trustStoreVariables, type MutualTlsDomain } from './trust-store.ts'

/** Concurrent executions, for functions that must not starve and for those that must not starve others. */
export interface Concurrency {
  /** reserved for each data plane; default: none */
  readonly dataPlane?: number | undefined
  /** provisioned for each data plane; default: none */
  readonly warm?: number | undefined
  /** limit for `triggers`; default: no limit */
  readonly triggers?: number | undefined
}

/** The role that connections without credentials use. It is created outside the stacks. */
export interface RuntimeRole {
  readonly arn: string
  /** required by its trust policy */
  readonly externalId?: string | undefined
}

export interface ApiFunctionProps {
  readonly row: FunctionRow
  /** Folder with the output of `buildFunctions`: `<name>/index.mjs`. */
  readonly bundles: string
  readonly foundation: Foundation
  /** `https://host`, without `/api`. */
  readonly baseUrl: string
  readonly jobSchedules: JobSchedules
  /** Days that audit records are kept, or `never`. */
  readonly auditRetention?: string | undefined
  /** Whether legacy keys can be generated and imported: `allowed` or `refused`. */
  readonly legacyAlgorithms?: string | undefined
  /** Whether calls to clouds carry the caller's trace: `on` or `off`. */
  readonly traceToClouds?: string | undefined
  /** Address of a collector, to which spans go. */
  readonly otlpEndpoint?: string | undefined
  readonly runtimeRole?: RuntimeRole | undefined
  readonly mutualTlsDomain?: MutualTlsDomain | undefined
  readonly concurrency: Concurrency
  /** Receives the events of failed asynchronous starts. */
  readonly deadLetters?: Queue
}

/** Deployed name, as in `aws lambda invoke --function-name`. */
export const functionName = (row: Pick<FunctionRow, 'name'>): string => `keymgr-${row.name}`

/** Ours: a data plane's log line is its audit record, so logs are kept for the period that auditors usually require. */
export const LOG_RETENTION = RetentionDays.ONE_YEAR

/** Ours: after a longer wait a start is useless; the next one of its schedule does the same work. */
const MAX_EVENT_AGE = Duration.minutes(5)

const TRACING = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'] as const

/** A function: runtime, memory, time-out, logs, variables and grants. No other code sets these. */
export class ApiFunction extends Construct {
  readonly row: FunctionRow
  readonly lambda: LambdaFunction
  /** Called by the front door: the function itself, or the alias with provisioned instances. */
  readonly called: IFunction
  readonly logGroup: LogGroup

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    super(scope, id)
    this.row = props.row
    const flowAddresses = Object.fromEntries(FLOWS.map((flow) => [flow.variable, flowArn(this, flow)]))
    // Ours: encrypted with the log service's own key. Log lines contain no material, password or token, and a key of
    // the deployment would have to allow the log service.
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: LOG_RETENTION,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    })
    const { role, policies } = this.#roleFor(props, Object.values(flowAddresses))
    this.lambda = this.#functionFor(props, role, flowAddresses)
    this.lambda.node.addDependency(...policies) // it must not start before it may write its log
    this.called = this.#keptWarm(props)
  }

  #roleFor(
    { row, foundation, jobSchedules, deadLetters, runtimeRole, mutualTlsDomain }: ApiFunctionProps,
    flows: readonly string[],
  ) {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `keymgr: what ${functionName(row)} may do`,
    })
    const grants = new Policy(this, 'Grants', {
      statements: [
        writesLog(this.logGroup),
        ...statementsOf(row.grants, foundation, flows),
        ...(deadLetters === undefined ? [] : [sendsTo(deadLetters)]),
        ...(row.grants.includes('enters-clouds') && runtimeRole !== undefined ? [takesRole(runtimeRole)] : []),
        ...(row.grants.includes('keeps-trust-store') && mutualTlsDomain !== undefined
          ? keepsTrustStore(foundation, mutualTlsDomain)
          : []),
      ],
    })
    const policies = [
      grants,
      tracePolicy(this, TRACING, 'X-Ray knows no resources for these two actions; they only write.'),
    ]
    for (const policy of policies) policy.attachToRole(role)
    if (row.grants.includes('keeps-schedules')) policies.push(jobSchedules.keptBy(role))
    return { role, policies }
  }

  #keptWarm({ row, concurrency: { warm } }: ApiFunctionProps): IFunction {
    if (row.budgetMs === undefined || warm === undefined) return this.lambda
    // An alias may have no role; the library's type for a function omits the field in that case.
    return this.lambda.addAlias('warm', { provisionedConcurrentExecutions: warm }) as IFunction
  }

  #functionFor(props: ApiFunctionProps, role: Role, flowAddresses: Readonly<Record<string, string>>): LambdaFunction {
    const { row, bundles, deadLetters } = props
    return new LambdaFunction(this, 'Function', {
      functionName: functionName(row),
      description: describe(row),
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(path.join(bundles, row.name)),
      handler: 'index.handler',
      memorySize: row.memoryMiB,
      timeout: Duration.seconds(row.timeoutSeconds),
      role: role.withoutPolicyUpdates(), // the library's own additions are wider than these policies
      tracing: Tracing.ACTIVE,
      logGroup: this.logGroup,
      loggingFormat: LoggingFormat.JSON, // so that the platform's own lines are JSON too; ours are already
      environment: environmentFor(props, flowAddresses),
      ...reserved(props),
      ...(deadLetters && {
        onFailure: new SqsDestination(deadLetters),
        retryAttempts: 0, // the next start of the schedule is the retry
        maxEventAge: MAX_EVENT_AGE,
      }),
    })
  }
}

/**
 * Ours: reserved executions, so that a flood of calls to other functions does not starve data planes, and sweeps do not
 * starve callers.
 */
function reserved({ row, concurrency, deadLetters }: ApiFunctionProps): { reservedConcurrentExecutions?: number } {
  const share = row.budgetMs !== undefined ? concurrency.dataPlane : deadLetters && concurrency.triggers
  return share === undefined ? {} : { reservedConcurrentExecutions: share }
}

function environmentFor(
  {
    row,
    foundation,
    baseUrl,
    jobSchedules,
    auditRetention,
    legacyAlgorithms,
    traceToClouds,
    otlpEndpoint,
    runtimeRole,
    mutualTlsDomain,
  }: ApiFunctionProps,
  flowAddresses: Readonly<Record<string, string>>,
): Record<string, string> {
  const makesKeys = row.grants.includes('writes') && row.grants.includes('opens')
  const reachesObjects = row.grants.some((grant) => OBJECT_GRANTS.includes(grant))
  return {
    [FUNCTION_ENVIRONMENT.table]: foundation.table.tableName,
    [FUNCTION_ENVIRONMENT.rootKey]: foundation.rootKey.keyArn,
    [FUNCTION_ENVIRONMENT.bus]: foundation.bus.eventBusName,
    [FUNCTION_ENVIRONMENT.baseUrl]: baseUrl,
    ...(traceToClouds !== undefined && { [TRACE_TO_CLOUDS]: traceToClouds }),
    ...(otlpEndpoint !== undefined && { [OTLP_ENDPOINT]: otlpEndpoint }),
    ...(row.grants.includes('starts-flows') && flowAddresses),
    ...(row.grants.includes('keeps-schedules') && jobSchedules.environment),
    ...(reachesObjects && { [OBJECT_ENVIRONMENT.bucket]: foundation.bucket.bucketName }),
    ...(row.grants.includes('publishes') && auditRetention !== undefined && { [AUDIT_RETENTION]: auditRetention }),
    ...(makesKeys && legacyAlgorithms !== undefined && { [LEGACY_ALGORITHMS]: legacyAlgorithms }),
    ...(row.grants.includes('enters-clouds') && runtimeRole !== undefined && toldOf(runtimeRole)),
    ...(row.grants.includes('keeps-trust-store') && mutualTlsDomain && trustStoreVariables(mutualTlsDomain)),
    NODE_OPTIONS: '--enable-source-maps',
  }
}

const writesLog = (logGroup: LogGroup): PolicyStatement =>
  new PolicyStatement({
    sid: 'WriteLog',
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  })

const toldOf = ({ arn, externalId }: RuntimeRole): Record<string, string> => ({
  [RUNTIME_ROLE_ENVIRONMENT.arn]: arn,
  ...(externalId !== undefined && { [RUNTIME_ROLE_ENVIRONMENT.externalId]: externalId }),
})

const takesRole = ({ arn }: RuntimeRole): PolicyStatement =>
  new PolicyStatement({ sid: 'EnterClouds', actions: ['sts:AssumeRole'], resources: [arn] })

const sendsTo = (queue: Queue): PolicyStatement =>
  new PolicyStatement({ sid: 'KeepFailedStarts', actions: ['sqs:SendMessage'], resources: [queue.queueArn] })

function describe({ prefixes, calls = [] }: FunctionRow): string {
  if (prefixes.length === 0) return 'keymgr: scheduled starts and the tasks of flows'
  return prefixes.includes('$default')
    ? 'keymgr: whatever no other function answers'
    : `keymgr: ${[...calls, ...prefixes].join(' ')}`
}
