import {
  CancelKeyDeletionCommand,
  CreateAliasCommand,
  CreateKeyCommand,
  DeleteAliasCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  GetKeyPolicyCommand,
  ListAliasesCommand,
  ListKeyPoliciesCommand,
  ListKeysCommand,
  ListResourceTagsCommand,
  PutKeyPolicyCommand,
  ScheduleKeyDeletionCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateAliasCommand,
  UpdateKeyDescriptionCommand,
} from '@aws-sdk/client-kms'
import type { CreateKeyCommandInput, KeyMetadata, KMSClient, Tag } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../../infra/local/clock.ts'
import { startCloudA, type CloudASimulator } from '../../../../../infra/simulators/cloud-a/simulator.ts'
import { ACCOUNTS, kmsOf, outcome } from '../clients.ts'

const DAY_MS = 86_400_000
const clock = createClock()
let simulator: CloudASimulator
let kms: KMSClient

beforeAll(async () => {
  simulator = await startCloudA({ clock })
  kms = kmsOf(simulator)
})
afterAll(() => simulator.stop())

async function create(
  input: CreateKeyCommandInput = {},
  client = kms,
): Promise<KeyMetadata & { KeyId: string; Arn: string }> {
  const { KeyMetadata } = await client.send(new CreateKeyCommand(input))
  if (KeyMetadata?.KeyId === undefined || KeyMetadata.Arn === undefined) throw new Error('No key was made.')
  return { ...KeyMetadata, KeyId: KeyMetadata.KeyId, Arn: KeyMetadata.Arn }
}

const describe = async (KeyId: string, client = kms) =>
  (await client.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata

const stateOf = async (KeyId: string) => (await describe(KeyId))?.KeyState

test('a key is described as it was created, with all optional fields', async () => {
  const made = await create({ Description: 'orders', Tags: [{ TagKey: 'team', TagValue: 'a' }] })
  const { CreationDate, ...rest } = (await describe(made.KeyId)) ?? {}
  expect(Math.abs((CreationDate?.getTime() ?? 0) - Date.now())).toBeLessThan(10_000)
  expect(rest).toEqual({
    AWSAccountId: ACCOUNTS.first,
    KeyId: expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
    Arn: `arn:aws:kms:us-east-1:${ACCOUNTS.first}:key/${made.KeyId}`,
    Enabled: true,
    Description: 'orders',
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeyState: 'Enabled',
    Origin: 'AWS_KMS',
    KeyManager: 'CUSTOMER',
    CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
    KeySpec: 'SYMMETRIC_DEFAULT',
    EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
    MultiRegion: false,
    CurrentKeyMaterialId: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

const RSA_SIGNATURES = ['PKCS1_V1_5', 'PSS'].flatMap((way) =>
  [256, 384, 512].map((bits) => `RSASSA_${way}_SHA_${bits}`),
)

test.each<[object, object]>([
  [{ KeySpec: 'HMAC_224', KeyUsage: 'GENERATE_VERIFY_MAC' }, { MacAlgorithms: ['HMAC_SHA_224'] }],
  [{ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' }, { MacAlgorithms: ['HMAC_SHA_256'] }],
  [{ KeySpec: 'HMAC_384', KeyUsage: 'GENERATE_VERIFY_MAC' }, { MacAlgorithms: ['HMAC_SHA_384'] }],
  [{ KeySpec: 'HMAC_512', KeyUsage: 'GENERATE_VERIFY_MAC' }, { MacAlgorithms: ['HMAC_SHA_512'] }],
  [{ KeySpec: 'RSA_2048', KeyUsage: 'SIGN_VERIFY' }, { SigningAlgorithms: RSA_SIGNATURES }],
  [
    { KeySpec: 'RSA_3072', KeyUsage: 'ENCRYPT_DECRYPT' },
    { EncryptionAlgorithms: ['RSAES_OAEP_SHA_1', 'RSAES_OAEP_SHA_256'] },
  ],
  [{ KeySpec: 'RSA_4096', KeyUsage: 'SIGN_VERIFY' }, { SigningAlgorithms: RSA_SIGNATURES }],
  [{ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }, { SigningAlgorithms: ['ECDSA_SHA_256'] }],
  [{ KeySpec: 'ECC_NIST_P384', KeyUsage: 'SIGN_VERIFY' }, { SigningAlgorithms: ['ECDSA_SHA_384'] }],
  [{ KeySpec: 'ECC_NIST_P521', KeyUsage: 'KEY_AGREEMENT' }, { KeyAgreementAlgorithms: ['ECDH'] }],
  [{ CustomerMasterKeySpec: 'ECC_SECG_P256K1', KeyUsage: 'SIGN_VERIFY' }, { SigningAlgorithms: ['ECDSA_SHA_256'] }],
])('a key of %o has the algorithms of its usage and no current material to show', async (input, algorithms) => {
  const made = await create(input)
  expect(made).toMatchObject({ ...algorithms, ...input, CustomerMasterKeySpec: made.KeySpec })
  const lists = Object.keys(made).filter((name) => name.endsWith('Algorithms'))
  expect(lists).toEqual(Object.keys(algorithms))
  expect(made).not.toHaveProperty('CurrentKeyMaterialId')
})

test.each<[string, object, string]>([
  ['a spec that is none', { KeySpec: 'AES_256' }, 'ValidationException'],
  ['a spec that is not to be had', { KeySpec: 'ML_DSA_44', KeyUsage: 'SIGN_VERIFY' }, 'UnsupportedOperationException'],
  ['two specs', { KeySpec: 'RSA_2048', CustomerMasterKeySpec: 'RSA_4096' }, 'ValidationException'],
  ['an HMAC key without usage', { KeySpec: 'HMAC_256' }, 'ValidationException'],
  ['an RSA key without usage', { KeySpec: 'RSA_2048' }, 'ValidationException'],
  ['a usage that does not fit', { KeySpec: 'ECC_SECG_P256K1', KeyUsage: 'KEY_AGREEMENT' }, 'ValidationException'],
  ['a description that is too long', { Description: 'x'.repeat(8193) }, 'ValidationException'],
  ['a custom key store', { CustomKeyStoreId: 'cks-1234567890abcdef0' }, 'CustomKeyStoreNotFoundException'],
  ['the origin of a key store without one', { Origin: 'AWS_CLOUDHSM' }, 'ValidationException'],
  ['a reserved tag', { Tags: [{ TagKey: 'aws:x', TagValue: '' }] }, 'TagException'],
  ['the same tag twice', { Tags: [tag('a'), tag('a')] }, 'TagException'],
  ['51 tags', { Tags: Array.from({ length: 51 }, (_, n) => tag(`t${n}`)) }, 'LimitExceededException'],
  ['a policy that is no JSON', { Policy: '{' }, 'MalformedPolicyDocumentException'],
])('a key with %s is refused', async (_what, input, expected) => {
  const before = simulator.keysIn(ACCOUNTS.first, 'us-east-1').length
  expect(await outcome(create(input))).toBe(expected)
  expect(simulator.keysIn(ACCOUNTS.first, 'us-east-1')).toHaveLength(before)
})

function tag(TagKey: string, TagValue = ''): Tag {
  return { TagKey, TagValue }
}

test('keys belong to one account and one region', async () => {
  const made = await create()
  const elsewhere = kmsOf(simulator, { region: 'eu-west-1' })
  const others = kmsOf(simulator, { account: ACCOUNTS.second })
  expect(await outcome(describe(made.KeyId, elsewhere))).toBe('NotFoundException')
  expect(await outcome(describe(made.Arn, elsewhere))).toBe('NotFoundException')
  expect(await outcome(describe(made.KeyId, others))).toBe('NotFoundException')
  expect(await outcome(describe(made.Arn, others))).toBe('AccessDeniedException')
})

test.each([
  ['an id that is not there', '00000000-0000-4000-8000-000000000000', 'NotFoundException'],
  ['an alias that is not there', 'alias/nowhere', 'NotFoundException'],
  ['an ARN that is none', 'arn:aws:kms:us-east-1', 'InvalidArnException'],
  ['nothing', '', 'ValidationException'],
])('%s is refused', async (_what, KeyId, expected) => {
  expect(await outcome(describe(KeyId))).toBe(expected)
})

test('a list of keys has pages that contain every key once, in one order', async () => {
  const client = kmsOf(simulator, { region: 'eu-north-1' })
  const seeded = simulator.seed({ account: ACCOUNTS.first, region: 'eu-north-1', count: 250 })
  const made = await create({}, client)
  const pages: string[][] = []
  let Marker: string | undefined
  do {
    const page = await client.send(new ListKeysCommand({ Marker }))
    pages.push((page.Keys ?? []).map(({ KeyId = '' }) => KeyId))
    expect(page.Truncated).toBe(page.NextMarker !== undefined)
    Marker = page.NextMarker
  } while (Marker !== undefined)
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 51])
  expect(pages.flat()).toEqual([...seeded, made.KeyId].sort())
})

test.each([
  ['of no key', { Limit: 0 }, 'ValidationException'],
  ['of 1001 keys', { Limit: 1001 }, 'ValidationException'],
  ['at a marker that is none', { Marker: 'x' }, 'InvalidMarkerException'],
])('a page %s is refused', async (_what, input, expected) => {
  expect(await outcome(kms.send(new ListKeysCommand(input)))).toBe(expected)
})

test('a marker belongs to one list of one region', async () => {
  const client = kmsOf(simulator, { region: 'eu-north-1' })
  const { NextMarker: Marker } = await client.send(new ListKeysCommand({ Limit: 1 }))
  expect(await outcome(client.send(new ListAliasesCommand({ Marker })))).toBe('InvalidMarkerException')
  expect(await outcome(kms.send(new ListKeysCommand({ Marker })))).toBe('InvalidMarkerException')
})

test('a key is disabled, enabled, and described anew', async () => {
  const { KeyId } = await create()
  await kms.send(new DisableKeyCommand({ KeyId }))
  expect(await describe(KeyId)).toMatchObject({ KeyState: 'Disabled', Enabled: false })
  await kms.send(new EnableKeyCommand({ KeyId }))
  expect(await describe(KeyId)).toMatchObject({ KeyState: 'Enabled', Enabled: true })
  await kms.send(new UpdateKeyDescriptionCommand({ KeyId, Description: 'anew' }))
  expect(await describe(KeyId)).toMatchObject({ Description: 'anew' })
})

test('a key scheduled for deletion is deleted with its aliases by the clock, unless that is cancelled', async () => {
  const [going, staying] = [await create(), await create()]
  await kms.send(new CreateAliasCommand({ AliasName: 'alias/going', TargetKeyId: going.KeyId }))
  const scheduled = await kms.send(new ScheduleKeyDeletionCommand({ KeyId: going.KeyId, PendingWindowInDays: 7 }))
  await kms.send(new ScheduleKeyDeletionCommand({ KeyId: staying.KeyId }))
  expect(scheduled).toMatchObject({ KeyId: going.Arn, KeyState: 'PendingDeletion', PendingWindowInDays: 7 })
  const inDays = ((await describe(staying.KeyId))?.DeletionDate?.getTime() ?? 0) - clock.now().getTime()
  expect(Math.round(inDays / DAY_MS)).toBe(30)
  const cancelled = await kms.send(new CancelKeyDeletionCommand({ KeyId: staying.KeyId }))
  expect(cancelled.KeyId).toBe(staying.Arn)
  expect(await describe(staying.KeyId)).not.toHaveProperty('DeletionDate')
  expect(await stateOf(staying.KeyId)).toBe('Disabled')

  clock.advance(7 * DAY_MS - 60_000)
  expect(await stateOf('alias/going')).toBe('PendingDeletion')
  clock.advance(120_000)
  const { Keys } = await kms.send(new ListKeysCommand({ Limit: 1000 }))
  expect(Keys?.map(({ KeyId }) => KeyId)).not.toContain(going.KeyId)
  expect(await outcome(describe(going.KeyId))).toBe('NotFoundException')
  expect(await outcome(describe('alias/going'))).toBe('NotFoundException')
  expect(
    await outcome(kms.send(new CreateAliasCommand({ AliasName: 'alias/going', TargetKeyId: staying.KeyId }))),
  ).toBe('done')
  clock.set(new Date())
})

const CHANGES = {
  EnableKey: (client: KMSClient, KeyId: string) => client.send(new EnableKeyCommand({ KeyId })),
  DisableKey: (client: KMSClient, KeyId: string) => client.send(new DisableKeyCommand({ KeyId })),
  ScheduleKeyDeletion: (client: KMSClient, KeyId: string) => client.send(new ScheduleKeyDeletionCommand({ KeyId })),
  CancelKeyDeletion: (client: KMSClient, KeyId: string) => client.send(new CancelKeyDeletionCommand({ KeyId })),
  CreateAlias: (client: KMSClient, KeyId: string) =>
    client.send(new CreateAliasCommand({ AliasName: `alias/for-${KeyId}`, TargetKeyId: KeyId })),
  DescribeKey: (client: KMSClient, KeyId: string) => client.send(new DescribeKeyCommand({ KeyId })),
  GetKeyPolicy: (client: KMSClient, KeyId: string) => client.send(new GetKeyPolicyCommand({ KeyId })),
  PutKeyPolicy: (client: KMSClient, KeyId: string) => client.send(new PutKeyPolicyCommand({ KeyId, Policy: policy() })),
  TagResource: (client: KMSClient, KeyId: string) => client.send(new TagResourceCommand({ KeyId, Tags: [tag('x')] })),
  UntagResource: (client: KMSClient, KeyId: string) => client.send(new UntagResourceCommand({ KeyId, TagKeys: ['x'] })),
  ListResourceTags: (client: KMSClient, KeyId: string) => client.send(new ListResourceTagsCommand({ KeyId })),
  UpdateKeyDescription: (client: KMSClient, KeyId: string) =>
    client.send(new UpdateKeyDescriptionCommand({ KeyId, Description: 'x' })),
} as const

const INVALID = 'KMSInvalidStateException'

/** in the sections of the service's key state table: enabled, disabled, pending import, pending deletion */
test.each<[keyof typeof CHANGES, string, string, string, string]>([
  ['EnableKey', 'done', 'done', INVALID, INVALID],
  ['DisableKey', 'done', 'done', INVALID, INVALID],
  ['ScheduleKeyDeletion', 'done', 'done', 'done', INVALID],
  ['CancelKeyDeletion', INVALID, INVALID, INVALID, 'done'],
  ['CreateAlias', 'done', 'done', 'done', INVALID],
  ['DescribeKey', 'done', 'done', 'done', 'done'],
  ['GetKeyPolicy', 'done', 'done', 'done', 'done'],
  ['PutKeyPolicy', 'done', 'done', 'done', 'done'],
  ['TagResource', 'done', 'done', 'done', INVALID],
  ['UntagResource', 'done', 'done', 'done', INVALID],
  ['ListResourceTags', 'done', 'done', 'done', 'done'],
  ['UpdateKeyDescription', 'done', 'done', 'done', INVALID],
])('%s depends on the state of the key', async (name, ...expected) => {
  const states = ['Enabled', 'Disabled', 'PendingImport', 'PendingDeletion'] as const
  const region = 'us-west-2'
  const client = kmsOf(simulator, { region })
  const ids = simulator.seed({
    account: ACCOUNTS.first,
    region,
    count: states.length,
    describe: (n) => ({
      state: states[n] ?? 'Enabled',
      origin: states[n] === 'PendingImport' ? 'EXTERNAL' : 'AWS_KMS',
    }),
  })
  const found: string[] = []
  for (const id of ids) found.push(await outcome(CHANGES[name](client, id)))
  expect(found).toEqual(expected)
})

test('keys that the cloud manages itself are listed and read, and refuse every change', async () => {
  const region = 'us-east-2'
  const client = kmsOf(simulator, { region })
  const [id = ''] = simulator.seed({
    ...{ account: ACCOUNTS.first, region, count: 1 },
    describe: () => ({ manager: 'AWS', aliases: ['alias/aws/ebs'] }),
  })
  expect(await describe('alias/aws/ebs', client)).toMatchObject({ KeyId: id, KeyManager: 'AWS' })
  for (const name of ['DescribeKey', 'GetKeyPolicy', 'ListResourceTags'] as const) {
    expect(await outcome(CHANGES[name](client, id))).toBe('done')
  }
  for (const name of ['DisableKey', 'ScheduleKeyDeletion', 'PutKeyPolicy', 'TagResource', 'CreateAlias'] as const) {
    expect(await outcome(CHANGES[name](client, id))).toBe('AccessDeniedException')
  }
})

test('an alias refers to its key, moves to another one, and can be deleted', async () => {
  const [from, to] = [await create(), await create()]
  const AliasName = 'alias/moving'
  await kms.send(new CreateAliasCommand({ AliasName, TargetKeyId: from.KeyId }))
  expect((await describe(AliasName))?.KeyId).toBe(from.KeyId)
  expect((await describe(from.Arn.replace(/key\/.*/, AliasName)))?.KeyId).toBe(from.KeyId)
  const before = (await kms.send(new ListAliasesCommand({ KeyId: from.KeyId }))).Aliases?.[0]
  clock.advance(5000)
  await kms.send(new UpdateAliasCommand({ AliasName, TargetKeyId: to.Arn }))
  expect((await kms.send(new ListAliasesCommand({ KeyId: from.KeyId }))).Aliases).toEqual([])
  const [after] = (await kms.send(new ListAliasesCommand({ KeyId: to.Arn }))).Aliases ?? []
  expect(after).toMatchObject({
    AliasName,
    AliasArn: from.Arn.replace(/key\/.*/, AliasName),
    TargetKeyId: to.KeyId,
    CreationDate: before?.CreationDate,
  })
  expect(after?.LastUpdatedDate?.getTime()).toBeGreaterThanOrEqual((before?.LastUpdatedDate?.getTime() ?? 0) + 5000)
  await kms.send(new DeleteAliasCommand({ AliasName }))
  expect(await outcome(describe(AliasName))).toBe('NotFoundException')
})

test.each([
  ['a name that is taken', 'alias/taken', 'AlreadyExistsException'],
  ['a name without prefix', 'taken', 'InvalidAliasNameException'],
  ['a name with other characters', 'alias/a.b', 'InvalidAliasNameException'],
  ['no name after the prefix', 'alias/', 'InvalidAliasNameException'],
  ['a reserved name', 'alias/aws/mine', 'NotAuthorizedException'],
  ['a name of 257 characters', `alias/${'x'.repeat(251)}`, 'ValidationException'],
])('an alias with %s is refused', async (_what, AliasName, expected) => {
  const { KeyId: TargetKeyId } = await create()
  await outcome(kms.send(new CreateAliasCommand({ AliasName: 'alias/taken', TargetKeyId })))
  expect(await outcome(kms.send(new CreateAliasCommand({ AliasName, TargetKeyId })))).toBe(expected)
})

test('an alias refers to a key and moves only to one of the same kind', async () => {
  const { KeyId } = await create()
  const signing = await create({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' })
  const hmac = await create({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC' })
  const AliasName = 'alias/kind'
  await kms.send(new CreateAliasCommand({ AliasName, TargetKeyId: KeyId }))
  const move = (TargetKeyId: string, name = AliasName) =>
    outcome(kms.send(new UpdateAliasCommand({ AliasName: name, TargetKeyId })))
  expect(await move(signing.KeyId)).toBe('ValidationException')
  expect(await move(hmac.KeyId)).toBe('ValidationException')
  expect(await move(AliasName)).toBe('ValidationException')
  expect(await move('no-such-key')).toBe('NotFoundException')
  expect(await move(KeyId, 'alias/not-there')).toBe('NotFoundException')
  expect(await outcome(kms.send(new DeleteAliasCommand({ AliasName: 'alias/not-there' })))).toBe('NotFoundException')
  expect(await outcome(kms.send(new DisableKeyCommand({ KeyId: AliasName })))).toBe('NotFoundException')
})

test('a key has at most 50 aliases, which are listed 50 to a page', async () => {
  const region = 'eu-west-3'
  const client = kmsOf(simulator, { region })
  const aliases = Array.from({ length: 50 }, (_, n) => `alias/n${String(n).padStart(2, '0')}`)
  const [full = '', free = ''] = simulator.seed({
    ...{ account: ACCOUNTS.first, region, count: 2 },
    describe: (n) => (n === 0 ? { aliases } : { aliases: ['alias/z'] }),
  })
  const another = new CreateAliasCommand({ AliasName: 'alias/n50', TargetKeyId: full })
  expect(await outcome(client.send(another))).toBe('LimitExceededException')
  const first = await client.send(new ListAliasesCommand({}))
  expect(first.Aliases?.map(({ AliasName }) => AliasName)).toEqual(aliases)
  const rest = await client.send(new ListAliasesCommand({ Marker: first.NextMarker }))
  expect(rest).toMatchObject({ Truncated: false, Aliases: [{ AliasName: 'alias/z', TargetKeyId: free }] })
  expect(await outcome(client.send(new ListAliasesCommand({ Limit: 101 })))).toBe('ValidationException')
})

test('tags are added, changed, taken away and listed page by page', async () => {
  const { KeyId } = await create({ Tags: [tag('a', '1'), tag('b', '2')] })
  await kms.send(new TagResourceCommand({ KeyId, Tags: [tag('b', '3'), tag('c')] }))
  await kms.send(new UntagResourceCommand({ KeyId, TagKeys: ['a', 'not there'] }))
  const first = await kms.send(new ListResourceTagsCommand({ KeyId, Limit: 1 }))
  expect(first).toMatchObject({ Tags: [tag('b', '3')], Truncated: true })
  const rest = await kms.send(new ListResourceTagsCommand({ KeyId, Marker: first.NextMarker }))
  expect(rest).toMatchObject({ Tags: [tag('c')], Truncated: false })
})

test.each<[string, Tag, string]>([
  ['a reserved name', tag('aws:x'), 'TagException'],
  ['a character that is not allowed', tag('a*'), 'TagException'],
  ['a name of 129 characters', tag('x'.repeat(129)), 'ValidationException'],
  ['no name', tag(''), 'ValidationException'],
  ['a value of 257 characters', tag('a', 'x'.repeat(257)), 'ValidationException'],
])('a tag with %s is refused', async (_what, wrong, expected) => {
  const { KeyId } = await create()
  expect(await outcome(kms.send(new TagResourceCommand({ KeyId, Tags: [wrong] })))).toBe(expected)
})

test('a key has at most 50 tags', async () => {
  const { KeyId } = await create({ Tags: Array.from({ length: 50 }, (_, n) => tag(`t${n}`)) })
  expect(await outcome(kms.send(new TagResourceCommand({ KeyId, Tags: [tag('t0', 'changed')] })))).toBe('done')
  expect(await outcome(kms.send(new TagResourceCommand({ KeyId, Tags: [tag('t50')] })))).toBe('LimitExceededException')
})

const root = (account: string = ACCOUNTS.first) => `arn:aws:iam::${account}:root`

/** A policy that allows the account everything, with additional statements. */
function policy(...more: object[]): string {
  const all = { Effect: 'Allow', Principal: { AWS: root() }, Action: 'kms:*', Resource: '*' }
  return JSON.stringify({ Version: '2012-10-17', Statement: [all, ...more] })
}

test('a key with the default policy permits everything to its account', async () => {
  const { KeyId } = await create()
  const answer = await kms.send(new GetKeyPolicyCommand({ KeyId, PolicyName: 'default' }))
  expect(answer.PolicyName).toBe('default')
  expect(JSON.parse(answer.Policy ?? '')).toMatchObject({
    Statement: [{ Effect: 'Allow', Principal: { AWS: root() }, Action: 'kms:*', Resource: '*' }],
  })
  expect((await kms.send(new ListKeyPoliciesCommand({ KeyId }))).PolicyNames).toEqual(['default'])
  expect(await outcome(kms.send(new GetKeyPolicyCommand({ KeyId, PolicyName: 'other' })))).toBe('NotFoundException')
})

test('a policy without permissions for its caller refuses everything without an explicit denial', async () => {
  const allowed = ['kms:DescribeKey', 'kms:PutKeyPolicy']
  const Principal = { AWS: user('keymgr-admin') }
  const Statement = [{ Effect: 'Allow', Principal, Action: allowed, Resource: '*' }]
  const { KeyId } = await create({ Policy: JSON.stringify({ Version: '2012-10-17', Statement }) })
  expect((await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata?.KeyId).toBe(KeyId)
  expect(await outcome(kms.send(new GetKeyPolicyCommand({ KeyId })))).toBe('AccessDeniedException')
  const nobody = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ ...Statement[0], Principal: { AWS: user('alice') } }],
  })
  await kms.send(new PutKeyPolicyCommand({ KeyId, Policy: nobody, BypassPolicyLockoutSafetyCheck: true }))
  expect(await outcome(kms.send(new DescribeKeyCommand({ KeyId })))).toBe('AccessDeniedException')
})

test('a policy is returned as the same JSON, printed by the cloud', async () => {
  const given = policy({ Sid: 'readers', Effect: 'Allow', Principal: '*', Action: ['kms:DescribeKey'], Resource: '*' })
  const { KeyId } = await create({ Policy: given })
  const { Policy = '' } = await kms.send(new GetKeyPolicyCommand({ KeyId }))
  expect(JSON.parse(Policy)).toEqual(JSON.parse(given))
  expect(Policy).not.toBe(given)
  await kms.send(new PutKeyPolicyCommand({ KeyId, PolicyName: 'default', Policy: policy() }))
  const after = await kms.send(new GetKeyPolicyCommand({ KeyId }))
  expect(JSON.parse(after.Policy ?? '')).toEqual(JSON.parse(policy()))
})

const allow = (AWS: unknown, more: object = {}) => ({
  Statement: [{ Effect: 'Allow', Principal: { AWS }, Action: 'kms:*', Resource: '*', ...more }],
})
const user = (name: string) => `arn:aws:iam::${ACCOUNTS.first}:user/${name}`

test.each<[string, string | object, string]>([
  ['to the account by number', allow(ACCOUNTS.first), 'done'],
  ['to the calling user', allow([user('alice'), user('keymgr-admin')]), 'done'],
  ['to everybody', allow('*', { Action: ['kms:PutKeyPolicy'] }), 'done'],
  ['on condition of the account', allow('*', sameAccount(ACCOUNTS.first)), 'done'],
  ['to another user only', allow(user('alice')), 'MalformedPolicyDocumentException'],
  ['to another account only', allow(root(ACCOUNTS.second)), 'MalformedPolicyDocumentException'],
  ['on condition of another account', allow('*', sameAccount(ACCOUNTS.second)), 'MalformedPolicyDocumentException'],
  ['for other actions only', allow(root(), { Action: 'kms:Get*' }), 'MalformedPolicyDocumentException'],
  ['to a user that is not there', allow([root(), user('carol')]), 'MalformedPolicyDocumentException'],
  ['to no ARN at all', allow([root(), 'alice']), 'MalformedPolicyDocumentException'],
  ['in another partition', allow(`arn:aws-cn:iam::${ACCOUNTS.cn}:root`), 'MalformedPolicyDocumentException'],
  ['and nothing', { Statement: [] }, 'MalformedPolicyDocumentException'],
  ['without principal', { Statement: [{ Effect: 'Allow', Action: '*' }] }, 'MalformedPolicyDocumentException'],
  ['in another version', { Version: '2020-01-01', ...allow(root()) }, 'MalformedPolicyDocumentException'],
  ['that is an array', '[]', 'MalformedPolicyDocumentException'],
  ['of 33 kB', { ...allow(root()), Id: 'x'.repeat(33_000) }, 'LimitExceededException'],
])('a policy that allows %s', async (_what, content, expected) => {
  const { KeyId } = await create()
  const Policy = typeof content === 'string' ? content : JSON.stringify(content)
  expect(await outcome(kms.send(new PutKeyPolicyCommand({ KeyId, Policy })))).toBe(expected)
})

function sameAccount(account: string) {
  return { Condition: { StringEquals: { 'kms:CallerAccount': account } } }
}

test('a caller may lock itself out with an explicit flag', async () => {
  const { KeyId } = await create()
  const Policy = JSON.stringify(allow(user('alice')))
  const bypass = new PutKeyPolicyCommand({ KeyId, Policy, BypassPolicyLockoutSafetyCheck: true })
  expect(await outcome(kms.send(bypass))).toBe('done')
})

test('a denial of the policy applies by action and by principal', async () => {
  const deny = (Principal: unknown, Action: unknown) => ({ Effect: 'Deny', Principal, Action, Resource: '*' })
  const { KeyId } = await create({ Policy: policy(deny('*', ['kms:Enable*', 'kms:Tag?esource'])) })
  const send = (name: keyof typeof CHANGES) => outcome(CHANGES[name](kms, KeyId))
  expect(await send('EnableKey')).toBe('AccessDeniedException')
  expect(await send('TagResource')).toBe('AccessDeniedException')
  expect(await send('UntagResource')).toBe('done')
  await kms.send(new PutKeyPolicyCommand({ KeyId, Policy: policy(deny({ AWS: user('alice') }, 'kms:*')) }))
  expect(await send('EnableKey')).toBe('done')
})
