import { randomBytes } from 'node:crypto'
import { ListRegionsCommand } from '@aws-sdk/client-account'
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs'
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GetKeyLastUsageCommand,
  GetParametersForImportCommand,
  GetPublicKeyCommand,
  KMSClient,
  ListAliasesCommand,
  ListKeysCommand,
  ListResourceTagsCommand,
} from '@aws-sdk/client-kms'
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../../../infra/local/clock.ts'
import { startCloudA } from '../../../../infra/simulators/cloud-a/simulator.ts'
import type { CloudASimulator, CloudFault, SimulatedCall } from '../../../../infra/simulators/cloud-a/simulator.ts'
import { expectNoHang } from '../../../support/hang.ts'
import { ACCOUNTS, accountOf, kmsOf, logsOf, outcome, regionsOf, stsOf } from './clients.ts'
import { createExternal, importMaterial } from './keys/imported.ts'

const account = ACCOUNTS.first
const clock = createClock()
let simulator: CloudASimulator
let kms: KMSClient

beforeAll(async () => {
  simulator = await startCloudA({ clock })
  kms = kmsOf(simulator)
})
afterEach(() => {
  simulator.reset()
  simulator.setRates('off')
  simulator.setDelays({ hidden: 0 })
  clock.set(new Date())
})
afterAll(() => simulator.stop())

const create = async (client = kms) => (await client.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId ?? ''
const list = (client = kms) => outcome(client.send(new ListKeysCommand({})))
const held = () => simulator.keysIn(account, 'us-east-1').length

test('it listens on loopback only', () => {
  expect(simulator.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
})

test.each([
  ['throttle', 'ThrottlingException', 'TooManyRequestsException', 'Throttling', 'ThrottlingException'],
  ['server-error', 'KMSInternalException', 'InternalServerException', 'InternalFailure', 'ServiceUnavailableException'],
  ['access-denied', 'AccessDeniedException', 'AccessDeniedException', 'AccessDenied', 'AccessDeniedException'],
  ['expired-credentials', 'ExpiredTokenException', 'ExpiredTokenException', 'ExpiredToken', 'ExpiredTokenException'],
] as const)('the fault %s is refused as each service spells it', async (fault, inKms, inAccount, inSts, inLogs) => {
  simulator.inject({ fault })
  expect(await list()).toBe(inKms)
  expect(await outcome(regionsOf(simulator).send(new ListRegionsCommand({})))).toBe(inAccount)
  expect(await outcome(stsOf(simulator).send(new GetCallerIdentityCommand({})))).toBe(inSts)
  expect(await outcome(logsOf(simulator).send(new DescribeLogGroupsCommand({})))).toBe(inLogs)
})

test('throttling is status 400, as the real service has it', async () => {
  simulator.inject({ fault: 'throttle' })
  await expect(kms.send(new ListKeysCommand({}))).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } })
})

test('a fault strikes the calls it names by number, at most so often, until it is taken away', async () => {
  const remove = simulator.inject({ fault: 'throttle', operation: 'ListKeys', calls: [2, 3, 5], times: 2 })
  const found: string[] = []
  for (let n = 0; n < 5; n++) found.push(await list())
  expect(found).toEqual(['done', 'ThrottlingException', 'ThrottlingException', 'done', 'done'])
  remove()
  simulator.inject({ fault: 'throttle' })
  simulator.reset()
  expect(await list()).toBe('done')
})

test.each<[string, Partial<CloudFault>, string]>([
  ['another service', { service: 'sts' }, 'done'],
  ['another operation', { operation: 'ListAliases' }, 'done'],
  ['another account', { account: ACCOUNTS.second }, 'done'],
  ['another region', { region: 'eu-west-1' }, 'done'],
  ['another input', { when: ({ Limit }) => Limit === 5 }, 'done'],
  ['this service', { service: 'kms' }, 'ThrottlingException'],
  ['this account', { account }, 'ThrottlingException'],
  ['this region', { region: 'us-east-1' }, 'ThrottlingException'],
  ['this input', { when: ({ Limit }) => Limit === undefined }, 'ThrottlingException'],
])('a fault for %s affects no other operation', async (_what, place, expected) => {
  simulator.inject({ ...place, fault: 'throttle' })
  expect(await list()).toBe(expected)
})

test.each<[CloudFault['fault'], number]>([
  ['cut-before', 0],
  ['cut-after', 1],
  ['bad-json', 1],
  ['server-error', 0],
])('after the fault %s, %i more keys exist', async (fault, more) => {
  const before = held()
  simulator.inject({ fault, operation: 'CreateKey' } as CloudFault)
  expect(await outcome(create())).not.toBe('done')
  expect(held() - before).toBe(more)
})

test('the official client survives a temporary fault', async () => {
  const patient = new KMSClient({
    ...{ endpoint: simulator.endpoint, region: 'us-east-1' },
    credentials: accountOf(simulator, account).credentials,
  })
  simulator.inject({ fault: 'cut-before', times: 1 })
  expect(await list(patient)).toBe('done')
  expect(simulator.counts()).toEqual({ ListKeys: 2 })
})

test('a call that hangs gets no answer', async () => {
  simulator.inject({ fault: 'hang' })
  const signal = AbortSignal.timeout(100)
  const sent = kms.send(new CreateKeyCommand({}), { abortSignal: signal })
  expect(await outcome(sent)).toBe('AbortError')
})

test('a delayed call is answered later', async () => {
  simulator.inject({ fault: 'delay', delayMs: 60 })
  const before = performance.now()
  expect(await list()).toBe('done')
  expect(performance.now() - before).toBeGreaterThanOrEqual(59)
})

test('an empty page contains a token for the next one, and nothing is lost', async () => {
  const region = 'eu-west-2'
  const client = kmsOf(simulator, { region })
  const ids = simulator.seed({ account, region, count: 3 })
  simulator.inject({ fault: 'empty-page', operation: 'ListKeys', calls: [1, 3] })
  const pages: number[] = []
  const all: string[] = []
  let Marker: string | undefined
  do {
    const page = await client.send(new ListKeysCommand({ Limit: 2, Marker }))
    pages.push(page.Keys?.length ?? -1)
    all.push(...(page.Keys ?? []).map(({ KeyId = '' }) => KeyId))
    Marker = page.NextMarker
  } while (Marker !== undefined)
  expect(pages).toEqual([0, 2, 0, 1])
  expect(all).toEqual([...ids].sort())
})

test('an observer runs after the effect and before the answer', async () => {
  const seen: [SimulatedCall, number][] = []
  const before = held()
  simulator.inject({ fault: 'observe', operation: 'CreateKey', after: (call) => void seen.push([call, held()]) })
  await create()
  await list()
  expect(seen).toEqual([[expect.objectContaining({ operation: 'CreateKey', account }), before + 1]])
})

test('the request log has every call, refused ones too, and no key material', async () => {
  const material = randomBytes(32)
  const KeyId = await createExternal(kms)
  await importMaterial(kms, KeyId, material)
  await outcome(kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('plain text') })))
  await outcome(kms.send(new DescribeKeyCommand({ KeyId: 'alias/nowhere' })))
  const credentials = { accessKeyId: 'AKIASIMA000000000000', secretAccessKey: 'x' }
  await outcome(kmsOf(simulator, { credentials }).send(new ListAliasesCommand({})))
  const calls = simulator.calls()
  expect(calls.map(({ operation, refused }) => [operation, refused])).toEqual([
    ['CreateKey', undefined],
    ['GetParametersForImport', undefined],
    ['ImportKeyMaterial', undefined],
    ['Encrypt', undefined],
    ['DescribeKey', 'NotFoundException'],
    ['ListAliases', 'UnrecognizedClientException'],
  ])
  expect(calls[0]).toEqual({
    service: 'kms',
    operation: 'CreateKey',
    region: 'us-east-1',
    account,
    principal: `arn:aws:iam::${account}:user/keymgr-admin`,
    input: { Origin: 'EXTERNAL' },
  })
  expect(calls[2]?.input).toMatchObject({ KeyId, ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE' })
  expect(calls[2]?.input).not.toHaveProperty('EncryptedKeyMaterial')
  expect(calls[3]?.input).toEqual({ KeyId })
  expect(calls[5]).toMatchObject({ account: undefined, principal: undefined })
  expect(simulator.counts()).toMatchObject({ CreateKey: 1, ListAliases: 1 })
  simulator.reset()
  expect([simulator.calls(), simulator.counts()]).toEqual([[], {}])
})

test('an operation that is not simulated is refused and noted', async () => {
  expect(await outcome(kms.send(new GetKeyLastUsageCommand({ KeyId: 'any' })))).toBe('UnknownOperationException')
  expect(simulator.calls()).toMatchObject([{ service: 'kms', refused: 'UnknownOperationException' }])
})

test.each([
  ['a body that is no JSON', 'TrentService.ListKeys', '{', 'SerializationException'],
  ['a body that is no object', 'TrentService.ListKeys', '[]', 'SerializationException'],
  ['a service that is not there', 'Nowhere.ListKeys', '{}', 'UnknownOperationException'],
  ['an operation of all objects', 'TrentService.constructor', '{}', 'UnknownOperationException'],
])('%s is refused', async (_what, target, body, expected) => {
  const answer = await fetch(simulator.endpoint, { method: 'POST', headers: { 'x-amz-target': target }, body })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ __type: expected })
})

test('a rate applies to one operation, account and region, and time restores calls', async () => {
  simulator.setRates({ ListKeys: 0.01 }) // one call in a hundred seconds
  const two = async () => [await list(), await list()]
  expect(await two()).toEqual(['done', 'ThrottlingException'])
  expect(await list(kmsOf(simulator, { region: 'eu-west-1' }))).toBe('done')
  expect(await list(kmsOf(simulator, { account: ACCOUNTS.second }))).toBe('done')
  expect(await outcome(kms.send(new ListAliasesCommand({})))).toBe('done')
  clock.advance(100_000)
  expect(await two()).toEqual(['done', 'ThrottlingException'])
  simulator.setRates('off')
  expect(await two()).toEqual(['done', 'done'])
})

test('the real rates allow import parameters once in four seconds', async () => {
  simulator.setRates('real')
  const get = new GetParametersForImportCommand({
    ...{ KeyId: 'not-there', WrappingAlgorithm: 'RSAES_OAEP_SHA_256', WrappingKeySpec: 'RSA_2048' },
  })
  expect(await outcome(kms.send(get))).toBe('NotFoundException')
  expect(await outcome(kms.send(get))).toBe('ThrottlingException')
})

test('a new key is hidden for as many reads as asked', async () => {
  simulator.setDelays({ hidden: 2 })
  const KeyId = await create()
  const alias = () => outcome(kms.send(new CreateAliasCommand({ AliasName: 'alias/hidden', TargetKeyId: KeyId })))
  expect(await alias()).toBe('NotFoundException')
  const { Keys } = await kms.send(new ListKeysCommand({ Limit: 1000 }))
  expect(Keys?.map((key) => key.KeyId)).not.toContain(KeyId)
  expect(await outcome(kms.send(new DescribeKeyCommand({ KeyId })))).toBe('NotFoundException')
  expect(await alias()).toBe('done')
})

test('seeded keys are as described, have the same ids each time, and material that works', async () => {
  const place = { account, region: 'eu-west-3' }
  const client = kmsOf(simulator, place)
  const ids = simulator.seed({
    ...{ ...place, count: 3 },
    describe: (n) => ({
      description: `key ${n}`,
      tags: { n: String(n) },
      aliases: [`alias/seeded-${n}`],
      ...(n === 1 && { spec: 'ECC_NIST_P256', usage: 'SIGN_VERIFY', state: 'Disabled' }),
      ...(n === 2 && { state: 'PendingImport', origin: 'EXTERNAL', createdAt: new Date('2025-01-01T00:00:00Z') }),
    }),
  })
  expect(simulator.seed({ ...place, count: 0 })).toEqual([])
  const twin = await startCloudA({ clock })
  expect(twin.seed({ ...place, count: 3 })).toEqual(ids)
  await twin.stop()
  expect(ids.map((id) => simulator.keyOf(account, place.region, id)?.state)).toEqual([
    'Enabled',
    'Disabled',
    'PendingImport',
  ])
  const [first = '', second = '', third = ''] = ids
  expect(await outcome(client.send(new EncryptCommand({ KeyId: first, Plaintext: Buffer.from('x') })))).toBe('done')
  simulator.alter(account, place.region, second, { enabled: true })
  expect(await outcome(client.send(new GetPublicKeyCommand({ KeyId: 'alias/seeded-1' })))).toBe('done')
  const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: third }))
  expect(KeyMetadata).toMatchObject({ Description: 'key 2', CreationDate: new Date('2025-01-01T00:00:00Z') })
  const { Tags } = await client.send(new ListResourceTagsCommand({ KeyId: second }))
  expect(Tags).toEqual([{ TagKey: 'n', TagValue: '1' }])
})

test('100,000 seeded keys cost little to create, and a page of them costs no more than any page', async () => {
  const region = 'ap-south-1'
  const client = kmsOf(simulator, { region })
  const before = performance.now()
  const ids = simulator.seed({ account, region, count: 100_000, describe: (n) => ({ aliases: [`alias/a${n}`] }) })
  expectNoHang(before)
  expect(new Set(ids).size).toBe(100_000)
  const sorted = [...ids].sort()
  const first = await client.send(new ListKeysCommand({ Limit: 1000 }))
  const second = await client.send(new ListKeysCommand({ Limit: 1000, Marker: first.NextMarker }))
  const found = [...(first.Keys ?? []), ...(second.Keys ?? [])].map(({ KeyId }) => KeyId)
  expect(found).toEqual(sorted.slice(0, 2000))
})

test('a change without a request is seen by every caller', async () => {
  const region = 'us-west-1'
  const client = kmsOf(simulator, { region })
  const [one = '', two = ''] = simulator.seed({
    ...{ account, region, count: 2 },
    describe: (n) => ({ aliases: [`alias/of-${n}`], origin: 'EXTERNAL' }),
  })
  simulator.alter(account, region, one, {
    ...{ description: 'changed', tags: { by: 'hand' }, aliases: ['alias/of-1', 'alias/new'], deletionInDays: 7 },
  })
  expect(simulator.keyOf(account, region, one)).toMatchObject({
    state: 'PendingDeletion',
    description: 'changed',
    tags: { by: 'hand' },
    aliases: ['alias/new', 'alias/of-1'],
  })
  expect(simulator.keyOf(account, region, two)).toMatchObject({ aliases: [] })
  const { Aliases } = await client.send(new ListAliasesCommand({}))
  expect(Aliases?.map(({ AliasName, TargetKeyId }) => [AliasName, TargetKeyId])).toEqual([
    ['alias/new', one],
    ['alias/of-1', one],
  ])
  simulator.alter(account, region, one, { deletionInDays: 'cancelled' })
  expect(simulator.keyOf(account, region, one)).toMatchObject({ state: 'Disabled', deletionAt: undefined })
  simulator.alter(account, region, two, { withoutMaterial: true })
  expect(simulator.keyOf(account, region, two)).toMatchObject({ state: 'PendingImport' })
  expect(await simulator.materialOf(account, region, two)).toBeUndefined()
  simulator.forget(account, region, one)
  expect(await outcome(client.send(new DescribeKeyCommand({ KeyId: 'alias/new' })))).toBe('NotFoundException')
  expect(simulator.keysIn(account, region).map(({ id }) => id)).toEqual([two])
  expect(() => simulator.forget(account, region, one)).toThrow('There is no key')
})

test('a stopped simulator ends hanging calls', async () => {
  const other = await startCloudA({ clock })
  other.inject({ fault: 'hang' })
  const sent = list(kmsOf(other))
  while (other.calls().length === 0) await new Promise((resolve) => setImmediate(resolve))
  await other.stop()
  expect(await sent).not.toBe('done')
})
