import { rmSync } from 'node:fs'
import { Match } from 'aws-cdk-lib/assertions'
import { afterAll, expect, test } from 'vitest'
import { TABLE } from '../../../infra/functions.ts'
import { synthesized } from './deployment-support.ts'

const { foundation, foundationTemplate: template, folder } = synthesized()
afterAll(() => rmSync(folder, { recursive: true }))

test('the table can be restored to any second, cannot be deleted and grows by itself', () => {
  template.resourceCountIs('AWS::DynamoDB::Table', 1)
  template.hasResource('AWS::DynamoDB::Table', {
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

test('the index of what is due carries keys only', () => {
  template.hasResourceProperties('AWS::DynamoDB::Table', {
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

test('every key rotates, and is kept when its stack goes', () => {
  template.allResourcesProperties('AWS::KMS::Key', { EnableKeyRotation: true, PendingWindowInDays: 30 })
  template.allResources('AWS::KMS::Key', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
  template.hasResourceProperties('AWS::KMS::Alias', { AliasName: 'alias/keymgr-root' })
})

test('the table is encrypted with a key of ours that is not the root key', () => {
  const keyOf = (alias: string) => {
    const [found] = Object.values(template.findResources('AWS::KMS::Alias', { Properties: { AliasName: alias } })) as {
      Properties: { TargetKeyId: { 'Fn::GetAtt': [string, string] } }
    }[]
    return found?.Properties.TargetKeyId['Fn::GetAtt'][0]
  }
  expect(keyOf('alias/keymgr-table')).not.toBe(keyOf('alias/keymgr-root'))
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    SSESpecification: {
      SSEEnabled: true,
      SSEType: 'KMS',
      KMSMasterKeyId: { 'Fn::GetAtt': [keyOf('alias/keymgr-table'), 'Arn'] },
    },
  })
})

test('there is a bus of our own, which only this account may use', () => {
  template.hasResourceProperties('AWS::Events::EventBus', { Name: 'keymgr', Policy: Match.absent() })
  template.resourceCountIs('AWS::Events::EventBusPolicy', 0)
})

test('the stack that holds what must not be lost is protected', () => {
  expect(foundation.stackName).toBe('keymgr-foundation')
  expect(foundation.terminationProtection).toBe(true)
})
