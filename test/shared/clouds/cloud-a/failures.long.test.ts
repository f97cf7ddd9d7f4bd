import { afterEach, expect, test, vi } from 'vitest'
import type { CloudFault } from '../../../../infra/simulators/cloud-a/simulator.ts'
import { mayHaveTakenEffect, refusalFrom } from '../../../../shared/clouds/cloud-a/adapter/errors.ts'
import type { CloudAKeySpec } from '../../../../shared/clouds/cloud-a/adapter/types.ts'
import { cloudA } from '../../../../shared/clouds/cloud-a/adapter/verbs.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { Refusal } from '../../../../shared/base/errors.ts'
import { KEY_TAG } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import { expectNoHang } from '../../../support/hang.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newAlias, REGION, useCloudA } from './simulated.ts'

const own = useCloudA()
const { place } = own
const ACCOUNT = '111122223333'

afterEach(() => {
  own.cloud.reset()
  own.cloud.setDelays({ hidden: 0 })
})

const spec = (more: Partial<CloudAKeySpec> = {}): CloudAKeySpec => ({
  spec: 'SYMMETRIC_DEFAULT',
  usage: 'ENCRYPT_DECRYPT',
  tags: [],
  ...more,
})
const create = (more?: Partial<CloudAKeySpec>, book = new Book()) => cloudA.create(place(), spec(more), book.open())
const aes = (): KeyMaterial => ({
  objectType: 'Symmetric Key',
  algorithm: 'aes',
  sizeBits: 256,
  bytes: SecretBytes.random(32),
})
const count = (operation: string) => own.cloud.counts()[operation] ?? 0
const countIn = (region: string, operation: string) =>
  own.cloud.calls().filter((call) => call.region === region && call.operation === operation).length
const marked = ({ id }: Book, region = REGION) =>
  own.cloud
    .keysIn(ACCOUNT, region)
    .filter(({ tags }) => tags[KEY_TAG] === id)
    .map((key) => key.id)

/** each in a separate region and all at once, because retries take time */
test('a call that is throttled, interrupted or answered with a server error is repeated', async () => {
  const cases = [
    ['eu-west-1', 'throttle', 1],
    ['eu-west-2', 'server-error', 2],
    ['eu-west-3', 'cut-before', 2],
  ] as const
  const outcomes = cases.map(async ([region, fault, times]) => {
    own.cloud.inject({ operation: 'ListKeys', region, fault, times })
    const { refs } = await cloudA.refs(place({ region, patience: 'job' }), undefined)
    expect(refs).toEqual(own.cloud.keysIn(ACCOUNT, region).map(({ id }) => id))
    return [region, fault, countIn(region, 'ListKeys') - 1]
  })
  expect(await Promise.all(outcomes)).toEqual(cases)
})

test.each([
  [
    'server-error',
    'CLOUD_UNAVAILABLE',
    /^Cloud-a refused: \w+: The request was rejected because of an internal error/,
    5,
  ],
  ['cut-before', 'CLOUD_UNAVAILABLE', /^Cloud-a cannot be reached: ECONNRESET\.$/, 5],
  ['bad-json', 'CLOUD_UNAVAILABLE', /^Cloud-a answered what cannot be read\.$/, 1],
  ['access-denied', 'CLOUD_DENIED', /^Cloud-a refused: AccessDeniedException: /, 1],
] as const)('%s that does not pass is %s', async (fault, reason, message, calls) => {
  own.cloud.inject({ operation: 'ListKeys', fault })
  const refused = await refusalOf(cloudA.refs(place(), undefined))
  expect(refused.reason).toBe(reason)
  expect(refused.message).toMatch(message)
  expect(refused.cause).toBeInstanceOf(Error)
  expect(count('ListKeys')).toBe(calls)
})

test('a cloud that hangs is left when the time is up', async () => {
  own.cloud.inject({ operation: 'ListKeys', fault: 'hang' })
  const begun = performance.now()
  const refused = await refusalOf(cloudA.refs(place({ budget: AbortSignal.timeout(200) }), undefined))
  expectNoHang(begun)
  expect([refused.reason, refused.message]).toEqual(['CLOUD_TIMEOUT', 'Cloud-a did not answer in time.'])
  expect(mayHaveTakenEffect(refused)).toBe(true)
})

test('a token service that hangs is left when the time is up, too', async () => {
  own.cloud.inject({ operation: 'AssumeRole', fault: 'hang' })
  const role = { arn: 'arn:aws:iam::111122223333:role/keymgr-operator' }
  const late = place({ role, budget: AbortSignal.timeout(200) })
  expect((await refusalOf(cloudA.refs(late, undefined))).reason).toBe('CLOUD_TIMEOUT')
})

test('waiting out a throttle ends when the time is up', async () => {
  own.cloud.inject({ operation: 'ListKeys', fault: 'throttle' })
  const begun = performance.now()
  const refused = await refusalOf(cloudA.refs(place({ budget: AbortSignal.timeout(300) }), undefined))
  expectNoHang(begun)
  expect(refused.reason).toMatch(/^CLOUD_(TIMEOUT|THROTTLED)$/)
})

test('an address without a server is unavailable, and the call certainly had no effect', async () => {
  vi.stubEnv('CLOUD_A_KMS_ENDPOINT', 'http://127.0.0.1:9')
  try {
    const refused = await refusalOf(cloudA.refs(place(), undefined))
    expect([refused.reason, refused.message]).toEqual(['CLOUD_UNAVAILABLE', 'Cloud-a cannot be reached: ECONNREFUSED.'])
    expect(mayHaveTakenEffect(refused)).toBe(false)
  } finally {
    vi.stubEnv('CLOUD_A_KMS_ENDPOINT', undefined)
  }
})

test('an exceeded quota is refused at once, and not treated as throttling', async () => {
  const { ref, param } = await create()
  const text = JSON.stringify({ ...param.Policy, Id: 'x'.repeat(33_000) })
  const refused = await refusalOf(cloudA.setPolicy(place(), ref, text, false))
  expect(refused.reason).toBe('CLOUD_CONFLICT')
  expect(refused.message).toMatch(/^Cloud-a refused: LimitExceededException: /)
  expect(count('PutKeyPolicy')).toBe(1)
})

test('an invalid state of a key is a conflict, an unsupported property is invalid', async () => {
  const { ref } = await create({ empty: true })
  expect((await refusalOf(cloudA.enable(place(), ref))).reason).toBe('CLOUD_CONFLICT')
  expect((await refusalOf(cloudA.setOwnRotation(place(), ref, 365))).reason).toBe('CLOUD_INVALID')
  const tag = { name: 'aws:mine', value: 'x' }
  expect((await refusalOf(cloudA.addTags(place(), ref, [tag]))).reason).toBe('CLOUD_INVALID')
  expect((await refusalOf(cloudA.scheduleDeletion(place(), ref, 3))).reason).toBe('CLOUD_INVALID')
})

test('a failed creation leaves exactly one key, and is repeated only if it had no effect', async () => {
  const cases = [
    ['eu-west-1', 'cut-after', 1],
    ['eu-west-2', 'bad-json', 1],
    ['eu-west-3', 'cut-before', 2],
    ['eu-north-1', 'server-error', 2],
    ['us-east-2', 'throttle', 2],
  ] as const
  const outcomes = cases.map(async ([region, fault]) => {
    const book = new Book(own.cloud.keysIn(ACCOUNT, region).map(({ id }) => id))
    const alias = newAlias()
    own.cloud.inject({ operation: 'CreateKey', region, fault, times: 1 })
    const made = await cloudA.create(place({ region }), spec({ alias }), book.open())
    expect(made.param.Alias).toEqual([alias])
    expect(marked(book, region)).toEqual([made.ref])
    return [region, fault, countIn(region, 'CreateKey')]
  })
  expect(await Promise.all(outcomes)).toEqual(cases)
})

test('a creation without an answer is not repeated, and a later run finds its key', async () => {
  const book = new Book(own.cloud.keysIn(ACCOUNT, REGION).map(({ id }) => id))
  const delay: CloudFault = { operation: 'CreateKey', fault: 'observe', after: () => new Promise(() => undefined) }
  const takeAway = own.cloud.inject(delay)
  const late = place({ budget: AbortSignal.timeout(300) })
  expect((await refusalOf(cloudA.create(late, spec(), book.open()))).reason).toBe('CLOUD_TIMEOUT')
  takeAway()
  const made = await cloudA.create(place(), spec(), book.open())
  expect(marked(book)).toEqual([made.ref])
  expect(count('CreateKey')).toBe(1)
})

test('a search for a lost key reads only keys without a record', async () => {
  const region = 'sa-east-1'
  const known = own.cloud.seed({ account: ACCOUNT, region, count: 1_200 })
  const book = new Book(known.slice(2))
  own.cloud.inject({ operation: 'CreateKey', fault: 'cut-after', times: 1 })
  const { ref } = await cloudA.create(place({ region }), spec(), book.open())
  expect(own.cloud.keyOf(ACCOUNT, region, ref)?.tags).toEqual({ [KEY_TAG]: book.id })
  expect(count('ListResourceTags')).toBeLessThanOrEqual(4) // three without a record, and the read of the new one
})

test('a new key that is not known everywhere yet is waited for', async () => {
  own.cloud.setDelays({ hidden: 2 })
  const alias = newAlias()
  const { param } = await cloudA.upload(place(), spec({ alias }), aes(), new Book().open())
  expect(param).toMatchObject({ KeyState: 'Enabled', Alias: [alias] })
})

test('the wait for a key that never becomes visible ends with the time budget', async () => {
  own.cloud.setDelays({ hidden: 1_000 })
  const refused = await refusalOf(cloudA.create(place({ budget: AbortSignal.timeout(500) }), spec(), new Book().open()))
  expect(refused.reason).toBe('CLOUD_TIMEOUT')
})

/** Changes that the SDK repeats when their answer is lost, although they took effect. */
const CHANGES: readonly [operation: string, change: (ref: string, alias: string) => Promise<void>][] = [
  ['CreateAlias', (ref, alias) => cloudA.addAlias(place(), ref, alias)],
  ['ScheduleKeyDeletion', (ref) => cloudA.scheduleDeletion(place(), ref, 7)],
  ['TagResource', (ref) => cloudA.addTags(place(), ref, [{ name: 'a', value: 'b' }])],
  ['PutKeyPolicy', (ref) => cloudA.retire(place(), ref)],
  ['RotateKeyOnDemand', (ref) => cloudA.rotateNow(place(), ref)],
  ['ReplicateKey', (ref) => cloudA.replicate(place(), ref, 'eu-west-2', { tags: [] })],
]

test.each(CHANGES)('%s is done although its answer was lost', async (operation, change) => {
  const { ref } = await create({ multiRegion: true })
  own.cloud.inject({ operation, fault: 'cut-after', times: 1 })
  await expect(change(ref, newAlias())).resolves.toBeUndefined()
  expect(count(operation)).toBe(operation === 'RotateKeyOnDemand' ? 1 : 2)
})

test('a deletion that was cancelled without our hearing of it is cancelled', async () => {
  const { ref } = await create()
  await cloudA.scheduleDeletion(place(), ref, 7)
  own.cloud.inject({ operation: 'CancelKeyDeletion', fault: 'cut-after', times: 1 })
  await expect(cloudA.cancelDeletion(place(), ref)).resolves.toBeUndefined()
  expect(own.cloud.keyOf(ACCOUNT, REGION, ref)?.state).toBe('Disabled')
})

/** An error as thrown by the SDK. */
const thrown = (name: string, message = '', status?: number): Error =>
  Object.assign(new Error(message), { name, ...(status !== undefined && { $metadata: { httpStatusCode: status } }) })
const open = new AbortController().signal

test.each([
  ['CLOUD_NOT_FOUND', 'NotFoundException', 400],
  ['CLOUD_NOT_FOUND', 'NoSuchEntity', 404],
  ['CLOUD_CONFLICT', 'AlreadyExistsException', 400],
  ['CLOUD_CONFLICT', 'KMSInvalidStateException', 400],
  ['CLOUD_CONFLICT', 'DisabledException', 400],
  ['CLOUD_CONFLICT', 'LimitExceededException', 400],
  ['CLOUD_DENIED', 'UnrecognizedClientException', 400],
  ['CLOUD_DENIED', 'SignatureDoesNotMatch', 403],
  ['CLOUD_DENIED', 'SomethingForbidden', 403],
  ['CLOUD_THROTTLED', 'ThrottlingException', 400],
  ['CLOUD_THROTTLED', 'Throttling', 400],
  ['CLOUD_THROTTLED', 'SomethingElse', 429],
  ['CLOUD_UNAVAILABLE', 'KMSInternalException', 500],
  ['CLOUD_UNAVAILABLE', 'DependencyTimeoutException', 500],
  ['CLOUD_UNAVAILABLE', 'ServiceUnavailable', 503],
  ['CLOUD_TIMEOUT', 'TimeoutError', undefined],
  ['CLOUD_TIMEOUT', 'AbortError', undefined],
  ['CLOUD_INVALID', 'MalformedPolicyDocumentException', 400],
  ['CLOUD_INVALID', 'InvalidAliasNameException', 400],
  ['CLOUD_INVALID', 'TagException', 400],
  ['CLOUD_INVALID', 'UnsupportedOperationException', 400],
  ['CLOUD_INVALID', 'IncorrectKeyMaterialException', 400],
  ['CLOUD_INVALID', 'ValidationException', 400],
] as const)('%s: %s', (reason, name, status) => {
  expect(refusalFrom(thrown(name, 'why', status), open)).toMatchObject({ reason })
})

test('an answer from elsewhere does not count as a refusal of the cloud', () => {
  for (const fault of [new TypeError('ours'), new RangeError('ours'), 'text'])
    expect(refusalFrom(fault, open)).toBe(fault)
  const refused = new Refusal('RULE_BROKEN', 'ours')
  expect(refusalFrom(refused, open)).toBe(refused)
})

test.each([
  ['an access key id', 'User AKIAIOSFODNN7EXAMPLE is not allowed', 'User … is not allowed'],
  ['a temporary one', 'key ASIAIOSFODNN7EXAMPLE', 'key …'],
  ['a secret key', 'secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY!', 'secret …!'],
  ['a session token', `token ${'FwoGZXIvYXdzE'.repeat(30)}== is old`, 'token … is old'],
  ['an ARN', 'no key arn:aws:kms:eu-west-1:111122223333:key/0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f', undefined],
  ['too many words', 'why '.repeat(200), 'why '.repeat(75).trim()],
])('a message of the cloud with %s', (_what, message, shown = message) => {
  expect(refusalFrom(thrown('AccessDeniedException', message, 400), open)).toMatchObject({
    message: `Cloud-a refused: AccessDeniedException: ${shown}`,
  })
})

test.each([
  ['no message', 'AccessDeniedException', 400, 'AccessDeniedException'],
  ['no code', 'UnknownError', 403, 'HTTP 403'],
])('a refusal with %s contains no text of the SDK', (_what, name, status, shown) => {
  expect(refusalFrom(thrown(name, 'UnknownError', status), open)).toMatchObject({
    message: `Cloud-a refused: ${shown}`,
  })
})

test('a signature that does not fit is refused without the request that the cloud repeats', () => {
  const message = 'The Canonical String for this request should have been x-amz-security-token:abc'
  expect(refusalFrom(thrown('InvalidSignatureException', message, 400), open)).toMatchObject({
    message: 'Cloud-a refused: InvalidSignatureException: the credentials do not fit, or clocks differ.',
  })
})
