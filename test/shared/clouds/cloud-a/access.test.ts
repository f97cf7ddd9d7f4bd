import { afterEach, expect, test, vi } from 'vitest'
import { addressOf } from '../../../../shared/clouds/cloud-a/adapter/endpoints.ts'
import { cloudA } from '../../../../shared/clouds/cloud-a/adapter/verbs.ts'
import { HOUR_MS } from '../../../../shared/base/time.ts'
import { textMarker } from '../../../support/markers.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { firstOf, useCloudA } from './simulated.ts'

const own = useCloudA()
const { connection, place, accountOf } = own
const budget = () => AbortSignal.timeout(20_000)
const assumed = () => own.cloud.counts().AssumeRole ?? 0
const last = (operation: string) => own.cloud.calls().findLast((call) => call.operation === operation)

afterEach(() => own.cloud.reset())

test('a connection reports the identity of its keys', async () => {
  const { id, userArn } = accountOf('111122223333')
  expect(await cloudA.identity({ connection: connection(), budget: budget() })).toEqual({
    account_id: id,
    arn: userArn,
  })
})

test("the role of the connection is assumed first, then the container's, with external ids only if given", async () => {
  const operator = 'arn:aws:iam::111122223333:role/keymgr-operator'
  const guarded = 'arn:aws:iam::444455556666:role/keymgr-guarded'
  const entry = {
    connection: connection(undefined, { assume_role_arn: operator }),
    role: { arn: guarded, externalId: 'guarded-5e1c' },
    budget: budget(),
  }
  expect(await cloudA.identity(entry)).toEqual({
    account_id: '444455556666',
    arn: 'arn:aws:sts::444455556666:assumed-role/keymgr-guarded/keymgr',
  })
  const roles = own.cloud.calls().filter(({ operation }) => operation === 'AssumeRole')
  expect(roles.map(({ principal, input }) => [principal, input.RoleArn, input.ExternalId])).toEqual([
    [accountOf('111122223333').userArn, operator, undefined],
    [operator, guarded, 'guarded-5e1c'],
  ])
})

test('keys are those of the account of the assumed role, in every region with the same credentials', async () => {
  const [id = ''] = own.cloud.seed({ account: '444455556666', region: 'eu-west-1', count: 1 })
  const role = { arn: 'arn:aws:iam::444455556666:role/keymgr-visitor' }
  const visited = place({ role, account: '444455556666', region: 'eu-west-1' })
  expect((await cloudA.read(visited, id))?.param.AccountId).toBe('444455556666')
  expect(await cloudA.read({ ...visited, region: 'eu-west-2' }, id)).toBeUndefined()
  expect((await cloudA.refs({ ...visited, patience: 'job' }, undefined)).refs).toEqual([id])
  expect(assumed()).toBe(1)
})

test.each([
  ['no external id', undefined],
  ['another one', 'guessed'],
])('a role that demands an external id is refused with %s', async (_what, externalId) => {
  const role = { arn: 'arn:aws:iam::444455556666:role/keymgr-guarded', externalId }
  const { reason, message } = await refusalOf(cloudA.identity({ connection: connection(), role, budget: budget() }), [
    textMarker('the access key id', accountOf('111122223333').credentials.accessKeyId),
    textMarker('the secret', accountOf('111122223333').credentials.secretAccessKey),
  ])
  expect(reason).toBe('CLOUD_DENIED')
  expect(message).toMatch(/^Cloud-a refused: AccessDenied: /)
})

test('credentials that the cloud considers expired are requested again, including those of every role before', async () => {
  const entry = place({
    connection: connection(undefined, { assume_role_arn: 'arn:aws:iam::111122223333:role/keymgr-operator' }),
    role: { arn: 'arn:aws:iam::444455556666:role/keymgr-visitor' },
    region: 'eu-north-1',
  })
  await cloudA.refs(entry, undefined)
  expect(assumed()).toBe(2)
  own.clock.advance(2 * HOUR_MS)
  expect(await cloudA.refs(entry, undefined)).toEqual({ refs: [] })
  expect(assumed()).toBe(4)
})

test('expired credentials of a user are not used again', async () => {
  own.cloud.inject({ operation: 'ListKeys', fault: 'expired-credentials' })
  const { reason, message } = await refusalOf(cloudA.refs(place(), undefined))
  expect(reason).toBe('CLOUD_DENIED')
  expect(message).toMatch(/^Cloud-a refused: ExpiredTokenException: /)
  expect(own.cloud.counts().ListKeys).toBe(1)
})

test('cached values of one connection are not used for another with the same key', async () => {
  await cloudA.identity({ connection: connection(), budget: budget() })
  const wrong = { ...connection(), secret_access_key: 'another-secret' }
  const { reason } = await refusalOf(cloudA.identity({ connection: wrong, budget: budget() }))
  expect(reason).toBe('CLOUD_DENIED')
})

test('tokens are asked for at the one old address, or in the region of the connection', async () => {
  await cloudA.test(connection(), budget())
  expect(last('GetCallerIdentity')?.region).toBe('us-east-1')
  await cloudA.test(connection(undefined, { sts_regional_endpoints: 'regional', region: 'eu-west-3' }), budget())
  expect(last('GetCallerIdentity')?.region).toBe('eu-west-3')
})

test.each([
  ['cloud-a', 'aws', 'us-east-1', 'us-east-1', 'us-east-1', 19],
  ['cloud-a-gov', 'aws-us-gov', 'us-gov-west-1', 'us-gov-west-1', 'us-gov-west-1', 2],
  ['cloud-a-cn', 'aws-cn', 'cn-north-1', 'cn-northwest-1', 'cn-north-1', 2],
] as const)('%s answers as itself, in its own regions', async (name, partition, sts, regionsAt, iam, count) => {
  const account = firstOf(own.cloud, name)
  const entry = { connection: connection(account), budget: budget() }
  expect((await cloudA.identity(entry)).arn).toMatch(new RegExp(`^arn:${partition}:iam::${account.id}:user/`))
  expect(last('GetCallerIdentity')?.region).toBe(sts)
  const regions = await cloudA.regions(entry)
  expect(last('ListRegions')?.region).toBe(regionsAt)
  expect(regions).toHaveLength(count)
  expect(regions).toEqual(regions.toSorted())
  await cloudA.roles(entry, {})
  expect(last('ListRoles')?.region).toBe(iam)
})

test('regions are those enabled for the account, without disabled ones and those being enabled', async () => {
  const regions = await cloudA.regions({ connection: connection(), budget: budget() })
  expect(regions).toContain('eu-central-2')
  for (const not of ['me-south-1', 'il-central-1', 'af-south-1', 'us-gov-west-1']) expect(regions).not.toContain(not)
})

test('users and roles have pages, with their names and ARNs', async () => {
  const entry = { connection: connection(), budget: budget() }
  const first = await cloudA.users(entry, { maxItems: 2 })
  expect(first.items).toEqual([
    { name: 'alice', arn: 'arn:aws:iam::111122223333:user/alice' },
    { name: 'bob', arn: 'arn:aws:iam::111122223333:user/bob' },
  ])
  const rest = await cloudA.users(entry, { maxItems: 2, marker: first.marker })
  expect(rest).toEqual({ items: [{ name: 'keymgr-admin', arn: accountOf('111122223333').userArn }] })
  expect((await cloudA.roles(entry, {})).items.map(({ name }) => name)).toEqual(['keymgr-operator', 'orders-service'])
})

test('log groups of a region have pages, by prefix', async () => {
  const one = await cloudA.logGroups(place(), { limit: 1 })
  expect(one.log_groups).toEqual(['/aws/lambda/orders'])
  const all = await cloudA.logGroups(place(), { nextToken: one.nextToken })
  expect(all).toEqual({ log_groups: ['application', 'trail-111122223333'] })
  expect(await cloudA.logGroups(place(), { prefix: 'trail' })).toEqual({ log_groups: ['trail-111122223333'] })
})

test('without access keys the deployment needs a separate role', async () => {
  const bare = connection(undefined, { access_key_id: undefined, secret_access_key: undefined })
  const { reason, message } = await refusalOf(cloudA.test(bare, budget()))
  expect(reason).toBe('RULE_BROKEN')
  expect(message).toBe('The connection has no access keys, and this deployment has no role of its own for cloud-a.')
  expect(own.cloud.calls()).toEqual([])
})

test('without access keys the deployment assumes its role, and never uses its own identity', async () => {
  const { credentials, userArn } = accountOf('111122223333')
  const role = 'arn:aws:iam::444455556666:role/keymgr-guarded'
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey)
  vi.stubEnv('KEYMGR_RUNTIME_ROLE', role)
  vi.stubEnv('KEYMGR_RUNTIME_ROLE_EXTERNAL_ID', 'guarded-5e1c')
  try {
    const bare = connection(undefined, { access_key_id: undefined, secret_access_key: undefined })
    const { arn } = await cloudA.identity({ connection: bare, budget: budget() })
    expect(arn).toBe('arn:aws:sts::444455556666:assumed-role/keymgr-guarded/keymgr')
    expect(own.cloud.calls().map(({ operation, principal }) => [operation, principal])).toEqual([
      ['AssumeRole', userArn],
      ['GetCallerIdentity', role],
    ])
  } finally {
    for (const name of [
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'KEYMGR_RUNTIME_ROLE',
      'KEYMGR_RUNTIME_ROLE_EXTERNAL_ID',
    ])
      vi.stubEnv(name, undefined)
  }
})

test("addresses and settings that are meant for the deployment's own services do not capture the cloud", async () => {
  const meantForOthers = {
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    AWS_ENDPOINT_URL_KMS: 'http://127.0.0.1:9',
    AWS_REGION: 'ap-south-1',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_MAX_ATTEMPTS: '1',
    AWS_CONFIG_FILE: '/dev/null',
  }
  for (const [name, value] of Object.entries(meantForOthers)) vi.stubEnv(name, value)
  try {
    await cloudA.refs(place({ region: 'eu-west-2' }), undefined)
    expect(last('ListKeys')?.region).toBe('eu-west-2')
  } finally {
    for (const name of Object.keys(meantForOthers)) vi.stubEnv(name, undefined)
  }
})

test('without a configured address each service is called at its own host, signed for its region', () => {
  vi.stubEnv('CLOUD_A_ENDPOINT', '')
  try {
    expect(
      [
        addressOf('kms', 'cloud-a', 'eu-central-1'),
        addressOf('kms', 'cloud-a-gov', 'us-gov-east-1'),
        addressOf('kms', 'cloud-a-cn', 'cn-north-1'),
        addressOf('logs', 'cloud-a', 'eu-west-1'),
        addressOf('sts', 'cloud-a'),
        addressOf('sts', 'cloud-a', 'eu-west-1'),
        addressOf('sts', 'cloud-a-gov'),
        addressOf('sts', 'cloud-a-cn'),
        addressOf('account', 'cloud-a'),
        addressOf('account', 'cloud-a-gov'),
        addressOf('account', 'cloud-a-cn'),
        addressOf('iam', 'cloud-a'),
        addressOf('iam', 'cloud-a-gov'),
        addressOf('iam', 'cloud-a-cn'),
      ].map(({ endpoint, region }) => `${endpoint} ${region}`),
    ).toEqual([
      'https://kms.eu-central-1.amazonaws.com eu-central-1',
      'https://kms.us-gov-east-1.amazonaws.com us-gov-east-1',
      'https://kms.cn-north-1.amazonaws.com.cn cn-north-1',
      'https://logs.eu-west-1.amazonaws.com eu-west-1',
      'https://sts.amazonaws.com us-east-1',
      'https://sts.eu-west-1.amazonaws.com eu-west-1',
      'https://sts.us-gov-west-1.amazonaws.com us-gov-west-1',
      'https://sts.cn-north-1.amazonaws.com.cn cn-north-1',
      'https://account.us-east-1.amazonaws.com us-east-1',
      'https://account.us-gov-west-1.amazonaws.com us-gov-west-1',
      'https://account.cn-northwest-1.amazonaws.com.cn cn-northwest-1',
      'https://iam.amazonaws.com us-east-1',
      'https://iam.us-gov.amazonaws.com us-gov-west-1',
      'https://iam.cn-north-1.amazonaws.com.cn cn-north-1',
    ])
  } finally {
    vi.stubEnv('CLOUD_A_ENDPOINT', own.cloud.endpoint)
  }
})

test.each([
  ['another partition', 'cloud-a', 'us-gov-west-1'],
  ['another partition', 'cloud-a-cn', 'eu-west-1'],
  ['a host', 'cloud-a', 'eu-west-1.example.com/'],
  ['nothing', 'cloud-a', ''],
] as const)('a region that is %s is refused before any call', async (_what, name, region) => {
  const account = firstOf(own.cloud, name)
  const { reason, message } = await refusalOf(
    cloudA.refs(place({ connection: connection(account), region }), undefined),
  )
  expect(reason).toBe('RULE_BROKEN')
  expect(message).toBe(`${region} is not a region of ${name}.`)
  expect(own.cloud.calls()).toEqual([])
})

test.each([
  ['https elsewhere', 'https://kms.example.com', undefined, /which only a test stage may/],
  ['https elsewhere, of a test stage', 'https://kms.example.com', 'test', undefined],
  ['http elsewhere, of a test stage', 'http://kms.example.com', 'test', /must be https outside this machine/],
  ['http on this machine', 'http://localhost:4566', undefined, undefined],
  ['http on this machine, version 6', 'http://[::1]:4566', undefined, undefined],
  [
    'a host that only looks like this machine',
    'http://127.0.0.1.example.com',
    undefined,
    /which only a test stage may/,
  ],
])('a configured address: %s', (_what, endpoint, stage, refused) => {
  vi.stubEnv('CLOUD_A_KMS_ENDPOINT', endpoint)
  vi.stubEnv('KEYMGR_STAGE', stage)
  try {
    const address = () => addressOf('kms', 'cloud-a', 'eu-west-1')
    if (refused) expect(address).toThrow(refused)
    else expect(address()).toEqual({ endpoint, region: 'eu-west-1' })
    expect(addressOf('sts', 'cloud-a').endpoint).toBe(own.cloud.endpoint)
  } finally {
    vi.stubEnv('CLOUD_A_KMS_ENDPOINT', undefined)
    vi.stubEnv('KEYMGR_STAGE', undefined)
  }
})
