import * as http from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { addressOf, close, listen } from '../../../../infra/simulators/toolkit/loopback.ts'
import { mayHaveTakenEffect } from '../../../../shared/clouds/cloud-c/adapter/errors.ts'
import type { CloudCKeySpec, CloudCPlace } from '../../../../shared/clouds/cloud-c/adapter/types.ts'
import { cloudC } from '../../../../shared/clouds/cloud-c/adapter/verbs.ts'
import { crc32c } from '../../../../shared/crypto/crc32c.ts'
import type { KeyMaterial } from '../../../../shared/crypto/key-material.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { errorFields } from '../../../../shared/base/log.ts'
import { KEY_LABEL } from '../../../../shared/clouds/cloud-c/param.ts'
import { textMarker } from '../../../support/markers.ts'
import { refusalOf } from '../conformance-fixture.ts'
import { Book } from '../memory-journal.ts'
import { newName, RING, useCloudC } from './simulated.ts'

const own = useCloudC()
const { place } = own

afterEach(() => own.cloud.reset())

const spec = (): CloudCKeySpec => ({ key_name: newName(), purpose: 'ENCRYPT_DECRYPT' })
const create = (book = new Book(), wanted = spec()) => cloudC.create(place(), wanted, book.open())
const aes = (): KeyMaterial => ({
  ...{ objectType: 'Symmetric Key', algorithm: 'aes', sizeBits: 256 },
  bytes: SecretBytes.random(32),
})
const count = (operation: string) => own.cloud.counts()[operation] ?? 0
/** @param name of the ring or the key in the call */
const calledUnder = (name: string, operation: string) =>
  own.cloud.calls().filter((call) => call.resource === name && call.operation === operation).length
const marked = ({ id }: Book) => own.cloud.keysIn(RING).filter(({ labels }) => labels[KEY_LABEL] === id).length
const versionsOf = (ref: string) => own.cloud.keyOf(`${RING}/cryptoKeys/${ref}`)?.versions.length
const list = (more?: Partial<CloudCPlace>) => cloudC.refs(place(more), undefined)

test.each([
  ['throttle', 1],
  ['server-error', 2],
  ['unavailable', 2],
  ['cut-before', 2],
  ['bad-json', 1],
] as const)('a call that meets %s %i times is made again', async (fault, times) => {
  own.cloud.inject({ operation: 'ListCryptoKeys', fault, times })
  expect((await list()).refs).toEqual(own.cloud.keysIn(RING).map(({ id }) => id))
  expect(count('ListCryptoKeys')).toBe(times + 1)
})

/** each in a separate ring and all at once, because retries take time */
test('temporary failures are repeated, and refused by kind after a bounded number of tries', async () => {
  const [one = '', two = '', three = '', four = ''] = own.cloud.rings()
  const cases = [
    [one, 'throttle', 'CLOUD_THROTTLED', 'Cloud-c refused: RESOURCE_EXHAUSTED: Quota exceeded', 5],
    [two, 'server-error', 'CLOUD_UNAVAILABLE', 'Cloud-c refused: INTERNAL: ', 5],
    [three, 'cut-before', 'CLOUD_UNAVAILABLE', 'Cloud-c cannot be reached: ECONNRESET.', 5],
    [four, 'bad-json', 'CLOUD_UNAVAILABLE', 'Cloud-c answered what cannot be read.', 5],
  ] as const
  const outcomes = cases.map(async ([ring, fault, , message]) => {
    own.cloud.inject({ operation: 'ListCryptoKeys', under: ring, fault })
    const refused = await refusalOf(list({ ring }))
    expect(refused.cause).toBeInstanceOf(Error)
    expect(refused.message).toContain(message)
    return [ring, fault, refused.reason, message, calledUnder(ring, 'ListCryptoKeys')]
  })
  expect(await Promise.all(outcomes)).toEqual(cases)
})

test.each([
  ['access-denied', 'Cloud-c refused: PERMISSION_DENIED: ', 1],
  ['expired-credentials', 'Cloud-c refused: UNAUTHENTICATED: ', 2],
] as const)('%s is refused at once', async (fault, message, calls) => {
  own.cloud.inject({ operation: 'ListCryptoKeys', fault })
  const refused = await refusalOf(list())
  expect([refused.reason, count('ListCryptoKeys')]).toEqual(['CLOUD_DENIED', calls])
  expect(refused.message).toContain(message)
})

test('a token that the cloud no longer accepts is replaced once', async () => {
  own.cloud.inject({ fault: 'expired-credentials', times: 1 })
  await list()
  expect(count('ListCryptoKeys')).toBe(2)
})

test('a cloud that hangs is left when the time is up', async () => {
  own.cloud.inject({ operation: 'ListCryptoKeys', fault: 'hang' })
  const refused = await refusalOf(list({ budget: AbortSignal.timeout(200) }))
  expect([refused.reason, refused.message]).toEqual(['CLOUD_TIMEOUT', 'Cloud-c did not answer in time.'])
  expect(mayHaveTakenEffect(refused)).toBe(true)
})

test('a job waits for the slow answer of a large log', async () => {
  own.cloud.inject({ operation: 'ListCryptoKeys', fault: 'delay', delayMs: 10_500 })
  await list({ patience: 'job', budget: AbortSignal.timeout(25_000) })
  expect(count('ListCryptoKeys')).toBe(1)
})

test('waiting out a quota ends when the time is up', async () => {
  own.cloud.inject({ operation: 'ListCryptoKeys', fault: 'throttle', retryAfterSeconds: 25 })
  const refused = await refusalOf(list({ patience: 'job', budget: AbortSignal.timeout(200) }))
  expect(refused.reason).toBe('CLOUD_TIMEOUT')
  expect(count('ListCryptoKeys')).toBe(1)
})

test('an address without a server is unavailable, and the call certainly had no effect', async () => {
  vi.stubEnv('CLOUD_C_KMS_ENDPOINT', 'http://127.0.0.1:9')
  try {
    const refused = await refusalOf(list())
    expect([refused.reason, refused.message]).toEqual(['CLOUD_UNAVAILABLE', 'Cloud-c cannot be reached: ECONNREFUSED.'])
    expect(mayHaveTakenEffect(refused)).toBe(false)
  } finally {
    vi.stubEnv('CLOUD_C_KMS_ENDPOINT', undefined)
  }
})

/** Answers every request with the same answer. */
async function answering(
  status: number,
  body: string,
  work: () => Promise<void>,
  asked: () => void = () => undefined,
): Promise<void> {
  const server = http.createServer((_request, response) => {
    asked()
    response.writeHead(status).end(body)
  })
  await listen(server)
  vi.stubEnv('CLOUD_C_KMS_ENDPOINT', addressOf(server))
  try {
    await work()
  } finally {
    vi.stubEnv('CLOUD_C_KMS_ENDPOINT', undefined)
    await close(server)
  }
}

test.each([
  [400, '{"error":{"code":400,"status":"SOMETHING_NEW","message":"no"}}', 'CLOUD_INVALID'],
  [404, '{"error":{"code":404,"status":"NOT_FOUND"}}', 'CLOUD_NOT_FOUND'],
  [409, '{"error":{"code":409,"status":"ABORTED"}}', 'CLOUD_CONFLICT'],
  [418, '{"tea":true}', 'CLOUD_INVALID'],
  [401, '{}', 'CLOUD_DENIED'],
  [403, '{"error":"forbidden"}', 'CLOUD_DENIED'],
])('an answer of %i with %s is %s', async (status, body, reason) => {
  await answering(status, body, async () => {
    expect((await refusalOf(list())).reason).toBe(reason)
  })
})

test('a page of a proxy between is no answer of the cloud', async () => {
  await answering(502, '<html>bad gateway</html>', async () => {
    expect((await refusalOf(list({ budget: AbortSignal.timeout(500) }))).reason).toMatch(
      /^CLOUD_(TIMEOUT|UNAVAILABLE)$/,
    )
  })
})

test.each(['too many requests', '{"error":{"code":429}}'])('a throttle that says only %s is one', async (body) => {
  let asked = 0
  await answering(
    429,
    body,
    async () => {
      expect((await refusalOf(list())).reason).toBe('CLOUD_THROTTLED')
      expect(asked).toBe(5)
    },
    () => asked++,
  )
})

test('token parts in a message of the cloud are neither shown nor logged', async () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(300)}.${'b'.repeat(80)}`
  const body = JSON.stringify({ error: { status: 'UNAUTHENTICATED', message: `The token ${token} is bad.` } })
  await answering(401, body, async () => {
    const refused = await refusalOf(list())
    expect(refused.message).toBe('Cloud-c refused: UNAUTHENTICATED: The token … is bad.')
    expect(errorFields(refused).causes).toBe('UNAUTHENTICATED: The token … is bad.')
  })
})

test('a damaged public key, or one of another version, is not returned', async () => {
  const name = `${RING}/cryptoKeys/x/cryptoKeyVersions/1`
  const whole = { name, pem: 'pem', algorithm: 'EC_SIGN_P256_SHA256', pemCrc32c: String(crc32c(Buffer.from('pem'))) }
  const asked = (reply: object) =>
    answering(200, JSON.stringify(reply), async () => {
      expect(await cloudC.publicKey(place(), 'x', '1')).toEqual({ pem: 'pem', algorithm: 'EC_SIGN_P256_SHA256' })
    })
  await asked(whole)
  for (const harm of [{ pem: 'pen' }, { pemCrc32c: undefined }, { name: `${name}1` }])
    expect((await refusalOf(asked({ ...whole, ...harm }))).reason).toBe('CLOUD_UNAVAILABLE')
})

test('a redirect is not followed', async () => {
  await answering(302, '', async () => {
    expect((await refusalOf(list({ budget: AbortSignal.timeout(500) }))).reason).toMatch(
      /^CLOUD_(TIMEOUT|UNAVAILABLE)$/,
    )
  })
})

test.each(['cut-after', 'bad-json', 'cut-before', 'server-error', 'throttle'] as const)(
  'a creation that meets %s leaves exactly one key',
  async (fault) => {
    own.cloud.inject({ operation: 'CreateCryptoKey', fault, times: 1 })
    const book = new Book()
    const { primary } = await create(book)
    expect([primary?.param.state, marked(book), count('CreateCryptoKey')]).toEqual(['ENABLED', 1, 2])
  },
)

/** each with a separate key and all at once */
test('a failed creation leaves exactly one version, and is repeated only if it had no effect', async () => {
  const cases = [
    ['CreateCryptoKeyVersion', 'cut-after', 1],
    ['CreateCryptoKeyVersion', 'bad-json', 1],
    ['CreateCryptoKeyVersion', 'cut-before', 2],
    ['CreateCryptoKeyVersion', 'server-error', 2],
    ['CreateCryptoKeyVersion', 'throttle', 2],
    ['ImportCryptoKeyVersion', 'cut-after', 1],
    ['ImportCryptoKeyVersion', 'bad-json', 1],
    ['ImportCryptoKeyVersion', 'cut-before', 2],
    ['ImportCryptoKeyVersion', 'throttle', 2],
  ] as const
  const outcomes = cases.map(async ([operation, fault]) => {
    const { ref } = await create()
    const under = `${RING}/cryptoKeys/${ref}`
    own.cloud.inject({ operation, under, fault, times: 1 })
    const journal = new Book().open()
    const { param } = await (operation === 'CreateCryptoKeyVersion'
      ? cloudC.createVersion(place(), ref, {}, journal)
      : cloudC.importVersion(place(), ref, {}, aes(), journal))
    expect([param.version, param.state, versionsOf(ref)]).toEqual(['2', 'ENABLED', 2])
    return [operation, fault, calledUnder(under, operation)]
  })
  expect(await Promise.all(outcomes)).toEqual(cases)
})

test('a version without an answer is not created again, and a later run finds it', async () => {
  const { ref } = await create()
  const book = new Book()
  const remove = own.cloud.inject({ operation: 'CreateCryptoKeyVersion', fault: 'hang' })
  const budget = AbortSignal.timeout(300)
  const refused = await refusalOf(cloudC.createVersion(place({ budget }), ref, {}, book.open()))
  expect([refused.reason, count('CreateCryptoKeyVersion')]).toEqual(['CLOUD_TIMEOUT', 1])
  remove()
  own.cloud.alter(`${RING}/cryptoKeys/${ref}`, { newVersions: 1 }) // the effect of the hanging call in the meantime
  expect((await cloudC.createVersion(place(), ref, {}, book.open())).ref).toBe('2')
  expect(versionsOf(ref)).toBe(2)
})

test('material that the cloud refuses is refused with the reason', async () => {
  const wrong: KeyMaterial = { ...aes(), bytes: SecretBytes.random(31) }
  const key = spec()
  const refused = await refusalOf(cloudC.upload(place(), key, wrong, new Book().open()), [
    textMarker('the private key', own.cloud.keyFiles[0].private_key),
  ])
  expect([refused.reason, refused.message]).toEqual([
    'CLOUD_INVALID',
    'Cloud-c refused the material: Key material of GOOGLE_SYMMETRIC_ENCRYPTION must have 32 bytes.',
  ])
})

test('an import job that ended before it was used is a conflict', async () => {
  const book = new Book()
  const key = spec()
  const early = new Date(own.clock.now().getTime() - 10 * 86_400_000)
  own.clock.set(early)
  await cloudC.upload(place(), spec(), aes(), new Book().open())
  own.clock.set(new Date(early.getTime() + 4 * 86_400_000))
  const late = cloudC.upload(place({ now: early }), key, aes(), book.open())
  expect((await refusalOf(late)).reason).toBe('CLOUD_CONFLICT')
  own.clock.set(new Date())
})
