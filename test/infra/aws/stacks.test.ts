import { readFileSync, rmSync } from 'node:fs'
import { Match } from 'aws-cdk-lib/assertions'
import { afterAll, describe, expect, test } from 'vitest'
import { FLOWS } from '../../../infra/flows.ts'
import { MOVABLE_CLOCK } from '../../../shared/base/clock.ts'
import {
  AUDITED_BY_LOG,
  FUNCTION_ENVIRONMENT,
  FUNCTIONS,
  JOB_SCHEDULES,
  OBJECT_ENVIRONMENT,
  OBJECT_GRANTS,
  SCHEDULE_ENVIRONMENT,
  SCHEDULES,
  TABLE,
} from '../../../infra/functions.ts'
import { functionIn, synthesized } from './deployment-support.ts'

// Both stacks in one file: they are synthesized together, which takes longer than all assertions.
const { foundation, foundationTemplate, service, serviceTemplate: template, folder } = synthesized()
afterAll(() => rmSync(folder, { recursive: true }))

/** Quota of an HTTP API; the test leaves room for twice the present number. */
const ROUTE_QUOTA = 300
const INTEGRATION_LIMIT_SECONDS = 30

describe.each(FUNCTIONS)('function $name', (row) => {
  const { properties, logicalId } = functionIn(template, row.name)

  test('runs as its row specifies', () => {
    expect(properties).toMatchObject({
      FunctionName: `keymgr-${row.name}`,
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      MemorySize: row.memoryMiB,
      Timeout: row.timeoutSeconds,
      TracingConfig: { Mode: 'Active' },
    })
    expect(Object.keys((properties.Environment as { Variables: object }).Variables)).not.toContain(MOVABLE_CLOCK)
  })

  test('has the variables that functions read, and those of its flows, schedules and objects', () => {
    const told = Object.keys(properties.Environment.Variables)
    const flows = row.grants.includes('starts-flows') ? FLOWS : []
    const started = row.grants.includes('keeps-schedules')
      ? FLOWS.filter(({ name }) => name === JOB_SCHEDULES.flow)
      : []
    const schedules = started.length === 0 ? [] : Object.values(SCHEDULE_ENVIRONMENT)
    const reachesObjects = row.grants.some((grant) => OBJECT_GRANTS.includes(grant))
    const objects = reachesObjects ? Object.values(OBJECT_ENVIRONMENT) : []
    const variables = [...flows, ...started].map(({ variable }) => variable)
    const common = Object.values(FUNCTION_ENVIRONMENT)
    expect(new Set(told)).toEqual(new Set([...common, ...variables, ...schedules, ...objects, 'NODE_OPTIONS']))
  })

  test('writes to a log group of its own, whose lines have an end', () => {
    const logGroup = template.findResources('AWS::Logs::LogGroup')[properties.LoggingConfig.LogGroup.Ref] as {
      Properties: { RetentionInDays?: number }
    }
    expect(logGroup.Properties.RetentionInDays).toBeGreaterThan(0)
  })

  test('has its alarms: errors, throttles, near timeout', () => {
    for (const [MetricName, Threshold] of [
      ['Errors', 1],
      ['Throttles', 1],
      ['Duration', row.timeoutSeconds * 950],
    ])
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        MetricName,
        Threshold,
        Dimensions: [{ Name: 'FunctionName', Value: { Ref: logicalId } }],
        AlarmActions: Match.anyValue(),
      })
  })
})

test('the stack has exactly the functions of the list', () => {
  template.resourceCountIs('AWS::Lambda::Function', FUNCTIONS.length)
})

test('every log group has a retention', () => {
  template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: Match.anyValue() })
})

interface Route {
  readonly Properties: {
    readonly RouteKey: string
    readonly Target: { 'Fn::Join': [string, [string, { Ref: string }]] }
  }
}
interface Integration {
  readonly Properties: { readonly IntegrationUri: { 'Fn::GetAtt': [string, string] } }
}

/** From route key to the logical id of its function. */
const routes = new Map(
  (Object.values(template.findResources('AWS::ApiGatewayV2::Route')) as Route[]).map(({ Properties }) => {
    const integrations = template.findResources('AWS::ApiGatewayV2::Integration') as Record<string, Integration>
    const integration = integrations[Properties.Target['Fn::Join'][1][1].Ref]
    return [Properties.RouteKey, integration?.Properties.IntegrationUri['Fn::GetAtt'][0]]
  }),
)

const prefixes = FUNCTIONS.flatMap(({ name, prefixes }) => prefixes.map((prefix) => ({ name, prefix })))

test.each(prefixes.filter(({ prefix }) => prefix !== '$default'))('$prefix and all below it lead to $name', (row) => {
  const { logicalId } = functionIn(template, row.name)
  expect(routes.get(`ANY ${row.prefix}`)).toBe(logicalId)
  expect(routes.get(`ANY ${row.prefix}/{proxy+}`)).toBe(logicalId)
})

const calls = FUNCTIONS.flatMap(({ name, calls = [] }) => calls.map((call) => ({ name, call })))

test.each(calls)('$call leads to $name', ({ name, call }) => {
  expect(routes.get(call)).toBe(functionIn(template, name).logicalId)
})

test('unclaimed paths lead to front', () => {
  expect(routes.get('$default')).toBe(functionIn(template, 'front').logicalId)
})

test('the routes are far from the quota of the gateway', () => {
  expect(routes.size).toBe(prefixes.length * 2 - 1 + calls.length)
  expect(routes.size).toBeLessThan(ROUTE_QUOTA / 2)
})

test('the gateway waits at least as long as the functions behind it may run', () => {
  for (const { name, timeoutSeconds } of FUNCTIONS.filter(({ prefixes }) => prefixes.length > 0))
    expect(timeoutSeconds, name).toBeLessThan(INTEGRATION_LIMIT_SECONDS)
  template.allResourcesProperties('AWS::ApiGatewayV2::Integration', {
    PayloadFormatVersion: '2.0',
    TimeoutInMillis: 29_000,
  })
})

interface Permission {
  readonly Properties: {
    readonly Action: string
    readonly FunctionName: { readonly 'Fn::GetAtt': [string, string] }
    readonly Principal: string
    readonly SourceArn: object
  }
}
const permissions = Object.values(template.findResources('AWS::Lambda::Permission')) as Permission[]
const permitted = (principal: string) =>
  permissions.map(({ Properties }) => Properties).filter(({ Principal }) => Principal === principal)

test('the gateway may call a function only on that function’s routes, and triggers on none', () => {
  const ofGateway = permitted('apigateway.amazonaws.com')
  expect(ofGateway).toHaveLength(routes.size)
  for (const { FunctionName } of ofGateway)
    expect(FunctionName['Fn::GetAtt'][0]).not.toBe(functionIn(template, 'triggers').logicalId)
})

test.each(AUDITED_BY_LOG)('only lines of %s that become audit records are delivered to triggers', (name) => {
  const logGroup = functionIn(template, name).properties.LoggingConfig.LogGroup.Ref
  const triggers = { 'Fn::GetAtt': [functionIn(template, 'triggers').logicalId, 'Arn'] }
  template.hasResourceProperties('AWS::Logs::SubscriptionFilter', {
    LogGroupName: { Ref: logGroup },
    FilterPattern:
      '{ ($.audit IS TRUE) || ($.used = "*") || ($.emergency = "*") || ($.figures = "*") || ($.levels = "*") }',
    DestinationArn: triggers,
  })
  expect(permitted('logs.amazonaws.com')).toContainEqual({
    Action: 'lambda:InvokeFunction',
    FunctionName: triggers,
    Principal: 'logs.amazonaws.com',
    SourceArn: { 'Fn::GetAtt': [logGroup, 'Arn'] },
  })
})

test('no other caller may call a function, and no other log is delivered', () => {
  expect(permissions).toHaveLength(routes.size + AUDITED_BY_LOG.length + 1) // and the rule for ended executions
  expect(permitted('logs.amazonaws.com')).toHaveLength(AUDITED_BY_LOG.length)
  template.resourceCountIs('AWS::Logs::SubscriptionFilter', AUDITED_BY_LOG.length)
})

test('the stage is the root, deploys itself, has a throttle and an access log without queries or headers', () => {
  template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
    StageName: '$default',
    AutoDeploy: true,
    DefaultRouteSettings: { ThrottlingRateLimit: Match.anyValue(), ThrottlingBurstLimit: Match.anyValue() },
    AccessLogSettings: { DestinationArn: Match.anyValue(), Format: Match.stringLikeRegexp('context.requestId') },
  })
  const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage')) as {
    Properties: { AccessLogSettings: { Format: string } }
  }[]
  expect(stage?.Properties.AccessLogSettings.Format).not.toMatch(/header|query|authorizer/i)
})

test('routes of data planes have a throttle of their own, above the promised rate', () => {
  const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage')) as {
    DependsOn: string[]
    Properties: { RouteSettings: Record<string, { ThrottlingRateLimit: number }> }
  }[]
  const dataPlanes = FUNCTIONS.filter(({ budgetMs }) => budgetMs !== undefined)
  const keys = dataPlanes.flatMap(({ prefixes, calls = [] }) => [
    ...prefixes.flatMap((prefix) => [`ANY ${prefix}`, `ANY ${prefix}/{proxy+}`]),
    ...calls,
  ])
  const settings = stage?.Properties.RouteSettings ?? {}
  expect(Object.keys(settings).sort()).toEqual(keys.sort())
  for (const { ThrottlingRateLimit } of Object.values(settings)) expect(ThrottlingRateLimit).toBeGreaterThan(1_800)
  for (const key of keys) {
    const [[id] = []] = Object.entries(
      template.findResources('AWS::ApiGatewayV2::Route', { Properties: { RouteKey: key } }),
    )
    expect(stage?.DependsOn).toContain(id)
  }
})

test('an alarm reports that a data plane uses most of the time that its callers wait', () => {
  const alarm = (name: string) => ({
    AlarmName: `keymgr-${name}-slow`,
    MetricName: 'Duration',
    ExtendedStatistic: 'p99',
  })
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { ...alarm('xks'), Threshold: 200 })
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { ...alarm('ekm-data'), Threshold: 120 })
})

interface Schedule {
  readonly Properties: {
    readonly Name: string
    readonly ScheduleExpression: string
    readonly Target: { readonly Arn: object; readonly Input: string; readonly DeadLetterConfig: object }
  }
}
const schedules = Object.values(template.findResources('AWS::Scheduler::Schedule')) as Schedule[]

test.each(SCHEDULES)('$trigger starts the triggers function, with the time that was meant', (row) => {
  const schedule = schedules.find(({ Properties }) => Properties.Name === `keymgr-${row.trigger}`)?.Properties
  expect(schedule?.ScheduleExpression).toMatch(new RegExp(`^rate\\(${row.everyMinutes} minutes?\\)$`))
  expect(schedule?.Target.Arn).toEqual({ 'Fn::GetAtt': [functionIn(template, 'triggers').logicalId, 'Arn'] })
  expect(schedule?.Target.DeadLetterConfig).toBeDefined()
  expect(JSON.parse(schedule?.Target.Input ?? '')).toEqual({
    trigger: row.trigger,
    scheduled_time: '<aws.scheduler.scheduled-time>',
    ...(row.forSeconds !== undefined && { for_seconds: row.forSeconds }),
  })
})

test('the stack has exactly the schedules of the list, and spells one minute in the singular', () => {
  expect(schedules).toHaveLength(SCHEDULES.length)
  for (const { Properties } of schedules) expect(Properties.ScheduleExpression).not.toBe('rate(1 minutes)')
})

test('a failed scheduled start is kept, encrypted, and raises an alarm', () => {
  template.hasResourceProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true })
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    FunctionName: { Ref: functionIn(template, 'triggers').logicalId },
    DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
  })
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'keymgr-dead-letters', Threshold: 1 })
})

test.each(['keymgr-api-5xx', 'keymgr-table-throttles', 'keymgr-table-system-errors'])('%s is an alarm', (AlarmName) => {
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName, AlarmActions: Match.anyValue() })
})

test('silent schedules raise an alarm: missing data counts as a breach', () => {
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmName: 'keymgr-triggers-silent',
    MetricName: 'Invocations',
    TreatMissingData: 'breaching',
  })
})

interface Machine {
  readonly Properties: {
    readonly StateMachineName: string
    readonly DefinitionString: { readonly 'Fn::Join': [string, unknown[]] }
    readonly LoggingConfiguration?: object
  }
}
const machines = Object.entries(template.findResources('AWS::StepFunctions::StateMachine')) as [string, Machine][]

describe.each(FLOWS)('flow $name', ({ name, calls, variable, definition }) => {
  const [logicalId, machine] =
    machines.find(([, { Properties }]) => Properties.StateMachineName === `keymgr-${name}`) ?? []

  test('is deployed as it is run on a laptop, with the function of its row', () => {
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      StateMachineName: `keymgr-${name}`,
      TracingConfiguration: { Enabled: true },
    })
    const task = { 'Fn::GetAtt': [functionIn(template, calls).logicalId, 'Arn'] }
    const [separator, parts] = machine?.Properties.DefinitionString['Fn::Join'] ?? ['', []]
    const spelled = parts.map((part) =>
      typeof part === 'string' ? part : JSON.stringify(part) === JSON.stringify(task) ? 'TASK' : 'OTHER',
    )
    expect(JSON.parse(spelled.join(separator))).toEqual(JSON.parse(JSON.stringify(definition('TASK'))))
  })

  test('has the address that its starters know', () => {
    for (const { name: starter } of FUNCTIONS.filter(({ grants }) => grants.includes('starts-flows'))) {
      const told = functionIn(template, starter).properties.Environment.Variables[variable]
      expect(JSON.stringify(told)).toMatch(new RegExp(`:states:.*:stateMachine:keymgr-${name}"\\]\\]\\}$`))
    }
  })

  test('raises an alarm when an execution fails', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: `keymgr-flow-${name}-failed`,
      MetricName: 'ExecutionsFailed',
      Threshold: 1,
      Dimensions: [{ Name: 'StateMachineArn', Value: { Ref: logicalId } }],
      AlarmActions: Match.anyValue(),
    })
  })
})

test('an execution that does not end by itself is reported to triggers, only by this rule', () => {
  const triggers = { 'Fn::GetAtt': [functionIn(template, 'triggers').logicalId, 'Arn'] }
  const rules = Object.entries(template.findResources('AWS::Events::Rule'))
  expect(rules).toHaveLength(1)
  const [id, rule] = rules[0] as [string, { Properties: any }]
  expect(rule.Properties).toMatchObject({
    EventPattern: {
      source: ['aws.states'],
      'detail-type': ['Step Functions Execution Status Change'],
      detail: {
        status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
        stateMachineArn: expect.toSatisfy((arns: { Ref: string }[]) => {
          expect(new Set(arns.map(({ Ref }) => Ref))).toEqual(new Set(machines.map(([logicalId]) => logicalId)))
          return true
        }),
      },
    },
    Targets: [{ Arn: triggers, RetryPolicy: { MaximumRetryAttempts: 2 } }],
  })
  expect(rule.Properties).not.toHaveProperty('State') // enabled
  const { InputPathsMap: paths, InputTemplate: form } = rule.Properties.Targets[0].InputTransformer
  const report = { time: '2026-11-05T06:07:08Z', detail: { status: 'FAILED', input: '{"domain":"d"}' } }
  const filled = String(form).replace(/<(\w+)>/g, (_, name: string) => {
    expect(paths[name]).toBe(`$.${name}`)
    return JSON.stringify(report[name as keyof typeof report])
  })
  expect(JSON.parse(filled)).toEqual({
    ...{ trigger: 'execution-ended', scheduled_time: report.time, detail: report.detail },
  })
  expect(permitted('events.amazonaws.com')).toEqual([
    {
      Action: 'lambda:InvokeFunction',
      FunctionName: triggers,
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
    },
  ])
})

test('the stack has exactly the flows of the list', () => {
  expect(machines).toHaveLength(FLOWS.length)
})

test('docs/operate/operate.md has a remedy for every alarm', () => {
  const page = readFileSync(new URL('../../../docs/operate/operate.md', import.meta.url), 'utf8')
  const names = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map((alarm) =>
    (alarm as { Properties: { AlarmName: string } }).Properties.AlarmName.replace('keymgr-', ''),
  )
  const functions = FUNCTIONS.map(({ name }) => name).join('|')
  const rowOf = (name: string) =>
    name
      .replace(new RegExp(`^(${functions})-(errors|throttles|duration|slow)$`), '<function>-$2')
      .replace(/^flow-.*-failed$/, 'flow-<flow>-failed')
  const missing = names.filter((name) => !page.includes(`- \`${rowOf(name)}\`:`))
  expect(names.length).toBeGreaterThan(40)
  expect(missing).toEqual([])
})

test.each([
  ['recover-administrator', 'keymgr-administrator-recovered'],
  ['delete-approval-rule', 'keymgr-approval-rule-overridden'],
])('an operator who starts %s raises the alarm %s', (trigger, AlarmName) => {
  template.hasResourceProperties('AWS::Logs::MetricFilter', {
    FilterPattern: `{ $.trigger = "${trigger}" }`,
    MetricTransformations: [Match.objectLike({ MetricName: trigger, MetricNamespace: 'keymgr' })],
  })
  template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName, MetricName: trigger, Threshold: 1 })
})

test('alarms of this account reach the topic; without TLS no call does', () => {
  template.hasResourceProperties('AWS::SNS::TopicPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        Match.objectLike({
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      ]),
    },
  })
})

test('compute resources are not protected', () => {
  expect(service.stackName).toBe('keymgr-service')
  expect(service.terminationProtection).toBeFalsy()
  for (const type of ['AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::Events::EventBus'])
    template.resourceCountIs(type, 0)
})

test('the table can be restored to any second, cannot be deleted and grows by itself', () => {
  foundationTemplate.resourceCountIs('AWS::DynamoDB::Table', 1)
  foundationTemplate.hasResource('AWS::DynamoDB::Table', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      DeletionProtectionEnabled: true,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
        { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
      ],
    },
  })
})

test('the index of due items contains only keys', () => {
  foundationTemplate.hasResourceProperties('AWS::DynamoDB::Table', {
    GlobalSecondaryIndexes: [
      {
        IndexName: TABLE.dueIndex.name,
        KeySchema: [
          { AttributeName: TABLE.dueIndex.partitionKey, KeyType: 'HASH' },
          { AttributeName: TABLE.dueIndex.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  })
})

test('every key rotates, and is kept when its stack is deleted', () => {
  foundationTemplate.allResourcesProperties('AWS::KMS::Key', { EnableKeyRotation: true, PendingWindowInDays: 30 })
  foundationTemplate.allResources('AWS::KMS::Key', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
  foundationTemplate.hasResourceProperties('AWS::KMS::Alias', { AliasName: 'alias/keymgr-root' })
})

test('the table is encrypted with a key of ours that is not the root key', () => {
  const keyOf = (alias: string) => {
    const [found] = Object.values(
      foundationTemplate.findResources('AWS::KMS::Alias', { Properties: { AliasName: alias } }),
    ) as {
      Properties: { TargetKeyId: { 'Fn::GetAtt': [string, string] } }
    }[]
    return found?.Properties.TargetKeyId['Fn::GetAtt'][0]
  }
  expect(keyOf('alias/keymgr-table')).not.toBe(keyOf('alias/keymgr-root'))
  foundationTemplate.hasResourceProperties('AWS::DynamoDB::Table', {
    SSESpecification: {
      SSEEnabled: true,
      SSEType: 'KMS',
      KMSMasterKeyId: { 'Fn::GetAtt': [keyOf('alias/keymgr-table'), 'Arn'] },
    },
  })
})

test('objects are private, encrypted in transit, deleted after their time, and kept when the stack is deleted', () => {
  foundationTemplate.resourceCountIs('AWS::S3::Bucket', 1)
  foundationTemplate.hasResource('AWS::S3::Bucket', {
    DeletionPolicy: 'Retain',
    Properties: {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: Match.anyValue(),
      LifecycleConfiguration: {
        Rules: [
          {
            Prefix: 'reports/',
            ExpirationInDays: 91,
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            Status: 'Enabled',
          },
        ],
      },
    },
  })
  foundationTemplate.hasResourceProperties('AWS::S3::BucketPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      ]),
    },
  })
})

test('the stack has its own bus, which only this account may use', () => {
  foundationTemplate.hasResourceProperties('AWS::Events::EventBus', { Name: 'keymgr', Policy: Match.absent() })
  foundationTemplate.resourceCountIs('AWS::Events::EventBusPolicy', 0)
})

test('the stack with permanent data is protected', () => {
  expect(foundation.stackName).toBe('keymgr-foundation')
  expect(foundation.terminationProtection).toBe(true)
})

test('the dashboard shows exactly the deployed functions, data planes and flows', () => {
  const dashboards = Object.values(template.findResources('AWS::CloudWatch::Dashboard'))
  expect(dashboards).toHaveLength(1)
  const body = JSON.stringify(dashboards[0])
  const { Properties } = dashboards[0] as { Properties: { DashboardName: string; DashboardBody: unknown } }
  expect(Properties.DashboardName).toBe('keymgr')
  for (const { name } of FUNCTIONS) expect(body).toContain(`\\\"label\\\":\\\"${name}\\\"`)
  for (const name of AUDITED_BY_LOG) expect(body).toContain(`Decisions of ${name}`)
  for (const { name } of FLOWS) expect(body).toContain(`\\\"label\\\":\\\"${name}\\\"`)
  const titles = [...body.matchAll(/\\"title\\":\\"([^\\]+)\\"/g)].map(([, title]) => title)
  expect(titles).toEqual([
    'Requests by function',
    'Errors by function',
    'Latency by function, p50',
    'Latency by function, p99',
    ...AUDITED_BY_LOG.map((name) => `Decisions of ${name}`),
    'Table: throttled calls',
    'Lags',
    'Flows: failed executions',
    'API: answers of 4xx and 5xx',
  ])
})
