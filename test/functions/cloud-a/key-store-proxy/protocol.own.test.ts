import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { parsePath } from '../../../../shared/clouds/cloud-a/key-stores/proxy/address.ts'
import { XKS_ERRORS } from '../../../../shared/clouds/cloud-a/key-stores/proxy/errors.ts'
import { addressOf, METADATA, refusal, useXks, type Operation, type TestStore } from './proxy.ts'

const xks = useXks()
let store: TestStore
let key = ''
const OPERATIONS: readonly Operation[] = ['health', 'metadata', 'encrypt', 'decrypt']
const FIELDS: Readonly<Record<Operation, object>> = {
  health: {},
  metadata: {},
  encrypt: { plaintext: 'AAAA', encryptionAlgorithm: 'AES_GCM' },
  decrypt: {},
}

beforeAll(async () => {
  store = await xks().store()
  key = (await xks().key(store)).id
  const encrypted = await xks().encrypt(store, key, Buffer.alloc(3))
  Object.assign(FIELDS.decrypt, encrypted, { encryptionAlgorithm: 'AES_GCM' })
})

const INVALID = refusal(400, 'ValidationException')
const NOWHERE = refusal(404, 'InvalidUriPathException')

test('the four paths of a key store are known, and no prefix but ours', () => {
  const storeId = randomUUID()
  const below = `/${storeId}/kms/xks/v1`
  const base = `/api/v1/keymgr/cloud-a/xks-proxy-endpoints${below}`
  const common = { method: 'POST', storeId }
  expect(parsePath(`${base}/health`)).toEqual({ ...common, operation: 'GetHealthStatus', key: '' })
  expect(parsePath(`${base}/keys/a.B-_9/metadata`)).toEqual({ ...common, operation: 'GetKeyMetadata', key: 'a.B-_9' })
  expect(parsePath(`${base}/keys/k/encrypt`)).toEqual({ ...common, operation: 'Encrypt', key: 'k' })
  expect(parsePath(`${base}/keys/k/decrypt`)).toEqual({ ...common, operation: 'Decrypt', key: 'k' })
  for (const prefix of ['', '/one', '/one/two/three']) expect(parsePath(`${prefix}${below}/health`)).toBeUndefined()
})

test.each(OPERATIONS)('%s answers at its address', async (operation) => {
  expect((await xks().call(store, operation, key, FIELDS[operation])).status).toBe(200)
})

test.each(['.', '..', 'a'.repeat(129), 'a b', 'a+b', 'ü'])('the key id "%s" is not found', async (id) => {
  const path = `${store.path}/keys/${encodeURIComponent(id).replaceAll('.', '%2E')}/metadata`
  expect(await xks().send(store, path)).toEqual(NOWHERE)
})

test.each(OPERATIONS)('other methods than POST on %s are answered 405, without a signature', async (operation) => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers, body } = await xks().send(store, addressOf(store, operation, key), {
      method,
      headers: { authorization: '' },
    })
    expect([status, headers.allow, headers['content-type']]).toEqual([405, 'POST', 'application/json'])
    expect(body).toEqual({ errorMessage: 'Only POST is answered here.' })
  }
})

test.each([
  '/kms/xks/v1/health',
  '/shop/kms/xks/v1/keys/any/encrypt',
  '/api/v1/keymgr/cloud-a/xks-proxy-endpoint/0190aaaa-0000-7000-8000-000000000000/kms/xks/v2/keys/any/metadata',
  '/api/v1/keymgr/cloud-c/kms/xks/v1/keys/any/decrypt',
])('a call that strays to %s is answered in the form of the protocol', async (path) => {
  for (const method of ['POST', 'GET']) expect(await xks().send(store, path, { method })).toEqual(NOWHERE)
})

test('paths that end otherwise are answered as everywhere else', async () => {
  for (const path of ['/kms/xks/v1/healthy', '/kms/xks/v1/keys/any/sign', '/kms/xks/health']) {
    const { status, body } = await xks().send(store, path)
    expect([status, body.code]).toEqual([404, 5])
  }
})

test('a path other than the four addresses is not found, also with a valid signature', async () => {
  const base = store.path.replace('/kms/xks/v1', '')
  const endpoints = base.slice(0, base.lastIndexOf('/'))
  for (const path of [
    `${base}/extra/kms/xks/v1/health`,
    `${endpoints}/extra/${store.id}/kms/xks/v1/health`,
    `${endpoints}/0190aaaa-0000-7000-8000-000000000000/kms/xks/v1/health`,
    `${endpoints}/nothing/kms/xks/v1/health`,
    `${endpoints}/${store.id.toUpperCase()}/kms/xks/v1/health`,
    `${base}/kms/xks/v2/health`,
    `${store.path}/healthy`,
    `${store.path}/health/`,
    `${store.path}//health`,
    `${store.path}/keys/${key}/sign`,
    `${store.path}/keys/${key}`,
    `${store.path}/keys//metadata`,
    store.path,
    endpoints,
  ])
    expect(await xks().send(store, path), path).toEqual(NOWHERE)
})

test('a query in the address is never ignored', async () => {
  const path = addressOf(store, 'health')
  expect(await xks().send(store, path, { sentTo: `${path}?a=1` })).toEqual(NOWHERE)
})

test('every answer is one line of JSON with content type and length', async () => {
  const answers = [
    await xks().call(store, 'metadata', key),
    await xks().call(store, 'metadata', 'nobody'),
    await xks().call(store, 'health', '', {}, { headers: { authorization: 'x' } }),
    await xks().send(store, `${store.path}/nowhere`),
    await xks().call(store, 'encrypt', key, {}),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 404, 400])
  for (const { text, headers } of answers) {
    expect(headers['content-type']).toBe('application/json')
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
    expect(text).toMatch(/^\{.*\}$/)
  }
})

test('one connection serves several requests', async () => {
  for (let at = 0; at < 5; at++) {
    const { status, headers } = await xks().call(store, 'health')
    expect([status, headers.connection]).toEqual([200, 'keep-alive'])
  }
})

test('the largest request is accepted, and its ciphertext decrypts', async () => {
  const arn = `arn:aws:iam::111122223333:role/${'r'.repeat(2048 - 31)}`
  const requestMetadata = { ...METADATA, awsPrincipalArn: arn, kmsKeyArn: arn }
  const additionalAuthenticatedData = Buffer.alloc(8192, 7).toString('base64')
  const plaintext = Buffer.alloc(4300, 9)
  const encrypted = await xks().encrypt(store, key, plaintext, { additionalAuthenticatedData, requestMetadata })
  const fields = { ...encrypted, encryptionAlgorithm: 'AES_GCM', additionalAuthenticatedData, requestMetadata }
  expect(JSON.stringify(fields).length).toBeGreaterThan(20_000)
  expect(await xks().ok(store, 'decrypt', key, fields)).toEqual({ plaintext: plaintext.toString('base64') })
})

const REQUIRED: Readonly<Record<Operation, readonly (keyof typeof METADATA)[]>> = {
  health: ['kmsRequestId', 'kmsOperation'],
  metadata: ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn'],
  encrypt: ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn', 'kmsKeyArn'],
  decrypt: ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn', 'kmsKeyArn'],
}

test.each(OPERATIONS)(
  '%s refuses a body without a required field, or with a field of another type',
  async (operation) => {
    for (const field of Object.keys(METADATA) as (keyof typeof METADATA)[]) {
      const isRequired = REQUIRED[operation].includes(field)
      for (const value of [undefined, 7, null, [], {}]) {
        const requestMetadata = { ...METADATA, [field]: value }
        const answer = await xks().call(store, operation, key, { ...FIELDS[operation], requestMetadata })
        const said = `${field}: ${JSON.stringify(value)}`
        if (value === undefined && !isRequired) expect(answer.status, said).toBe(200)
        else expect(answer, said).toEqual(INVALID)
      }
    }
  },
)

test.each([{}, { requestMetadata: {} }, { requestMetadata: null }, { requestMetadata: [] }, { requestMetadata: 'x' }])(
  'GetHealthStatus refuses the body %j',
  async (body) => expect(await xks().send(store, addressOf(store, 'health'), { body })).toEqual(INVALID),
)

test.each(OPERATIONS)('%s refuses a body that is no JSON object', async (operation) => {
  for (const body of ['', '{', 'null', '7', '"x"', '[]', '[{"requestMetadata":{}}]'])
    expect(await xks().send(store, addressOf(store, operation, key), { body }), body).toEqual(INVALID)
})

test('a body with a replacement character for invalid UTF-8 is refused', async () => {
  const body = JSON.stringify({ requestMetadata: { ...METADATA, kmsOperation: '\uFFFD' } })
  expect(await xks().send(store, addressOf(store, 'health'), { body })).toEqual(INVALID)
})

test('another content type is refused, parameters of the content type are accepted', async () => {
  const typed = (type: string) => xks().call(store, 'health', '', {}, { headers: { 'content-type': type } })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/json5'])
    expect(await typed(type), type).toEqual(INVALID)
  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])
    expect((await typed(type)).status, type).toBe(200)
})

test.each([
  ['an unknown kmsOperation', { kmsOperation: 'SomethingNew' }],
  ['fields of later protocol versions', { attestation: { a: 1 }, tags: ['x'] }],
  ['a service as principal', { awsPrincipalArn: 'ec2.amazonaws.com' }],
  ['the cloud itself as principal', { awsPrincipalArn: 'AWS Internal' }],
  ['a very long principal', { awsPrincipalArn: `arn:aws:sts::1:assumed-role/${'x'.repeat(2020)}` }],
  [
    'the service that calls on behalf of the principal',
    { kmsViaService: 'ebs.eu-west-1.amazonaws.com', awsSourceVpc: 'vpc-1', awsSourceVpce: 'vpce-1' },
  ],
])('%s is accepted', async (_what, more) => {
  for (const operation of OPERATIONS) {
    const requestMetadata = { ...METADATA, ...more }
    const { status } = await xks().call(store, operation, key, { ...FIELDS[operation], requestMetadata, another: 1 })
    expect(status, operation).toBe(200)
  }
})

test('the access log has the metadata of a request as received, the outcome and the time', async () => {
  const kmsRequestId = 'no uuid "\n\u2028 {}'
  const fields = { ...FIELDS.metadata, requestMetadata: { ...METADATA, kmsRequestId, kmsViaService: 'via' } }
  await xks().call(store, 'metadata', key, fields)
  await xks().call(store, 'metadata', 'nobody', fields)
  const [done, refused] = await xks().lines(2, { kmsRequestId })
  expect(done).toMatchObject({
    ...METADATA,
    kmsRequestId,
    kmsViaService: 'via',
    operation: 'GetKeyMetadata',
    keyStore: store.id,
    key,
    outcome: 'success',
    status: 200,
  })
  expect(done.ms).toBeGreaterThan(0)
  expect(refused).toMatchObject({ outcome: 'KeyNotFoundException', status: 404, key: 'nobody', audit: true })
})

test('every error has the status of the protocol and a message of printable ASCII within the size limit', () => {
  const statuses = Object.fromEntries(Object.entries(XKS_ERRORS).map(([name, { status }]) => [name, status]))
  expect(statuses).toEqual({
    ValidationException: 400,
    InvalidStateException: 400,
    InvalidCiphertextException: 400,
    InvalidKeyUsageException: 400,
    AuthenticationFailedException: 401,
    KeyNotFoundException: 404,
    InvalidUriPathException: 404,
    ThrottlingException: 429,
    InternalException: 500,
    UnsupportedOperationException: 501,
    DependencyTimeoutException: 503,
  })
  for (const { text } of Object.values(XKS_ERRORS)) expect(text).toMatch(/^[\x20-\x7e]{1,200}$/)
})

test('no error repeats input of the caller', async () => {
  const marker = 'geheim-Ж-🔑'
  const answers = [
    await xks().call(store, 'encrypt', key, { plaintext: marker, encryptionAlgorithm: 'AES_GCM' }),
    await xks().call(store, 'encrypt', key, { plaintext: 'AAAA', encryptionAlgorithm: marker }),
    await xks().send(store, addressOf(store, 'health'), { body: marker }),
    await xks().call(store, 'health', '', { requestMetadata: { [marker]: 1 } }),
  ]
  for (const { status, text } of answers) {
    expect(status).toBe(400)
    expect(text).toMatch(/^[\x20-\x7e]+$/)
    expect(text).not.toContain('geheim')
  }
})
