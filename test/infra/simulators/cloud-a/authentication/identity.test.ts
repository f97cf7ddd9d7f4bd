import { ListRegionsCommand } from '@aws-sdk/client-account'
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { ListRolesCommand, ListUsersCommand } from '@aws-sdk/client-iam'
import { CreateKeyCommand, DescribeKeyCommand, ListKeysCommand } from '@aws-sdk/client-kms'
import { AssumeRoleCommand, GetCallerIdentityCommand, type AssumeRoleCommandInput } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, accountOf, iamOf, kmsOf, logsOf, outcome, regionsOf, stsOf, type Credentials } from '../clients.ts'

const clock = createClock()
let simulator: CloudASimulator

beforeAll(async () => {
  simulator = await startCloudA({ clock })
})
afterAll(() => simulator.stop())

const GUARDED = `arn:aws:iam::${ACCOUNTS.second}:role/keymgr-guarded`
const VISITOR = `arn:aws:iam::${ACCOUNTS.second}:role/keymgr-visitor`
const OPERATOR = `arn:aws:iam::${ACCOUNTS.first}:role/keymgr-operator`

async function assume(RoleArn: string, more: Partial<AssumeRoleCommandInput> = {}, account?: string) {
  const sts = stsOf(simulator, account === undefined ? {} : { account })
  const answer = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'tests', ...more }))
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '', Expiration } = answer.Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  return { credentials, Expiration, user: answer.AssumedRoleUser }
}

test('the accounts lie in three partitions, at least three of them in the first', () => {
  const clouds = simulator.accounts.map(({ cloud_name }) => cloud_name)
  expect(clouds.filter((name) => name === 'cloud-a').length).toBeGreaterThanOrEqual(3)
  expect(clouds).toContain('cloud-a-gov')
  expect(clouds).toContain('cloud-a-cn')
})

test.each([
  ['first', 'us-east-1', 'aws', ACCOUNTS.first],
  ['first', 'eu-west-1', 'aws', ACCOUNTS.second],
  ['gov', 'us-gov-west-1', 'aws-us-gov', ACCOUNTS.gov],
  ['cn', 'cn-north-1', 'aws-cn', ACCOUNTS.cn],
])(
  'the identity of a caller of the %s partition names its account and its user',
  async (_what, region, name, account) => {
    const identity = await stsOf(simulator, { account, region }).send(new GetCallerIdentityCommand({}))
    expect(identity).toMatchObject({
      Account: account,
      Arn: `arn:${name}:iam::${account}:user/keymgr-admin`,
      UserId: expect.stringMatching(/^AIDA/),
    })
  },
)

test.each<[string, Partial<Credentials> & { region?: string }, string, string]>([
  [
    'an unknown access key',
    { accessKeyId: 'AKIASIMA000000000000' },
    'UnrecognizedClientException',
    'InvalidClientTokenId',
  ],
  ['a wrong secret', { secretAccessKey: 'not the secret' }, 'InvalidSignatureException', 'SignatureDoesNotMatch'],
  ['a region that is off', { region: 'af-south-1' }, 'UnrecognizedClientException', 'InvalidClientTokenId'],
  ['a region of another partition', { region: 'cn-north-1' }, 'UnrecognizedClientException', 'InvalidClientTokenId'],
])('%s is refused by every protocol under its own name', async (_what, wrong, json, xml) => {
  const { region = 'us-east-1', ...parts } = wrong
  const credentials = { ...accountOf(simulator, ACCOUNTS.first).credentials, ...parts }
  expect(await outcome(kmsOf(simulator, { region, credentials }).send(new ListKeysCommand({})))).toBe(json)
  expect(await outcome(stsOf(simulator, { region, credentials }).send(new GetCallerIdentityCommand({})))).toBe(xml)
})

test('a request without signature is refused', async () => {
  const answer = await fetch(simulator.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'TrentService.ListKeys' },
    body: '{}',
  })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ __type: 'MissingAuthenticationTokenException' })
})

/** Sends a request that is changed after the client signed it. */
async function altered(change: (request: { headers: Record<string, string>; body: string }) => void) {
  const kms = kmsOf(simulator)
  kms.middlewareStack.add(
    (next) => (args) => {
      change(args.request as { headers: Record<string, string>; body: string })
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'alter' },
  )
  return outcome(kms.send(new ListKeysCommand({ Limit: 7 })))
}

test.each<[string, (request: { headers: Record<string, string>; body: string }) => void, string]>([
  [
    'another operation',
    ({ headers }) => (headers['x-amz-target'] = 'TrentService.ListAliases'),
    'InvalidSignatureException',
  ],
  ['another body', (request) => (request.body = '{"Limit":8}'), 'InvalidSignatureException'],
  ['a header that is not signed', ({ headers }) => (headers['x-amz-extra'] = 'x'), 'InvalidSignatureException'],
  [
    'a broken authorization',
    ({ headers }) => (headers.authorization = 'AWS4-HMAC-SHA256 Credential=x'),
    'IncompleteSignatureException',
  ],
  ['nothing', () => undefined, 'done'],
])('a signature covers the request: with %s changed afterwards', async (_what, change, expected) => {
  expect(await altered(change)).toBe(expected)
})

test('a request that was signed for another service is refused', async () => {
  const sts = stsOf(simulator)
  sts.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { headers: Record<string, string>; body: string }
      Object.assign(request.headers, { 'x-amz-target': 'TrentService.ListKeys', 'content-length': '2' })
      request.body = '{}'
      return next(args)
    },
    { step: 'build', priority: 'low', name: 'turn to another service' },
  )
  expect(await outcome(sts.send(new GetCallerIdentityCommand({})))).not.toBe('done')
  expect(simulator.calls().at(-1)).toMatchObject({ operation: 'ListKeys', refused: 'InvalidSignatureException' })
})

test('an old signature is refused unless the clock shows its time', async () => {
  const kms = kmsOf(simulator)
  const longAgo = Date.now() - 3_600_000
  kms.config.systemClockOffset = -3_600_000
  expect(await outcome(kms.send(new ListKeysCommand({})))).toBe('InvalidSignatureException')
  clock.set(new Date(longAgo))
  const again = kmsOf(simulator)
  again.config.systemClockOffset = -3_600_000
  expect(await outcome(again.send(new ListKeysCommand({})))).toBe('done')
  clock.set(new Date())
})

test('a role within the account acts in it', async () => {
  const { credentials, user } = await assume(OPERATOR)
  const identity = await stsOf(simulator, { credentials }).send(new GetCallerIdentityCommand({}))
  const Arn = `arn:aws:sts::${ACCOUNTS.first}:assumed-role/keymgr-operator/tests`
  expect(identity).toMatchObject({ Account: ACCOUNTS.first, Arn, UserId: user?.AssumedRoleId })
  expect(user?.Arn).toBe(Arn)
  expect(user?.AssumedRoleId).toMatch(/^AROA.*:tests$/)
})

test('a role of another account acts in that account', async () => {
  const { credentials } = await assume(VISITOR)
  const made = await kmsOf(simulator, { credentials }).send(new CreateKeyCommand({}))
  expect(made.KeyMetadata?.AWSAccountId).toBe(ACCOUNTS.second)
  const KeyId = made.KeyMetadata?.Arn ?? ''
  expect(await outcome(kmsOf(simulator, { account: ACCOUNTS.second }).send(new DescribeKeyCommand({ KeyId })))).toBe(
    'done',
  )
  expect(await outcome(kmsOf(simulator).send(new DescribeKeyCommand({ KeyId })))).toBe('AccessDeniedException')
})

test.each<[string, string, Partial<AssumeRoleCommandInput>, string, string]>([
  ['with its external id', GUARDED, { ExternalId: 'guarded-5e1c' }, ACCOUNTS.first, 'done'],
  ['by another account it trusts', GUARDED, { ExternalId: 'guarded-5e1c' }, ACCOUNTS.third, 'done'],
  ['without its external id', GUARDED, {}, ACCOUNTS.first, 'AccessDenied'],
  ['with another external id', GUARDED, { ExternalId: 'guarded-0000' }, ACCOUNTS.first, 'AccessDenied'],
  ['by an account it does not trust', OPERATOR, {}, ACCOUNTS.second, 'AccessDenied'],
  ['that is not there', `${OPERATOR}-2`, {}, ACCOUNTS.first, 'AccessDenied'],
  ['for 14 minutes', OPERATOR, { DurationSeconds: 840 }, ACCOUNTS.first, 'ValidationError'],
  ['for longer than it allows', OPERATOR, { DurationSeconds: 7200 }, ACCOUNTS.first, 'ValidationError'],
  ['under a session name that is none', OPERATOR, { RoleSessionName: 'a b' }, ACCOUNTS.first, 'ValidationError'],
])('a role assumed %s', async (_what, role, more, account, expected) => {
  expect(await outcome(assume(role, more, account))).toBe(expected)
})

test('a role of another partition cannot be assumed', async () => {
  const sts = stsOf(simulator, { account: ACCOUNTS.gov, region: 'us-gov-west-1' })
  const sent = sts.send(new AssumeRoleCommand({ RoleArn: OPERATOR, RoleSessionName: 'tests' }))
  expect(await outcome(sent)).toBe('AccessDenied')
})

test('temporary credentials end by the clock', async () => {
  const { credentials, Expiration } = await assume(OPERATOR, { DurationSeconds: 900 })
  expect(Math.abs((Expiration?.getTime() ?? 0) - clock.now().getTime() - 900_000)).toBeLessThan(2000)
  clock.advance(890_000)
  expect(await outcome(kmsOf(simulator, { credentials }).send(new ListKeysCommand({})))).toBe('done')
  clock.advance(20_000)
  expect(await outcome(kmsOf(simulator, { credentials }).send(new ListKeysCommand({})))).toBe('ExpiredTokenException')
  expect(await outcome(stsOf(simulator, { credentials }).send(new GetCallerIdentityCommand({})))).toBe('ExpiredToken')
  clock.set(new Date())
})

test('temporary credentials are invalid without their session token', async () => {
  const { credentials } = await assume(OPERATOR)
  const other = await assume(OPERATOR)
  const { sessionToken: _, ...bare } = credentials
  const mixed = { ...credentials, sessionToken: other.credentials.sessionToken }
  const forged = { ...credentials, sessionToken: `x${credentials.sessionToken}` }
  for (const wrong of [bare, mixed, forged]) {
    const sent = kmsOf(simulator, { credentials: wrong }).send(new ListKeysCommand({}))
    expect(await outcome(sent)).toBe('UnrecognizedClientException')
  }
})

test('regions are listed page by page with their states', async () => {
  const client = regionsOf(simulator)
  const all: string[] = []
  let NextToken: string | undefined
  do {
    const page = await client.send(new ListRegionsCommand({ MaxResults: 10, NextToken }))
    expect(page.Regions?.length).toBeLessThanOrEqual(10)
    all.push(...(page.Regions ?? []).map(({ RegionName = '' }) => RegionName))
    NextToken = page.NextToken
  } while (NextToken !== undefined)
  expect(new Set(all).size).toBe(all.length)
  expect(all).toContain('us-east-1')
  expect(all).toContain('af-south-1')
  const off = await client.send(new ListRegionsCommand({ RegionOptStatusContains: ['DISABLED'] }))
  expect(off.Regions?.every(({ RegionOptStatus }) => RegionOptStatus === 'DISABLED')).toBe(true)
  expect(off.Regions?.map(({ RegionName }) => RegionName)).toContain('af-south-1')
})

test.each([
  ['gov', 'us-gov-west-1', ACCOUNTS.gov, ['us-gov-east-1', 'us-gov-west-1']],
  ['cn', 'cn-northwest-1', ACCOUNTS.cn, ['cn-north-1', 'cn-northwest-1']],
])('the %s partition has regions of its own', async (_what, region, account, names) => {
  const { Regions } = await regionsOf(simulator, { account, region }).send(new ListRegionsCommand({}))
  expect(Regions?.map(({ RegionName }) => RegionName)).toEqual(names)
})

test('users and roles are listed, page by page', async () => {
  const iam = iamOf(simulator)
  const first = await iam.send(new ListUsersCommand({ MaxItems: 2 }))
  const rest = await iam.send(new ListUsersCommand({ Marker: first.Marker }))
  expect(first.IsTruncated).toBe(true)
  expect(rest.IsTruncated).toBe(false)
  const names = [...(first.Users ?? []), ...(rest.Users ?? [])].map(({ UserName }) => UserName)
  expect(names).toEqual(['alice', 'bob', 'keymgr-admin'])
  const { Roles } = await iam.send(new ListRolesCommand({}))
  expect(Roles?.map(({ Arn }) => Arn)).toContain(OPERATOR)
  expect(await outcome(iam.send(new ListUsersCommand({ Marker: 'nonsense' })))).toBe('ValidationError')
})

test('log groups are listed by prefix and page by page', async () => {
  const logs = logsOf(simulator, { region: 'eu-west-1' })
  const first = await logs.send(new DescribeLogGroupsCommand({ limit: 1 }))
  expect(first.logGroups).toHaveLength(1)
  const rest = await logs.send(new DescribeLogGroupsCommand({ nextToken: first.nextToken }))
  expect(rest.logGroups?.map(({ logGroupName }) => logGroupName)).toEqual(['application', `trail-${ACCOUNTS.first}`])
  const trails = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: 'trail' }))
  expect(trails.logGroups).toEqual([
    expect.objectContaining({ arn: `arn:aws:logs:eu-west-1:${ACCOUNTS.first}:log-group:trail-${ACCOUNTS.first}:*` }),
  ])
  expect(await outcome(logs.send(new DescribeLogGroupsCommand({ nextToken: 'nonsense' })))).toBe(
    'InvalidParameterException',
  )
})
