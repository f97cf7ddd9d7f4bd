import * as http from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { addressOf, close, listen } from '../../../../infra/simulators/toolkit/loopback.ts'
import { errorFields } from '../../../../shared/base/log.ts'
import { mayHaveTakenEffect, refusalFrom } from '../../../../shared/clouds/cloud-b/adapter/errors.ts'
import type { CloudBConnection, CloudBKeySpec, CloudBPlace } from '../../../../shared/clouds/cloud-b/adapter/types.ts'
import { cloudB } from '../../../../shared/clouds/cloud-b/adapter/verbs.ts'
import { RECORD_TAG } from '../../../../shared/clouds/cloud-b/param.ts'
import { LOCAL_ALGORITHMS } from '../../../../shared/crypto/algorithms.ts'
import { generateMaterial } from '../../../../shared/crypto/key-material.ts'
import { HOUR_MS, toSeconds } from '../../../../shared/base/time.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newName, useCloudB, VAULT } from './simulated.ts'

const own = useCloudB()
const { place } = own
const { keys } = cloudB

afterEach(() => {
  own.cloud.reset()
  own.cloud.demandClaims(VAULT, undefined)
  own.clock.set(new Date())
})

const spec = (more: Partial<CloudBKeySpec> = {}): CloudBKeySpec => ({
  name: newName(),
  mark: crypto.randomUUID(),
  kty: 'EC',
  ...more,
})
const count = (operation: string) => own.cloud.counts()[operation] ?? 0
const calledIn = (vault: string, operation: string) =>
  own.cloud.calls().filter((call) => call.vault === vault && call.operation === operation).length
const list = (more?: Parameters<typeof place>[0]) => keys.refs(place(more), undefined)
const marked = (name: string, mark: string) =>
  own.cloud.keyOf(VAULT, name)?.versions.filter(({ tags }) => tags[RECORD_TAG] === mark).length
const reasonOf = async (work: Promise<unknown>) => (await refusalOf(work)).reason

test.each([
  [{ fault: 'throttle', retryAfterSeconds: 0 }, 1],
  [{ fault: 'throttle' }, 1],
  [{ fault: 'server-error' }, 2],
  [{ fault: 'unavailable' }, 1],
  [{ fault: 'conflict' }, 1],
  [{ fault: 'cut-before' }, 2],
  [{ fault: 'bad-json' }, 1],
] as const)('a call that meets %o %i times is made again', async (fault, times) => {
  own.cloud.inject({ operation: 'KeyList', times, ...fault })
  await list()
  expect(count('KeyList')).toBe(times + 1)
})

/** each in a separate vault and all at once, because retries take time */
test('temporary failures are repeated, and refused by kind after a bounded number of tries', async () => {
  const cases = [
    ['shop-premium', 'throttle', 'CLOUD_THROTTLED', 'Cloud-b refused: VaultRequestTypeLimitReached: Request was', 5],
    ['shop-standard', 'server-error', 'CLOUD_UNAVAILABLE', 'Cloud-b refused: InternalServerError: ', 5],
    ['shop-spare', 'cut-before', 'CLOUD_UNAVAILABLE', 'Cloud-b cannot be reached: ECONNRESET.', 5],
    ['shop-locked', 'bad-json', 'CLOUD_UNAVAILABLE', 'Cloud-b answered what cannot be read.', 5],
  ] as const
  const outcomes = cases.map(async ([vault, fault, , message]) => {
    own.cloud.inject({ operation: 'KeyList', vault, fault })
    const refused = await refusalOf(list({ vault }))
    expect(refused.cause).toBeInstanceOf(Error)
    expect(refused.message).toContain(message)
    return [vault, fault, refused.reason, message, calledIn(vault, 'KeyList')]
  })
  expect(await Promise.all(outcomes)).toEqual(cases)
})

test('the SDKs do not repeat a call beyond that number', async () => {
  own.cloud.inject({ operation: 'KeyGet', fault: 'server-error' })
  const refused = await refusalOf(keys.read(place(), `${newName()}/${'0'.repeat(32)}`))
  const struck = own.cloud.calls().filter((call) => call.refused === 'InternalServerError')
  expect([refused.reason, struck.length]).toEqual(['CLOUD_UNAVAILABLE', 5])
})

test('a denial of the cloud is refused at once, with its inner code', async () => {
  own.cloud.inject({ operation: 'KeyList', fault: 'access-denied' })
  const refused = await refusalOf(list())
  expect([refused.reason, refused.message, count('KeyList')]).toEqual([
    'CLOUD_DENIED',
    expect.stringMatching(/^Cloud-b refused: ForbiddenByRbac: Caller is not authorized/),
    1,
  ])
  const [, , visitor] = own.cloud.credentials
  expect(await reasonOf(keys.create(place({ connection: own.connection(visitor) }), spec(), new Book().open()))).toBe(
    'CLOUD_DENIED',
  )
})

test('waiting out a quota ends when the time is up', async () => {
  own.cloud.inject({ operation: 'KeyList', fault: 'throttle', retryAfterSeconds: 25 })
  expect(await reasonOf(list({ patience: 'job', budget: AbortSignal.timeout(200) }))).toBe('CLOUD_TIMEOUT')
  expect(count('KeyList')).toBe(1)
})

test.each(['KeyList', 'KeyGet'])('a cloud that hangs at %s is left when the time is up', async (operation) => {
  own.cloud.inject({ operation, fault: 'hang' })
  const at = place({ budget: AbortSignal.timeout(200) })
  const asked = operation === 'KeyList' ? keys.refs(at, undefined) : keys.read(at, `a/${'0'.repeat(32)}`)
  const refused = await refusalOf(asked)
  expect([refused.reason, refused.message]).toEqual(['CLOUD_TIMEOUT', 'Cloud-b did not answer in time.'])
  expect(mayHaveTakenEffect(refused)).toBe(true)
})

test('a token that the cloud no longer accepts is replaced, for lists and through the SDKs', async () => {
  const made = await keys.create(place(), spec(), new Book().open())
  own.clock.advance(2 * HOUR_MS)
  expect((await keys.read(place(), made.ref))?.ref).toBe(made.ref)
  own.clock.advance(2 * HOUR_MS)
  await list()
  own.cloud.inject({ fault: 'expired-credentials', operation: 'KeyList', times: 1 })
  await list()
  own.cloud.inject({ fault: 'expired-credentials', operation: 'KeyList' })
  expect(await reasonOf(list())).toBe('CLOUD_DENIED')
})

test('a challenge for claims is answered with a token that has them', async () => {
  const made = await keys.create(place(), spec(), new Book().open())
  own.cloud.demandClaims(VAULT, '{"access_token":{"nbf":{"essential":true,"value":"1"}}}')
  await list()
  expect((await keys.read(place(), made.ref))?.ref).toBe(made.ref)
  own.cloud.demandClaims(VAULT, '{"access_token":{"nbf":{"essential":true,"value":"2"}}}')
  expect((await keys.read(place(), made.ref))?.ref).toBe(made.ref)
})

const withCredential = (connection: CloudBConnection, key: string, credential: CloudBConnection['credential']) => ({
  connection: { ...connection, key, credential },
})

test('a certificate identifies the caller like a secret', async () => {
  const of = own.cloud.credentials.find(({ certificate }) => certificate !== undefined)
  const connection = own.connection(of)
  await list({ connection })
  const { credential } = own.connection(of)
  if (!('certificate' in credential)) throw new Error('no certificate')
  const other = { ...credential, private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' }
  expect(await reasonOf(list(withCredential(connection, 'other', other)))).toBe('RULE_BROKEN')
  const wrong = await refusalOf(list(withCredential(connection, 'wrong', { client_secret: 'a~secret~that~is~wrong' })))
  expect([wrong.reason, wrong.message]).toEqual([
    'CLOUD_DENIED',
    expect.stringMatching(/^Cloud-b refused: AADSTS\d+: [^~]+$/),
  ])
  expect(wrong.message).not.toContain('Trace ID')
})

test('one token serves many calls, and a busy login host is called again', async () => {
  const connection = { ...own.connection(), key: newName() }
  own.cloud.inject({ service: 'login', fault: 'throttle', times: 1 })
  await Promise.all([1, 2, 3].map(() => list({ connection })))
  await keys.read(place({ connection }), `a/${'0'.repeat(32)}`)
  expect(count('Token')).toBe(2)
})

test.each(['cut-after', 'bad-json', 'cut-before', 'server-error', 'throttle'] as const)(
  'a creation that meets %s leaves exactly one version',
  async (fault) => {
    own.cloud.inject({ operation: 'KeyCreate', fault, times: 1 })
    const wanted = spec()
    const { ref } = await keys.create(place(), wanted, new Book().open())
    expect([marked(wanted.name, wanted.mark), ref]).toEqual([1, expect.stringMatching(`^${wanted.name}/`)])
  },
)

test.each(['cut-after', 'cut-before'] as const)('an upload that meets %s leaves exactly one version', async (fault) => {
  own.cloud.inject({ operation: 'KeyImport', fault, times: 1 })
  const wanted = spec({ kty: undefined })
  const material = await generateMaterial(LOCAL_ALGORITHMS.ec)
  await keys.upload(place(), wanted, material, new Book().open())
  expect(marked(wanted.name, wanted.mark)).toBe(1)
})

test('a version without an answer is not created again, and a later run finds it', async () => {
  const book = new Book()
  const wanted = spec()
  own.cloud.inject({ operation: 'KeyCreate', fault: 'cut-after' })
  own.cloud.inject({ operation: 'KeyListVersions', fault: 'access-denied' })
  expect(await reasonOf(keys.create(place(), wanted, book.open()))).toBe('CLOUD_UNAVAILABLE')
  own.cloud.reset()
  const { ref } = await keys.create(place(), wanted, book.open())
  expect([marked(wanted.name, wanted.mark), count('KeyCreate')]).toEqual([1, 0])
  expect((await keys.read(place(), ref))?.is_latest).toBe(true)
})

test('a key-exchange key that expires between two steps is refused before the material is sent', async () => {
  const book = new Book()
  const exp = toSeconds(own.clock.now()) + 60
  const kek = await keys.create(
    place(),
    spec({ kty: 'RSA-HSM', key_ops: ['import'], attributes: { exp } }),
    new Book().open(),
  )
  const material = await generateMaterial(LOCAL_ALGORITHMS.ec)
  const wanted = spec({ kty: undefined, kek_kid: kek.param.key.kid })
  own.cloud.inject({ operation: 'KeyImport', fault: 'cut-before' })
  expect(await reasonOf(keys.upload(place(), wanted, material, book.open()))).toBe('CLOUD_UNAVAILABLE')
  own.cloud.reset()
  own.clock.advance(HOUR_MS / 2)
  const refused = await refusalOf(keys.upload(place(), wanted, material, book.open()))
  expect([refused.reason, refused.errors]).toEqual([
    'RULE_BROKEN',
    [{ pointer: '#/kek_kid', detail: 'names a key that has expired' }],
  ])
  expect(count('KeyImport')).toBe(0)
})

/** Answers every request with the same answer, except token requests. */
async function answering(
  status: number,
  body: string,
  work: () => Promise<void>,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const server = http.createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  await listen(server)
  vi.stubEnv('CLOUD_B_VAULT_ENDPOINT', addressOf(server))
  try {
    await work()
  } finally {
    vi.stubEnv('CLOUD_B_VAULT_ENDPOINT', undefined)
    await close(server)
  }
}

const asked = (): Promise<unknown>[] => {
  const at: CloudBPlace = place({ budget: AbortSignal.timeout(500) })
  return [keys.refs(at, undefined), keys.read(at, `a/${'0'.repeat(32)}`)]
}

test.each([
  [400, '{"error":{"code":"SomethingNew","message":"no"}}', ['CLOUD_INVALID', 'CLOUD_INVALID']],
  [418, '{"tea":true}', ['CLOUD_INVALID', 'CLOUD_INVALID']],
  [401, '{}', ['CLOUD_DENIED', 'CLOUD_DENIED']],
  [403, '{"error":"forbidden"}', ['CLOUD_DENIED', 'CLOUD_DENIED']],
  [412, '{"error":{"code":"ConditionNotMet"}}', ['CLOUD_CONFLICT', 'CLOUD_CONFLICT']],
])('an answer of %i with %s is %o, for lists and through the SDKs', async (status, body, reasons) => {
  await answering(status, body, async () => {
    expect(await Promise.all(asked().map(reasonOf))).toEqual(reasons)
  })
})

test.each([
  [502, '<html>bad gateway</html>'],
  [200, '<html>welcome</html>'],
  [200, '{"surprise":1}'],
  [302, ''],
])('a page of an intermediate proxy is no answer of the cloud: %i %s', async (status, body) => {
  await answering(status, body, async () => {
    const [listed, read] = asked()
    const reasons = [body.startsWith('{') ? 'CLOUD_UNAVAILABLE' : await reasonOf(listed ?? Promise.resolve())]
    await listed?.catch(() => undefined)
    reasons.push(await reasonOf(read ?? Promise.resolve()))
    expect(reasons.filter((reason) => !/^CLOUD_(TIMEOUT|UNAVAILABLE|UNREADABLE)$/.test(reason))).toEqual([])
  })
})

test('a challenge of another host is not followed', async () => {
  const challenge = 'Bearer authorization="https://login.evil.example/x", resource="https://evil.example"'
  await answering(
    401,
    '{}',
    async () => {
      for (const refused of asked().map(reasonOf)) expect(await refused).toMatch(/^CLOUD_/)
    },
    { 'www-authenticate': challenge },
  )
  expect(own.cloud.calls().filter(({ service }) => service !== 'login')).toEqual([])
})

test('token parts in a message of the cloud are neither shown nor logged', async () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(300)}.${'b'.repeat(80)}`
  const body = JSON.stringify({ error: { code: 'BadParameter', message: `The token ${token} is bad.` } })
  await answering(400, body, async () => {
    const refused = await refusalOf(list())
    expect(refused.message).toBe('Cloud-b refused: BadParameter: The token … is bad.')
    expect(errorFields(refused).causes).toBe('BadParameter: The token … is bad.')
  })
})

test('an address without a server is unavailable, and the call certainly had no effect', async () => {
  vi.stubEnv('CLOUD_B_VAULT_ENDPOINT', 'http://127.0.0.1:9')
  try {
    const refused = await refusalOf(list())
    expect([refused.reason, refused.message]).toEqual(['CLOUD_UNAVAILABLE', 'Cloud-b cannot be reached: ECONNREFUSED.'])
    expect(mayHaveTakenEffect(refused)).toBe(false)
  } finally {
    vi.stubEnv('CLOUD_B_VAULT_ENDPOINT', undefined)
  }
})

test('a vault without a host name is unavailable, and the refusal states that it may be deleted', () => {
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }) // the test does no DNS
  expect(refusalFrom(unknown, new AbortController().signal)).toMatchObject({
    reason: 'CLOUD_UNAVAILABLE',
    message: expect.stringMatching(
      /^Cloud-b cannot be reached: ENOTFOUND\. .*recover it at the cloud, or remove it here\.$/,
    ),
  })
})

test.each(['http://192.0.2.1', 'https://evil.example', 'nonsense'])(
  'a deployment that leads to %s is at fault, and says so once',
  async (address) => {
    vi.stubEnv('CLOUD_B_VAULT_ENDPOINT', address)
    try {
      for (const fault of [list(), keys.read(place(), `a/${'0'.repeat(32)}`)])
        await expect(fault).rejects.toMatchObject({ name: 'Misdirected' })
    } finally {
      vi.stubEnv('CLOUD_B_VAULT_ENDPOINT', undefined)
    }
  },
)
