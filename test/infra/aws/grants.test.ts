import { rmSync } from 'node:fs'
import { Match } from 'aws-cdk-lib/assertions'
import { afterAll, describe, expect, test } from 'vitest'
import { FLOWS } from '../../../infra/flows.ts'
import { AUDITED_BY_LOG, FUNCTIONS, type Grant } from '../../../infra/functions.ts'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { statementsOf as grantedFor } from '../../../infra/aws/grants.ts'
import { functionIn, statementsOf, synthesized } from './deployment-support.ts'

const { serviceTemplate: template, foundation, foundationTemplate, folder } = synthesized()
afterAll(() => rmSync(folder, { recursive: true }))

const READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query']
const WRITES = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem']

const SCHEDULES_KEPT = [
  'scheduler:CreateSchedule',
  'scheduler:GetSchedule',
  'scheduler:UpdateSchedule',
  'scheduler:DeleteSchedule',
  'scheduler:ListSchedules',
  'iam:PassRole',
]

/** Roles of schedules: those of the triggers, and those that functions create. */
const scheduleRoles = Object.entries(template.findResources('AWS::IAM::Role'))
  .filter(([, role]) => JSON.stringify(role).includes('"Service":"scheduler.amazonaws.com"'))
  .map(([logicalId]) => logicalId)
const jobsRole = scheduleRoles.find((logicalId) => logicalId.startsWith('JobSchedules')) ?? ''
const triggersRole = scheduleRoles.find((logicalId) => logicalId !== jobsRole) ?? ''

const grantsOf = (name: string) => statementsOf(template, functionIn(template, name).roleId)
const allowed = (name: string, service: string) =>
  new Set(
    grantsOf(name)
      .flatMap(({ actions }) => actions)
      .filter((action) => action.startsWith(`${service}:`)),
  )

/** Statements on the root key, identified by its export's name. */
const onRootKey = (name: string) =>
  grantsOf(name).filter(({ resources }) => resources.some((resource) => resource.includes('RootKey')))

describe.each(FUNCTIONS)('function $name, meant to have $grants', ({ name, grants }) => {
  const intends = (intent: Grant) => grants.includes(intent)

  test('accesses the table exactly as granted', () => {
    const expected = [
      ...(intends('reads') ? READS : []),
      ...(intends('writes') ? WRITES : []),
      ...(intends('counts') ? ['dynamodb:UpdateItem'] : []),
      ...(intends('keeps-sessions') ? ['dynamodb:PutItem', 'dynamodb:DeleteItem'] : []),
    ]
    expect(allowed(name, 'dynamodb')).toEqual(new Set(expected))
  })

  test('opens with the root key only with the grant, and creates keys only if it can store them', () => {
    const expected = [
      ...(intends('opens') ? ['kms:Decrypt'] : []),
      ...(intends('opens') && intends('writes') ? ['kms:GenerateDataKey'] : []),
    ]
    expect(onRootKey(name).flatMap(({ actions }) => actions)).toEqual(expected)
  })

  test('publishes only with the grant', () => {
    expect([...allowed(name, 'events')]).toEqual(intends('publishes') ? ['events:PutEvents'] : [])
  })

  test('starts flows only with the grant, and exactly those of the list', () => {
    const starts = grantsOf(name).filter(({ actions }) => actions.some((action) => action.startsWith('states:')))
    expect(starts.map(({ actions }) => actions)).toEqual(intends('starts-flows') ? [['states:StartExecution']] : [])
    for (const { resources } of starts)
      expect(resources).toEqual(
        FLOWS.map(
          (flow) => expect.stringMatching(new RegExp(`:states:.*:stateMachine:keymgr-${flow.name}"`)) as string,
        ),
      )
  })

  test('keeps schedules only with the grant, in their group, and passes only their role', () => {
    const own = grantsOf(name).filter(({ sid }) => ['KeepSchedules', 'ListSchedules', 'LendRole'].includes(sid))
    expect(own.flatMap(({ actions }) => actions)).toEqual(intends('keeps-schedules') ? SCHEDULES_KEPT : [])
    for (const { sid, resources, conditions } of own) {
      if (sid === 'KeepSchedules') expect(resources).toEqual([expect.stringContaining(':schedule/keymgr-jobs/*')])
      if (sid !== 'LendRole') continue
      expect(resources).toEqual([JSON.stringify({ 'Fn::GetAtt': [jobsRole, 'Arn'] })])
      expect(conditions).toEqual({ StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } })
    }
  })

  test('keeps and shows objects only with the grant, and only reports', () => {
    const own = grantsOf(name).filter(({ actions }) => actions.some((action) => action.startsWith('s3:')))
    const expected = [
      ...(intends('keeps-objects') ? ['s3:PutObject', 's3:DeleteObject'] : []),
      ...(intends('shows-objects') ? ['s3:GetObject'] : []),
    ]
    expect(own.flatMap(({ actions }) => actions)).toEqual(expected)
    for (const { resources } of own)
      expect(resources).toEqual([JSON.stringify({ 'Fn::ImportValue': 'keymgr-objects' })])
  })

  test('assumes no role in another account, and has no other access to customers’ clouds', () => {
    const lends = intends('keeps-schedules') ? ['iam:PassRole'] : []
    expect([...allowed(name, 'sts'), ...allowed(name, 'iam'), ...allowed(name, 'account')]).toEqual(lends)
  })
})

test('the objects of the export are those under their prefix', () => {
  foundationTemplate.hasOutput('*', {
    Export: { Name: 'keymgr-objects' },
    Value: { 'Fn::Join': ['', [Match.anyValue(), '/reports/*']] },
  })
})

test('the trust stores of the export are those under their prefix', () => {
  foundationTemplate.hasOutput('*', {
    Export: { Name: 'keymgr-trust-stores' },
    Value: { 'Fn::Join': ['', [Match.anyValue(), '/trust-store/*']] },
  })
})

const FLOW_ARNS = ['arn:aws:states:eu-central-1:111122223333:stateMachine:any']

// no function has exactly one of these grants today, but a new one may
test.each([
  [['reads'], [...READS, 'dynamodb:Query', 'kms:Decrypt', 'kms:DescribeKey']],
  [['writes'], [...WRITES, 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo']],
  [['counts'], ['dynamodb:UpdateItem', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo']],
  [['keeps-sessions'], ['dynamodb:PutItem', 'dynamodb:DeleteItem']],
  [['opens'], ['kms:Decrypt']],
  [['publishes'], ['events:PutEvents']],
  [['starts-flows'], ['states:StartExecution']],
  [['keeps-objects'], ['s3:PutObject', 's3:DeleteObject']],
  [['shows-objects'], ['s3:GetObject']],
  [[], []],
] as [Grant[], string[]][])('%j alone means exactly %j', (grants, expected) => {
  expect(grantedFor(grants, foundation, FLOW_ARNS).flatMap(({ actions }) => actions)).toEqual(expected)
})

test.each(['guide', 'pages', 'front'])('%s can reach neither table nor keys nor bus', (name) => {
  const services = grantsOf(name).flatMap(({ actions }) => actions.map((action) => action.split(':', 1)[0]))
  expect(new Set(services)).toEqual(new Set(['logs', 'xray']))
})

test.each(AUDITED_BY_LOG)('%s changes only the uses of keys and its own sessions in the table', (name) => {
  const own = grantsOf(name).filter(({ actions }) => actions.some((action) => WRITES.includes(action)))
  const isKeeper = FUNCTIONS.some((row) => row.name === name && row.grants.includes('keeps-sessions'))
  expect(own.map(({ actions, conditions }) => ({ actions, conditions }))).toEqual([
    {
      actions: ['dynamodb:UpdateItem'],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['pk', 'sk', 'uses', 'due', 'due_at'] },
        StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_NEW'] },
      },
    },
    ...(isKeeper
      ? [
          {
            actions: ['dynamodb:PutItem', 'dynamodb:DeleteItem'],
            conditions: {
              'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${ROOT_DOMAIN_ID}#call-session#*`] },
              Null: { 'dynamodb:LeadingKeys': 'false' },
            },
          },
        ]
      : []),
  ])
})

test('the root key answers only calls with domain and domain key in their context', () => {
  const statements = FUNCTIONS.flatMap(({ name }) => onRootKey(name))
  expect(statements.length).toBeGreaterThan(0)
  for (const { conditions } of statements)
    expect(conditions).toEqual({
      Null: {
        'kms:EncryptionContext:keymgr:domain': 'false',
        'kms:EncryptionContext:keymgr:domain-key': 'false',
      },
      'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['keymgr:domain', 'keymgr:domain-key'] },
    })
})

test('the key of the table serves only the table', () => {
  const statements = statementsOf(template).filter(({ resources }) =>
    resources.some((each) => each.includes('TableKey')),
  )
  expect(statements.length).toBeGreaterThan(0)
  for (const { conditions } of statements)
    expect(JSON.stringify(conditions)).toMatch(/^\{"StringEquals":\{"kms:ViaService":.*"dynamodb\."/)
})

test('no statement has a star among its actions', () => {
  for (const { actions } of [...statementsOf(template), ...statementsOf(foundationTemplate)])
    for (const action of actions) expect(action).not.toContain('*')
})

test('a star among resources is for tracing and the schedules of one group only, in a statement of its own', () => {
  const starred = statementsOf(template).filter(({ resources }) => resources.some((resource) => resource.includes('*')))
  const tracing = [
    'xray:PutTraceSegments',
    'xray:PutTelemetryRecords',
    'xray:GetSamplingRules',
    'xray:GetSamplingTargets',
  ]
  const schedules = SCHEDULES_KEPT.filter((action) => action.startsWith('scheduler:'))
  expect(new Set(starred.flatMap(({ actions }) => actions))).toEqual(new Set([...tracing, ...schedules]))
  for (const { actions, resources, sid } of starred) {
    expect(new Set(actions.map((action) => action.split(':', 1)[0])).size, sid).toBe(1)
    // a separate statement for actions without resources
    const whole = [...tracing, 'scheduler:ListSchedules']
    if (resources.includes('*')) expect(whole, sid).toEqual(expect.arrayContaining([...actions]))
  }
})

test('a log policy names the log group of its function', () => {
  for (const { name } of FUNCTIONS) {
    const group = functionIn(template, name).properties.LoggingConfig.LogGroup.Ref
    const writes = grantsOf(name).filter(({ actions }) => actions.some((action) => action.startsWith('logs:')))
    expect(writes.map(({ resources }) => resources)).toEqual([[JSON.stringify({ 'Fn::GetAtt': [group, 'Arn'] })]])
  }
})

test('schedules may only start the triggers function and store undelivered events', () => {
  const triggers = JSON.stringify({ 'Fn::GetAtt': [functionIn(template, 'triggers').logicalId, 'Arn'] })
  expect(statementsOf(template, triggersRole).map(({ actions, resources }) => ({ actions, resources }))).toEqual([
    { actions: ['lambda:InvokeFunction'], resources: [triggers] },
    { actions: ['sqs:SendMessage'], resources: [expect.stringContaining('DeadLetters')] },
  ])
})

test('schedules that functions keep may only start the runs of jobs and store undelivered events', () => {
  const own = statementsOf(template, jobsRole).map(({ actions, resources }) => ({ actions, resources }))
  expect(own).toEqual([
    { actions: ['states:StartExecution'], resources: [expect.stringContaining(':stateMachine:keymgr-run-job"')] },
    { actions: ['sqs:SendMessage'], resources: [expect.stringContaining('DeadLetters')] },
  ])
})

interface AssumedRole {
  readonly Properties: { readonly AssumeRolePolicyDocument: { readonly Statement: readonly [object] } }
}

test.each([
  ['the triggers', triggersRole, 'keymgr'],
  ['jobs', jobsRole, 'keymgr-jobs'],
])('the role of the schedules of %s is lent to schedules of their group only', (_what, roleId, group) => {
  expect(scheduleRoles).toHaveLength(2)
  const role = template.findResources('AWS::IAM::Role')[roleId] as AssumedRole | undefined
  expect(role?.Properties.AssumeRolePolicyDocument.Statement).toEqual([
    expect.objectContaining({
      Principal: { Service: 'scheduler.amazonaws.com' },
      Condition: {
        StringEquals: {
          'aws:SourceAccount': { Ref: 'AWS::AccountId' },
          'aws:SourceArn': {
            'Fn::Join': ['', expect.arrayContaining([expect.stringMatching(new RegExp(`:schedule-group/${group}$`))])],
          },
        },
      },
    }),
  ])
  template.hasResourceProperties('AWS::Scheduler::ScheduleGroup', { Name: group })
})

const flowRoles = Object.entries(template.findResources('AWS::IAM::Role')).filter(([, role]) =>
  JSON.stringify(role).includes('states.amazonaws.com'),
)

test('a flow may only call the function of its row and write traces', () => {
  expect(flowRoles).toHaveLength(FLOWS.length)
  const triggers = JSON.stringify({ 'Fn::GetAtt': [functionIn(template, 'triggers').logicalId, 'Arn'] })
  for (const [roleId] of flowRoles)
    expect(
      statementsOf(template, roleId)
        .filter(({ sid }) => sid !== 'WriteTraces')
        .map(({ actions, resources }) => ({ actions, resources })),
    ).toEqual([{ actions: ['lambda:InvokeFunction'], resources: [triggers] }])
})

test('the role of a flow is lent to that flow of this account only', () => {
  for (const { name } of FLOWS)
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Principal: { Service: 'states.amazonaws.com' },
            Condition: {
              StringEquals: {
                'aws:SourceAccount': { Ref: 'AWS::AccountId' },
                'aws:SourceArn': { 'Fn::Join': ['', Match.arrayWith([`:stateMachine:keymgr-${name}`])] },
              },
            },
          },
        ],
      },
    })
})

test('no role has a managed policy, because others decide its content', () => {
  for (const role of Object.values(template.findResources('AWS::IAM::Role')) as { Properties: object }[])
    expect(role.Properties).not.toHaveProperty('ManagedPolicyArns')
})
