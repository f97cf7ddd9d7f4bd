import { existsSync, rmSync } from 'node:fs'
import * as path from 'node:path'
import { Queue, type CfnQueue } from 'aws-cdk-lib/aws-sqs'
import { afterAll, expect, test } from 'vitest'
import { excuse } from '../../../infra/aws/excuse.ts'
import { FUNCTIONS } from '../../../infra/functions.ts'
import { findingsIn, overfull, stacksIn } from '../../../infra/aws/synthesize.ts'
import { synthesized } from './deployment-support.ts'

const { service, serviceTemplate, app, folder, outDir } = synthesized({ templatesChecked: true })
afterAll(() => rmSync(folder, { recursive: true }))

// that the templates were written shows that CloudFormation's schemas know all their resources and properties
test('the rules find only excused findings', () => {
  expect(findingsIn(app)).toEqual([])
})

// excuses spell the names of resources, which differ when account and region are known
test('the rules find no more when account and region are known', () => {
  const environment = { CDK_DEFAULT_ACCOUNT: '111122223333', CDK_DEFAULT_REGION: 'eu-central-1' }
  const known = synthesized({ environment })
  rmSync(known.folder, { recursive: true })
  expect(findingsIn(known.app)).toEqual([])
})

test('everything a deployment reads is written', () => {
  for (const file of ['manifest.json', 'keymgr-foundation.template.json', 'keymgr-service.template.json'])
    expect(existsSync(path.join(outDir, file)), file).toBe(true)
})

test.each(FUNCTIONS)(
  'the templates name the folder with the code of $name, for tools that run it on this machine',
  ({ name }) => {
    const functions = Object.values(serviceTemplate.findResources('AWS::Lambda::Function')) as {
      Properties: { FunctionName: string }
      Metadata: Record<string, string>
    }[]
    const found = functions.find(({ Properties }) => Properties.FunctionName === `keymgr-${name}`)
    expect(found?.Metadata['aws:asset:property']).toBe('Code')
    expect(existsSync(path.join(outDir, found?.Metadata['aws:asset:path'] ?? 'nowhere', 'index.mjs'))).toBe(true)
  },
)

test('250 more resources fit, and a stack that grows too large is a finding', () => {
  const stacks = stacksIn(app)
  expect(stacks.map(({ name }) => name)).toEqual([
    'keymgr-foundation',
    'keymgr-service',
    'keymgr-service/FrontDoor/Routes',
    'keymgr-service/Alarms',
  ])
  expect(overfull(stacks)).toEqual([])
  const room = stacks.slice(1).map(({ types }) => 450 - types.length)
  expect(room.reduce((sum, left) => sum + left, 0)).toBeGreaterThan(250)
  expect(Math.min(...room)).toBeGreaterThan(150) // a slice adds about 17, to two of them
  const [largest = 0] = stacks.map(({ types }) => types.length).sort((a, b) => b - a)
  expect(overfull(stacks, largest - 1)).toEqual([
    expect.stringMatching(new RegExp(`^keymgr-.* has ${largest} resources; at most ${largest - 1} are allowed$`)),
  ])
})

test('a violated rule is reported at its resource, until it is excused there', () => {
  const queue = new Queue(service, 'Careless')
  const found = findingsIn(app)
  expect(found.map(({ rule, construct }) => ({ rule, construct }))).toEqual([
    { rule: 'AwsSolutions-SQS3', construct: 'keymgr-service/Careless/Resource' },
    { rule: 'AwsSolutions-SQS4', construct: 'keymgr-service/Careless/Resource' },
  ])
  excuse(queue, 'AwsSolutions-SQS3', 'a test')
  expect(findingsIn(app).map(({ rule }) => rule)).toEqual(['AwsSolutions-SQS4'])
})

test('a template that CloudFormation would refuse is refused', () => {
  const queue = service.node.findChild('DeadLetters').node.defaultChild as CfnQueue
  queue.addPropertyOverride('NoSuchProperty', 1)
  expect(() => app.synth({ force: true })).toThrow(/NoSuchProperty|Validation failed/)
})
