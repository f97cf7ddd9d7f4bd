import { beforeAll, expect, test } from 'vitest'
import { addressOf, HOST, METADATA, refusal, REGION, useXks, type TestStore, type XksOptions } from './proxy.ts'
import { stampOf } from '../../../support/xks-signing.ts'

const xks = useXks()
const UNKNOWN = refusal(401, 'AuthenticationFailedException')
const ALL_THE_SAME =
  '{"errorName":"AuthenticationFailedException","errorMessage":"The request is not signed as it must be."}'
let store: TestStore
let key = ''
beforeAll(async () => {
  store = await xks().store()
  key = (await xks().key(store)).id
})

const health = (options: XksOptions = {}) => xks().call(store, 'health', '', {}, options)
const authorizationOf = (change: (header: string) => string): Record<string, string> => {
  const { accessKeyId, secret } = store.credential
  const body = JSON.stringify({ requestMetadata: METADATA })
  const path = addressOf(store, 'health')
  const headers = xks().signedHeaders({ path, body, accessKeyId, secret, region: REGION })
  return { ...headers, authorization: change(headers.authorization ?? '') }
}
const stampAfter = (seconds: number): string => stampOf(new Date(xks().now.getTime() + seconds * 1_000))

test.each([
  ['content-type is signed as well', { also: { 'content-type': 'application/json' } }],
  ['more headers are signed', { also: { 'x-another': '  several   spaces  inside ', accept: '*/*' } }],
  ['no space after the commas', { separator: ',' }],
  ['several spaces after the commas', { separator: ',   ' }],
  ['a host with a port', { host: `${HOST}:8443` }],
])('%s is accepted', async (_what, signing) => {
  expect((await health({ signing })).status).toBe(200)
})

test('a repeated header is signed as it arrives, joined by commas', async () => {
  const signing = { also: { 'x-twice': 'a,b' } }
  const answer = await health({ signing, headers: { 'x-twice': ['a', 'b'] as unknown as string } })
  expect(answer.status).toBe(200)
})

test.each([43, 44, 52, 64])('a secret of %i characters works', async (length) => {
  const secret = `/+=${'aZ9'.repeat(30)}`.slice(0, length)
  const own = await xks().store({ secret })
  expect((await xks().call(own, 'health')).status).toBe(200)
})

test.each<[string, (header: string) => string]>([
  ['no header', () => ''],
  ['the scheme of another', () => 'Bearer abc'],
  ['another algorithm', (header) => header.replace('SHA256', 'SHA512')],
  ['no credential', (header) => header.replace(/Credential=[^,]+, /, '')],
  ['no signed headers', (header) => header.replace(/SignedHeaders=[^,]+, /, '')],
  ['no signature', (header) => header.replace(/, Signature=.+/, '')],
  ['a doubled part', (header) => `${header}, Signature=${'0'.repeat(64)}`],
  ['two headers', (header) => `${header},${header}`],
  ['a scope of four elements', (header) => header.replace(`/${REGION}`, '')],
  ['a scope of six elements', (header) => header.replace(REGION, `${REGION}/x`)],
  ['another terminator', (header) => header.replace('aws4_request', 'aws5_request')],
  ['a comma after the algorithm', (header) => header.replace('SHA256 ', 'SHA256, ')],
  ['a signature of 63 digits', (header) => header.slice(0, -1)],
  ['a signature in capitals', (header) => header.replace(/[0-9a-f]{64}$/, (hex) => `A${hex.slice(1).toUpperCase()}`)],
  ['an unknown key id', (header) => header.replace(/Credential=[^/]+/, 'Credential=AAAAAAAAAAAAAAAAAAAAAAAA')],
  [
    'a key id in lower case',
    (header) => header.replace(/Credential=[^/]+/, (id) => `Credential=${id.slice(11).toLowerCase()}`),
  ],
  ['a key id of strange characters', (header) => header.replace(/Credential=[^/]+/, 'Credential=ä;DROP')],
])('%s', async (_what, change) => {
  const { status, text } = await health({ headers: authorizationOf(change) })
  expect([status, text]).toEqual([401, ALL_THE_SAME])
})

test.each([
  ['another region', { region: 'us-east-1' }],
  ['another service', { service: 'kms' }],
  ['another day in the scope', { day: '20200101' }],
  ['another secret', { secret: 'x'.repeat(44) }],
])('%s', async (_what, signing) => {
  const { status, text } = await health({ signing })
  expect([status, text]).toEqual([401, ALL_THE_SAME])
})

test('a signature is valid for five minutes before and after its time', async () => {
  for (const seconds of [299, -299])
    expect((await health({ signing: { stamp: stampAfter(seconds) } })).status, `${seconds}`).toBe(200)
  for (const seconds of [302, -302]) expect(await health({ signing: { stamp: stampAfter(seconds) } })).toEqual(UNKNOWN)
  for (const stamp of [
    '',
    'Thu, 02 Jan 2025 03:04:05 GMT',
    stampAfter(0).slice(0, 8),
    `${stampAfter(0)},${stampAfter(0)}`,
  ])
    expect(await health({ headers: { 'x-amz-date': stamp } }), stamp).toEqual(UNKNOWN)
})

test('required headers must be signed, and signed headers must be present', async () => {
  const named = (names: string) => health({ headers: authorizationOf((h) => h.replace('host;x-amz-date', names)) })
  for (const names of ['host', 'x-amz-date', 'host;x-amz-date;x-absent', 'host;host;x-amz-date', ';host;x-amz-date'])
    expect(await named(names), names).toEqual(UNKNOWN)
  // Inherited members of an object are not headers.
  for (const name of ['constructor', '__proto__', 'toString', 'has-own-property'])
    expect(await named(`${name};host;x-amz-date`), name).toEqual(UNKNOWN)
})

test('a changed body, path or signed header value is refused', async () => {
  const path = addressOf(store, 'metadata', key)
  const other = addressOf(store, 'metadata', `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)
  expect(await xks().send(store, path, { sentTo: other })).toEqual(UNKNOWN)
  expect(await xks().send(store, path, { sentTo: addressOf(store, 'encrypt', key) })).toEqual(UNKNOWN)
  expect(await health({ headers: { host: `not.${HOST}` } })).toEqual(UNKNOWN)
  expect(
    await health({ signing: { body: JSON.stringify({ requestMetadata: METADATA }).replace('4112', '4113') } }),
  ).toEqual(UNKNOWN)
})

test('a signature in the query and a hash announced by the client have no effect', async () => {
  const path = addressOf(store, 'health')
  const presigned = `${path}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${'0'.repeat(64)}`
  expect(await xks().send(store, path, { sentTo: presigned, headers: { authorization: '' } })).toEqual(UNKNOWN)
  const signing = { body: 'UNSIGNED-PAYLOAD', also: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } }
  expect(await health({ signing })).toEqual(UNKNOWN)
})

test('a bad signature discloses nothing about the store or the key', async () => {
  const bad = { signing: { secret: 'x'.repeat(44) } }
  for (const [operation, keyId, fields] of [
    ['metadata', key, {}],
    ['metadata', 'nobody', {}],
    ['encrypt', key, { plaintext: 7 }],
    ['decrypt', key, {}],
  ] as const) {
    const { status, text } = await xks().call(store, operation, keyId, fields, bad)
    expect([status, text]).toEqual([401, ALL_THE_SAME])
  }
  expect((await xks().send(store, addressOf(store, 'health'), { body: '{', ...bad })).text).toBe(ALL_THE_SAME)
})

test('the same signed request may be sent twice', async () => {
  const headers = authorizationOf((header) => header)
  for (let time = 0; time < 2; time++) expect((await health({ headers })).status).toBe(200)
})

test('a body the front door hands over as Base64 is verified as it was sent', async () => {
  const path = addressOf(store, 'health')
  const body = JSON.stringify({ requestMetadata: { ...METADATA, kmsRequestId: 'é' } })
  const signed = await xks().send(store, path, { body, headers: { 'content-type': 'application/octet-stream' } })
  expect(signed).toEqual(refusal(400, 'ValidationException')) // the signature was valid, the media type is not
})

test('several credentials work in parallel; an added credential works, a removed one is refused', async () => {
  const own = await xks().store()
  const added = await xks().credential()
  await xks().changeStore(own, (stored) => ({ ...stored, credentials: [...stored.credentials, added.stored] }))
  xks().letPass()
  expect((await xks().call(own, 'health')).status).toBe(200)
  expect((await xks().call(own, 'health', '', {}, { credential: added.known })).status).toBe(200)
  await xks().changeStore(own, (stored) => ({ ...stored, credentials: stored.credentials.slice(1) }))
  xks().letPass()
  const { status, text } = await xks().call(own, 'health')
  expect([status, text]).toEqual([401, ALL_THE_SAME])
  expect((await xks().call(own, 'health', '', {}, { credential: added.known })).status).toBe(200)
})

test('generated credentials have the form that the cloud accepts, and never repeat', async () => {
  const made = await Promise.all(Array.from({ length: 50 }, () => xks().credential()))
  for (const { known } of made) {
    expect(known.accessKeyId).toMatch(/^[A-Z2-7]{26}$/)
    expect(known.secret).toMatch(/^[A-Za-z0-9+/=]{44}$/)
    expect(Buffer.from(known.secret, 'base64')).toHaveLength(32)
  }
  expect(new Set(made.flatMap(({ known }) => [known.accessKeyId, known.secret])).size).toBe(100)
})
