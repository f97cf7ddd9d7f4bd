import { FilterLogEventsCommand, type FilterLogEventsCommandInput } from '@aws-sdk/client-cloudwatch-logs'
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DecryptCommand,
  DeleteAliasCommand,
  EncryptCommand,
  ListKeysCommand,
  type KMSClient,
} from '@aws-sdk/client-kms'
import { AssumeRoleCommand, GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, logsOf, outcome, stsOf } from '../clients.ts'

const account = ACCOUNTS.first
const GROUP = `trail-${account}`
const OF_KMS = '{ $.eventSource = "kms.amazonaws.com" }'
const clock = createClock()
let simulator: CloudASimulator
let kms: KMSClient

beforeAll(async () => {
  simulator = await startCloudA({ clock })
  kms = kmsOf(simulator)
})
afterEach(() => simulator.reset())
afterAll(() => simulator.stop())

/** All entries of a region's log, page by page. */
async function entries(query: Partial<FilterLogEventsCommandInput> = {}, region = 'us-east-1'): Promise<any[]> {
  const logs = logsOf(simulator, { region })
  const found: any[] = []
  let nextToken: string | undefined
  do {
    const command = new FilterLogEventsCommand({ logGroupName: GROUP, ...query, nextToken })
    const page = await logs.send(command)
    found.push(...(page.events ?? []).map(({ timestamp, message }) => ({ timestamp, ...JSON.parse(message ?? '') })))
    nextToken = page.nextToken
  } while (nextToken !== undefined)
  return found
}

const since = (): number => clock.now().getTime()
const create = async () => (await kms.send(new CreateKeyCommand({}))).KeyMetadata

test('every use of a key leaves an entry that names it', async () => {
  const startTime = since()
  const { KeyId, Arn } = (await create()) ?? {}
  await kms.send(new CreateAliasCommand({ AliasName: 'alias/trail', TargetKeyId: KeyId }))
  const plaintext = Buffer.from('nobody reads this')
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId: 'alias/trail', Plaintext: plaintext }))
  await kms.send(new DecryptCommand({ CiphertextBlob }))
  await kms.send(new DeleteAliasCommand({ AliasName: 'alias/trail' }))
  const found = await entries({ startTime, filterPattern: OF_KMS })
  expect(found.map(({ eventName, resources }) => [eventName, resources?.[0].ARN])).toEqual(
    ['CreateKey', 'CreateAlias', 'Encrypt', 'Decrypt', 'DeleteAlias'].map((name) => [name, Arn]),
  )
  expect(found[2]).toMatchObject({
    eventSource: 'kms.amazonaws.com',
    awsRegion: 'us-east-1',
    recipientAccountId: account,
    userIdentity: { type: 'IAMUser', arn: `arn:aws:iam::${account}:user/keymgr-admin`, userName: 'keymgr-admin' },
    requestParameters: { keyId: 'alias/trail' },
    userAgent: expect.stringContaining('aws-sdk-js') as string,
  })
  expect(Date.parse(found[2].eventTime as string)).toBe(Math.floor(found[2].timestamp / 1000) * 1000)
  const said = JSON.stringify(found)
  expect(said).not.toContain(plaintext.toString('base64'))
  expect(said).not.toContain(Buffer.from(CiphertextBlob ?? []).toString('base64'))
})

test('a refused call is logged with its error; one that never arrived is not logged', async () => {
  const startTime = since()
  expect(await outcome(kms.send(new EncryptCommand({ KeyId: 'nowhere', Plaintext: Buffer.from('x') })))).toBe(
    'NotFoundException',
  )
  simulator.inject({ fault: 'throttle', times: 1 })
  await outcome(kms.send(new ListKeysCommand({})))
  simulator.inject({ fault: 'cut-before', times: 1 })
  await outcome(kms.send(new ListKeysCommand({})))
  const found = await entries({ startTime, filterPattern: OF_KMS })
  expect(found.map(({ eventName, errorCode, resources }) => [eventName, errorCode, resources])).toEqual([
    ['Encrypt', 'NotFoundException', undefined],
    ['ListKeys', 'ThrottlingException', undefined],
  ])
})

test('a role is identified by its session, and other services use the same log', async () => {
  const startTime = since()
  const RoleArn = `arn:aws:iam::${account}:role/keymgr-operator`
  const { Credentials: given } = await stsOf(simulator).send(
    new AssumeRoleCommand({ RoleArn, RoleSessionName: 'shift' }),
  )
  const credentials = {
    accessKeyId: given?.AccessKeyId ?? '',
    secretAccessKey: given?.SecretAccessKey ?? '',
    sessionToken: given?.SessionToken ?? '',
  }
  await stsOf(simulator, { credentials }).send(new GetCallerIdentityCommand({}))
  const found = await entries({ startTime })
  expect(found.map(({ eventSource, eventName }) => [eventSource, eventName])).toEqual([
    ['sts.amazonaws.com', 'AssumeRole'],
    ['sts.amazonaws.com', 'GetCallerIdentity'],
  ])
  expect(found[1].userIdentity).toMatchObject({
    type: 'AssumedRole',
    arn: `arn:aws:sts::${account}:assumed-role/keymgr-operator/shift`,
    accessKeyId: credentials.accessKeyId,
  })
  expect(await entries({ startTime, filterPattern: OF_KMS })).toEqual([])
})

const AT = Date.parse('2026-03-01T00:00:00Z')
const seeded = (region: string, count: number) =>
  simulator.seedTrail({
    account,
    region,
    count,
    describe: (n) => ({ at: new Date(AT + n * 1_000), operation: 'Decrypt', keyId: `key-${n % 7}`, user: 'alice' }),
  })

test('pages cover everything once, including both ends of the requested time', async () => {
  seeded('eu-west-1', 25_000)
  const all = await entries({ limit: 3_000 }, 'eu-west-1')
  expect(all.map(({ timestamp }) => (timestamp - AT) / 1_000)).toEqual(Array.from({ length: 25_000 }, (_, n) => n))
  const some = await entries({ startTime: AT + 10_000, endTime: AT + 12_000 }, 'eu-west-1')
  expect(some.map(({ timestamp }) => timestamp - AT)).toEqual([10_000, 11_000, 12_000])
})

test('a page may be empty although others follow', async () => {
  seeded('eu-west-2', 25_000)
  const query = { logGroupName: GROUP, startTime: AT + 24_000_000, endTime: AT + 24_999_000 }
  const first = await logsOf(simulator, { region: 'eu-west-2' }).send(new FilterLogEventsCommand(query))
  expect(first.events).toEqual([])
  expect(first.nextToken).toBeDefined()
  const { logGroupName: _, ...times } = query
  expect(await entries(times, 'eu-west-2')).toHaveLength(1_000)
})

test('a page is at most 1 MiB', async () => {
  seeded('eu-west-3', 5_000)
  const page = await logsOf(simulator, { region: 'eu-west-3' }).send(
    new FilterLogEventsCommand({ logGroupName: GROUP }),
  )
  const bytes = (page.events ?? []).reduce((sum, { message = '' }) => sum + message.length, 0)
  expect(bytes).toBeLessThanOrEqual(1_048_576)
  expect(bytes).toBeGreaterThan(1_000_000)
  expect(page.nextToken).toBeDefined()
})

test.each<[string, Partial<FilterLogEventsCommandInput>, string]>([
  ['a group that is not there', { logGroupName: 'nowhere' }, 'ResourceNotFoundException'],
  ['a token of its own making', { nextToken: 'bm90aGluZw' }, 'InvalidParameterException'],
  ['a pattern it cannot read', { filterPattern: '{ $.a ~ 3 }' }, 'InvalidParameterException'],
  ['too long a page', { limit: 10_001 }, 'InvalidParameterException'],
])('%s is refused', async (_what, query, name) => {
  const command = new FilterLogEventsCommand({ logGroupName: GROUP, ...query })
  expect(await outcome(logsOf(simulator).send(command))).toBe(name)
})

test('a token is good for a day', async () => {
  seeded('eu-north-1', 5)
  const logs = logsOf(simulator, { region: 'eu-north-1' })
  const { nextToken } = await logs.send(new FilterLogEventsCommand({ logGroupName: GROUP, limit: 2 }))
  const command = new FilterLogEventsCommand({ logGroupName: GROUP, limit: 2, nextToken })
  clock.advance(23 * 3_600_000)
  expect((await logs.send(command)).events).toHaveLength(2)
  clock.advance(2 * 3_600_000)
  expect(await outcome(logs.send(command))).toBe('InvalidParameterException')
  clock.set(new Date())
})

test('a group without a writer is empty', async () => {
  expect(await entries({ logGroupName: 'application' })).toEqual([])
})
