import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { jsonOf, raw, type RawAnswer } from '../support/raw.ts'
import { useService, type Answered } from '../support/service.ts'

const service = useService()
let token = ''

beforeAll(async () => {
  token = await service().logIn()
})

const KEYS = '/v1/vault/keys2'
const USERS = '/v1/usermgmt/users'
const GROUPS = '/v1/usermgmt/groups'

const as = (method: string, path: string, body?: unknown, headers = {}): Promise<Answered> =>
  service().call(method, path, { token, body, headers })

/** A request with these bytes as its body. */
const sent = (body: string | Uint8Array, headers: Record<string, string> = {}, target = KEYS): Promise<RawAnswer> =>
  raw(service().deployment.baseUrl, {
    method: 'POST',
    target: `/api${target}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body,
  })

/** The fields that a refusal names, each once, in order. */
const fieldsOf = ({ body }: Pick<Answered, 'body'>): string[] => {
  const errors = (body.errors ?? []) as { pointer?: string; parameter?: string }[]
  return [...new Set(errors.map(({ pointer, parameter }) => pointer ?? parameter ?? ''))].sort()
}

const keysThere = async (): Promise<number> => (await as('GET', KEYS)).body.total as number

test.each([
  ['/v1/nothing/here'],
  ['/v1/vault'],
  ['/v1/vault/keys3'],
  ['/v1/vault/keys2/a/b/c'],
  ['/v2/vault/keys2'],
  ['/v1/VAULT/keys2'],
  ['/v1/vault//keys2'],
  ['/'],
])('the unknown path %s is answered with 404 in our form', async (path) => {
  const { status, body, headers } = await as('GET', path)
  expect(status).toBe(404)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({ code: 5, title: 'Not Found' })
})

test.each([
  ['PUT', KEYS, 'GET, POST'],
  ['PATCH', KEYS, 'GET, POST'],
  ['POST', `${KEYS}/some`, 'GET, PATCH, DELETE'],
  ['GET', `${KEYS}/some/export`, 'POST'],
  ['DELETE', '/v1/audit/records', 'GET'],
  ['POST', '/v1/openapi.json', 'GET'],
  ['OPTIONS', KEYS, 'GET, POST'],
  ['TRACE', KEYS, 'GET, POST'],
])('%s %s is answered with 405 and the allowed methods', async (method, path, allow) => {
  const { status, headers, bytes } = await raw(service().deployment.baseUrl, { method, target: `/api${path}` })
  expect(status).toBe(405)
  expect(headers.allow?.split(', ').sort()).toEqual(allow.split(', ').sort())
  expect(JSON.parse(bytes.toString())).toMatchObject({ status: 405, code: 6 })
})

test.each([
  ['none', undefined],
  ['another', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['several parts', 'multipart/form-data; boundary=x'],
  ['almost ours', 'application/jsonp'],
  ['a list', 'application/json, text/plain'],
])('a body with content type %s is refused: 415', async (_what, type) => {
  const before = await keysThere()
  const answer = await raw(service().deployment.baseUrl, {
    method: 'POST',
    target: `/api${KEYS}`,
    headers: { authorization: `Bearer ${token}`, ...(type !== undefined && { 'content-type': type }) },
    body: '{}',
  })
  expect(answer.status).toBe(415)
  expect(jsonOf(answer)).toMatchObject({ code: 1, title: 'Unsupported Media Type' })
  expect(await keysThere()).toBe(before)
})

test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"'])(
  'content type %s is JSON',
  async (type) => {
    expect((await sent('{}', { 'content-type': type })).status).toBe(201)
  },
)

const MEBIBYTE = 1_048_576
const padded = (bytes: number): string => `{"description":"x"}${' '.repeat(bytes - 19)}`

test('a body of 1 MiB is read, one byte more is refused: 413', async () => {
  expect((await sent(padded(MEBIBYTE))).status).toBe(201)
  const answer = await sent(padded(MEBIBYTE + 1))
  expect(answer.status).toBe(413)
  expect(jsonOf(answer)).toMatchObject({ code: 13, title: 'Content Too Large' })
})

test('the gateway refuses a body above 10 MB in its own form', async () => {
  const answer = await sent(padded(10 * MEBIBYTE + 1))
  expect(answer.status).toBe(413)
  expect(jsonOf(answer)).toEqual({ message: 'Request Entity Too Large' })
})

const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels)

test.each<[string, string | Uint8Array]>([
  ['cut short', '{"name": "a'],
  ['a word', 'nonsense'],
  ['blanks alone', '   '],
  ['single quotes', "{'name': 'a'}"],
  ['a trailing comma', '{"name": "a",}'],
  ['something behind it', '{} {}'],
  ['NaN', '{"size": NaN}'],
  ['a comment', '{/* */}'],
  ['a byte order mark in the middle', '{"name": \uFEFF"a"}'],
  ['a raw line feed in a text', '{"name": "a\nb"}'],
  ['a lone continuation byte', Buffer.from([0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['a byte in a text that is not UTF-8', Buffer.from('{"name":"not-utf-8-\xff"}', 'latin1')],
  ['a character in a text that is cut short', Buffer.from('{"name":"cut-\xf0\x9f\x98"}', 'latin1')],
  ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
  ['100,000 lists in each other', nested(100_000, '[', ']')],
  ['100,000 objects in each other', nested(100_000, '{"a":', '}')],
  ['40 levels in free JSON', `{"meta":{"a":${nested(40, '[', ']')}}}`],
  ['a number beyond any', '{"size": 1e999}'],
  ['such a number in free JSON', '{"meta":{"a":[-1e999]}}'],
  ['a field named __proto__', '{"__proto__": {"unexportable": true}}'],
  ['such a field in free JSON', '{"meta":{"a":{"__proto__":{"b":1}}}}'],
  ['a list', '[]'],
  ['a text', '"a"'],
  ['a number', '7'],
  ['null', 'null'],
  ['true', 'true'],
])('a body that is %s is refused whole: 400', async (_what, body) => {
  const before = await keysThere()
  const answer = await sent(body)
  expect(answer.status, answer.bytes.toString()).toBe(400)
  expect(jsonOf(answer)).toMatchObject({ code: 1, title: 'Bad Request' })
  expect(await keysThere()).toBe(before)
})

test('the replacement character is read where it is escaped', async () => {
  expect(jsonOf(await sent('{"description":"\\ufffd"}'))).toMatchObject({ description: '\uFFFD' })
})

test.each([101, 112_000])('of %i faults 100 are named, with their number', async (count) => {
  const fields = Object.fromEntries(Array.from({ length: count }, (_, n) => [n.toString(36), 1]))
  const answer = await sent(JSON.stringify(fields))
  expect(answer.status).toBe(400)
  const body = jsonOf(answer)
  expect(body.errors).toHaveLength(100)
  expect(body.detail).toContain(`${count} faults in all`)
})

test.each([
  ['1e308', '{"size": 1e308}', ['#/size'], 422],
  ['20 digits', '{"size": 18446744073709551616}', ['#/size'], 422],
  ['a fraction', '{"size": 256.5}', ['#/size'], 400],
  ['a number as a text', '{"size": "256"}', ['#/size'], 400],
  ['minus 0', '{"size": -0}', ['#/size'], 422],
  ['below all sizes', '{"size": -1}', ['#/size'], 422],
])('a size of %s is refused', async (_what, body, fields, status) => {
  const answer = await sent(body)
  expect(fieldsOf({ body: jsonOf(answer) })).toEqual(expect.arrayContaining(fields))
  expect(answer.status, answer.bytes.toString()).toBe(status)
})

test('the last value of a duplicate field counts for every reader', async () => {
  const answer = await sent('{"name":"twice-first","name":"twice-last"}')
  expect(jsonOf(answer)).toMatchObject({ name: 'twice-last' })
  expect((await as('GET', `${KEYS}/twice-first`)).status).toBe(404)
})

test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('%s is an unknown field', async (field) => {
  const refused = await as('POST', KEYS, { [field]: {} })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: `#/${field}` }] } })
})

test('free JSON cannot set members of prototypes', async () => {
  const meta = { constructor: { prototype: { polluted: true } }, toString: 'a' }
  const made = await as('POST', KEYS, { meta })
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
  expect((await as('GET', `${KEYS}/${made.body.id}`)).body.meta).toEqual(meta)
  const plain = await as('POST', KEYS, {})
  expect(plain.body).not.toHaveProperty('polluted')
})

test.each([
  ['NUL', 'a\u0000b'],
  ['a line feed', 'a\nb'],
  ['DEL', 'a\u007f'],
  ['a C1 control', 'a\u0085b'],
  ['<', 'a<b'],
  ['>', 'a>b'],
  ['a backslash', 'a\\b'],
  ['nothing', ''],
  ['256 characters', 'x'.repeat(256)],
])('a name with %s is refused: 422', async (_what, name) => {
  for (const [path, field, more] of [
    [KEYS, 'name', {}],
    [GROUPS, 'name', {}],
    [USERS, 'username', { password: 'Correct-horse-7' }],
    ['/v1/usermgmt/pwdpolicies', 'policy_name', {}],
  ] as const) {
    const refused = await as('POST', path, { [field]: name, ...more })
    expect(refused.status, path).toBe(422)
    expect(fieldsOf(refused), path).toEqual([`#/${field}`])
    expect(refused.body.detail).not.toContain(name === '' ? '\u0000' : name)
  }
})

test.each(['x'.repeat(255), '名前', 'a b', '👩‍💻', 'a:b', 'a.b', "a'b", '..', '%41'])(
  '%j is a valid name',
  async (name) => {
    const made = await as('POST', GROUPS, { name })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body.name).toBe(name)
  },
)

test.each<[string, unknown]>([
  ['name', 'a\ud800'],
  ['labels', { l: '\udc00a' }],
  ['labels', { '\ud800': 'l' }],
  ['meta', { m: ['\ud800'] }],
  ['meta', { '\ud800': 1 }],
  ['keyId', '\ud800'],
  ['aliases', [{ alias: '\ud800' }]],
  ['algorithm', '\ud800'],
  ['material', '\ud800'],
  ['\ud800', 'a'],
])('a lone surrogate in %j is refused: 400', async (field, value) => {
  const refused = await as('POST', KEYS, { [field]: value })
  expect(refused.status, JSON.stringify(refused.body)).toBe(400)
  expect(refused.body.detail).toContain('not valid Unicode')
})

test('a missing body means the empty object', async () => {
  expect((await as('POST', KEYS)).status).toBe(201)
  const lacking = await as('POST', GROUPS)
  expect(lacking).toMatchObject({ status: 422, body: { errors: [{ pointer: '#/name', detail: 'is required' }] } })
  expect((await as('POST', '/v1/auth/logout', {})).status).toBe(204)
  token = await service().logIn()
  expect(await as('POST', '/v1/auth/logout', { all: true })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '#', detail: 'this call takes no body' }] },
  })
})

test.each<[string, string, unknown, number, string[]]>([
  ['two unknown fields', KEYS, { shoe: 1, 'a/b~c': 2 }, 400, ['#/a~1b~0c', '#/shoe']],
  ['an unknown field within', KEYS, { aliases: [{ alias: 'x', shoe: 1 }] }, 400, ['#/aliases/0/shoe']],
  ['wrong types within', KEYS, { labels: { a: 1 }, aliases: [{ alias: 'x' }, 7] }, 400, ['#/aliases/1', '#/labels/a']],
  ['what is missing', USERS, {}, 422, ['#/password', '#/username']],
  ['missing and unknown', USERS, { shoe: 1 }, 400, ['#/password', '#/shoe', '#/username']],
  ['null for a required field', GROUPS, { name: null }, 400, ['#/name']],
  ['a word that is none of the choices', KEYS, { state: 'Asleep', format: 'jpeg' }, 422, ['#/format', '#/state']],
  ['a choice of the wrong type', KEYS, { state: 7 }, 400, ['#/state']],
  [
    'rules between fields and faults of fields',
    KEYS,
    {
      activationDate: '2031-01-01T00:00:00Z',
      deactivationDate: '2030-01-01T00:00:00Z',
      password: 'p',
      rotationFrequencyDays: -1,
      name: '<',
    },
    422,
    ['#/deactivationDate', '#/name', '#/password', '#/rotationFrequencyDays'],
  ],
  [
    'rules between fields beside an unknown field',
    KEYS,
    { material: 'ff', emptyMaterial: true, shoe: 1, algorithm: 'rot13' },
    400,
    ['#/algorithm', '#/emptyMaterial', '#/shoe'],
  ],
  [
    'rules of a token request',
    '/v1/auth/tokens',
    { grant_type: 'device_code', renew_refresh_token: true, auth_domain: 'a', auth_domain_path: '/b' },
    422,
    ['#/auth_domain', '#/device_token', '#/renew_refresh_token'],
  ],
  ['a date without a time', KEYS, { activationDate: '2030-01-01' }, 422, ['#/activationDate']],
  ['a day that never was', KEYS, { activationDate: '2030-02-30T00:00:00Z' }, 422, ['#/activationDate']],
])('all faults are named at once: %s', async (_what, path, body, status, fields) => {
  const refused = await as('POST', path, body)
  expect(fieldsOf(refused), JSON.stringify(refused.body)).toEqual(fields)
  expect(refused.status).toBe(status)
  expect(refused.body.code).toBe(status === 400 ? 1 : 2)
})

test('faults of path, query and body are named together, and any in path or query makes it 400', async () => {
  const refused = await as('PATCH', '/v1/domains/not-an-id?colour=red', { allow_user_management: 'yes', name: '' })
  expect(refused.status).toBe(400)
  expect(fieldsOf(refused)).toEqual(['#/allow_user_management', '#/name', 'colour', 'id'])
  const ruleAndQuery = await as('POST', `${KEYS}?includeMaterial=perhaps`, { name: '<' })
  expect(ruleAndQuery.status).toBe(400)
  expect(fieldsOf(ruleAndQuery)).toEqual(['#/name', 'includeMaterial'])
})

test('an error has one form with all its members', async () => {
  const { status, body, headers } = await as('POST', KEYS, { size: 'x' })
  expect(status).toBe(400)
  expect(body).toEqual({
    type: 'urn:keymgr:problem:body-invalid',
    title: 'Bad Request',
    status: 400,
    detail: '#/size must be a number.',
    traceId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    code: 1,
    codeDesc: 'KMERRBadRequest: #/size must be a number.',
    errors: [{ pointer: '#/size', detail: 'must be a number' }],
  })
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('x-request-id')).toBe(body.traceId)
  expect((await as('GET', KEYS)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('a refusal never repeats the input', async () => {
  const marker = 'repeat-me-not-7c1f'
  for (const answer of [
    await as('POST', KEYS, { size: marker, material: marker, state: marker, algorithm: marker }),
    await as('POST', USERS, { username: 'x', password: marker, email: marker }),
    await as('POST', '/v1/auth/tokens', { name: 'x', password: { marker } }),
    await as('GET', `${KEYS}?limit=${marker}&state=${marker}&sort=${marker}`),
    await as('GET', `/v1/domains/${marker}`),
    await as('POST', KEYS, `{"${marker}`),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(answer.body)).not.toContain(marker)
  }
})

test('an answer above 1 KB is compressed only for callers that accept it', async () => {
  const get = (target: string, accept?: string): Promise<RawAnswer> =>
    raw(service().deployment.baseUrl, {
      method: 'GET',
      target: `/api${target}`,
      headers: { authorization: `Bearer ${token}`, ...(accept !== undefined && { 'accept-encoding': accept }) },
    })
  const plain = await get(`${KEYS}?limit=10`)
  expect(plain.bytes.length).toBeGreaterThan(1_024)
  expect(plain.headers).toMatchObject({ vary: 'accept-encoding' })
  for (const accept of ['gzip', 'br, gzip;q=0.5', 'GZIP', 'deflate, gzip;q=1.0, *;q=0.1']) {
    const packed = await get(`${KEYS}?limit=10`, accept)
    expect(packed.headers['content-encoding'], accept).toBe('gzip')
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes)
  }
  for (const accept of [undefined, 'identity', 'gzip;q=0', 'br', 'x-gzipped'])
    expect((await get(`${KEYS}?limit=10`, accept)).headers, accept).not.toHaveProperty('content-encoding')
  const small = await get('/v1/auth/jwks.json', 'gzip')
  expect(small.bytes.length).toBeLessThan(1_024)
  expect(small.headers).not.toHaveProperty('content-encoding')
})

test.each([
  ['/v1/vault/keys3', 'did you mean /api/v1/vault/keys2?'],
  ['/v1/vault/keys2/a/exprt', 'did you mean /api/v1/vault/keys2/{id}/export?'],
  ['/v1/vault/nothing-like-it', 'There is nothing at this address. GET /api/v1/openapi.json'],
  ['/v1/valt/keys2', 'GET /api/v1/openapi.json describes every call.'],
])('an address that is none points to what there is: %s', async (path, words) => {
  const { status, body } = await as('POST', path, {})
  expect(status).toBe(404)
  expect(body.detail).toContain(words)
})

test('an id of another form points to the list that finds it by a name', async () => {
  const { status, body } = await as('GET', '/v1/domains/mine')
  expect(status).toBe(400)
  expect(body.detail).toContain('GET /api/v1/domains?name=… finds it by its name')
})

test.each([
  '/v1/keymgr/ekm/cryptospaces',
  '/v1/keymgr/ekm/issuers',
  '/v1/connectionmgmt/services/datacust/connections',
])('%s says that it is not offered before it asks for fields', async (path) => {
  expect((await as('POST', path, { colour: 'red' })).status).toBe(501)
})

test('no token, a garbage token and an expired one are told apart', async () => {
  const detail = async (authorization?: string): Promise<string> => {
    const headers = authorization === undefined ? {} : { authorization }
    return (await service().call('GET', '/v1/domain', { headers })).body.detail as string
  }
  expect(await detail()).toContain('This call needs a token')
  expect(await detail('Bearer garbage')).toContain('does not hold a token of ours')
  expect(await detail('Bearer a.b.c')).toContain('is not one of ours')
})

test('an audit record has an ETag', async () => {
  const { body } = await as('GET', '/v1/audit/records?limit=1')
  const { headers } = await as('GET', `/v1/audit/records/${body.resources[0].id as string}`)
  expect(headers.get('etag')).toBe('"1"')
})
