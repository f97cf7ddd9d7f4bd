import { Aws } from 'aws-cdk-lib'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { ROOT_DOMAIN_ID } from '../../shared/base/ids.ts'
import { SESSION_KIND } from '../../shared/serving/session-rows.ts'
import { COUNTED, TABLE, type Grant } from '../functions.ts'
import type { Foundation } from './foundation-stack.ts'

/** `shared/keyring/root-key.ts` binds a domain key to its domain with exactly these. */
const ROOT_KEY_CONTEXT = ['keymgr:domain', 'keymgr:domain-key']

/**
 * Statements for the grants of a function: the calls of `shared/store`, `shared/keyring` and `shared/flow`, on exactly
 * the resources that they use. A transaction is allowed by the actions of its parts. The statements of
 * `keeps-schedules` are in `job-schedules.ts`, beside the role that it passes, and that of `enters-clouds`, which
 * concerns the one role that an option names, in `api-function.ts`.
 * @param flowArns addresses of all flows
 */
export function statementsOf(
  grants: readonly Grant[],
  foundation: Foundation,
  flowArns: readonly string[],
): PolicyStatement[] {
  const intended = (intent: Grant) => grants.includes(intent)
  const statements: PolicyStatement[] = []
  if (intended('reads')) statements.push(...readsTable(foundation))
  if (intended('writes')) statements.push(...writesTable(foundation))
  if (intended('counts')) statements.push(...countsInTable(foundation))
  if (intended('keeps-sessions')) statements.push(keepsSessions(foundation))
  if (intended('opens')) statements.push(usesRootKey(foundation, 'OpenDomainKeys', 'kms:Decrypt'))
  // Ours: a function that cannot store a domain key need not generate one.
  if (intended('opens') && intended('writes'))
    statements.push(usesRootKey(foundation, 'MakeDomainKeys', 'kms:GenerateDataKey'))
  if (intended('publishes')) statements.push(publishes(foundation))
  if (intended('starts-flows')) statements.push(startsFlows(flowArns))
  if (intended('keeps-objects'))
    statements.push(onObjects(foundation, 'KeepObjects', ['s3:PutObject', 's3:DeleteObject']))
  if (intended('shows-objects')) statements.push(onObjects(foundation, 'ShowObjects', ['s3:GetObject']))
  return statements
}

const readsTable = ({ table, tableKey }: Foundation): PolicyStatement[] => [
  new PolicyStatement({
    sid: 'ReadTable',
    actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'],
    resources: [table.tableArn],
  }),
  new PolicyStatement({
    sid: 'ReadDueIndex',
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${TABLE.dueIndex.name}`],
  }),
  throughTable(tableKey.keyArn, 'ReadTableAtRest', ['kms:Decrypt', 'kms:DescribeKey']),
]

const WRITTEN_AT_REST = ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo']

const writesTable = ({ table, tableKey }: Foundation): PolicyStatement[] => [
  new PolicyStatement({
    sid: 'WriteTable',
    actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
    resources: [table.tableArn],
  }),
  throughTable(tableKey.keyArn, 'WriteTableAtRest', WRITTEN_AT_REST),
]

/** Reads and changes no other attribute; puts and removes no item. */
const countsInTable = ({ table, tableKey }: Foundation): PolicyStatement[] => [
  new PolicyStatement({
    sid: 'CountUses',
    actions: ['dynamodb:UpdateItem'],
    resources: [table.tableArn],
    conditions: {
      'ForAllValues:StringEquals': { 'dynamodb:Attributes': [TABLE.partitionKey, TABLE.sortKey, ...COUNTED] },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE', 'UPDATED_NEW'] },
    },
  }),
  throughTable(tableKey.keyArn, 'CountUsesAtRest', WRITTEN_AT_REST),
]

/** Only in the partitions of sessions. Ours: the table's key is granted by `counts`, which the function has too. */
const keepsSessions = ({ table }: Foundation): PolicyStatement =>
  new PolicyStatement({
    sid: 'KeepSessions',
    actions: ['dynamodb:PutItem', 'dynamodb:DeleteItem'],
    resources: [table.tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${ROOT_DOMAIN_ID}#${SESSION_KIND}#*`] },
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  })

/** DynamoDB calls KMS on behalf of the caller. Callers need the table's key for nothing else. */
const throughTable = (keyArn: string, sid: string, actions: string[]): PolicyStatement =>
  new PolicyStatement({
    sid,
    actions,
    resources: [keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Aws.REGION}.amazonaws.com` } },
  })

/** Requires both context names and no others: `ForAllValues` alone is also true for a call without any. */
const usesRootKey = ({ rootKey }: Foundation, sid: string, action: string): PolicyStatement =>
  new PolicyStatement({
    sid,
    actions: [action],
    resources: [rootKey.keyArn],
    conditions: {
      Null: Object.fromEntries(ROOT_KEY_CONTEXT.map((name) => [`kms:EncryptionContext:${name}`, 'false'])),
      'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ROOT_KEY_CONTEXT },
    },
  })

const publishes = ({ bus }: Foundation): PolicyStatement =>
  new PolicyStatement({ sid: 'Publish', actions: ['events:PutEvents'], resources: [bus.eventBusArn] })

/**
 * On every object, because objects get their names when they are created: the star is in the foundation's export, after
 * the prefix of the reports.
 */
const onObjects = ({ objectArns }: Foundation, sid: string, actions: string[]): PolicyStatement =>
  new PolicyStatement({ sid, actions, resources: [objectArns] })

const startsFlows = (flowArns: readonly string[]): PolicyStatement =>
  new PolicyStatement({ sid: 'StartFlows', actions: ['states:StartExecution'], resources: [...flowArns] })
