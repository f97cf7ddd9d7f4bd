import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { jsonOf, raw, type RawAnswer } from '../../support/raw.ts'
import { GROUPS, KEYS, useRequests } from './requests.ts'

const { service, token, logIn, as, sent, keysThere } = useRequests()

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
    headers: { authorization: `Bearer ${token()}`, ...(type !== undefined && { 'content-type': type }) },
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

test('without a token, a body of 64 KiB is read, and one byte more is refused: 413', async () => {
  const asked = async (bytes: number) => {
    const body = JSON.stringify({ grant_type: 'password', name: 'nobody', password: 'wrong' })
    const { status } = await service().call('POST', '/v1/auth/tokens', { body: body + ' '.repeat(bytes - body.length) })
    return status
  }
  expect(await asked(65_536)).toBe(401)
  expect(await asked(65_537)).toBe(413)
})

test('a body with 100 unknown fields or more is not checked further', async () => {
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]))
  const refused = async (count: number) => (await as('POST', KEYS, { ...unknown(count), name: 7 })).body
  const pointersOf = ({ errors }: any): string[] => errors.map(({ pointer }: any) => pointer as string)
  expect(pointersOf(await refused(99))).toContain('#/name')
  const many = await refused(150)
  expect(many).toMatchObject({ status: 400, detail: expect.stringContaining('150 faults in all') as string })
  expect(many.errors).toHaveLength(100)
  expect(pointersOf(many)).not.toContain('#/name')
})

test('without a token, a body of more than 1,000 values is refused unchecked, at any depth', async () => {
  const asked = async (name: unknown) => {
    const body = { grant_type: 'password', name, password: 'wrong' }
    return (await service().call('POST', '/v1/auth/tokens', { body })).body
  }
  const numbers = (count: number) => Array.from({ length: count }, () => 7)
  expect((await asked(numbers(900))).errors).toContainEqual({ pointer: '#/name', detail: 'must be a text' })
  for (const many of [numbers(1_001), [[{ a: numbers(1_001) }]], Array.from({ length: 600 }, () => ({ a: 7 }))]) {
    const answer = await asked(many)
    expect(answer).toMatchObject({ status: 400, detail: 'Without a token, a body may have 1000 values at most.' })
    expect(answer.errors).toBeUndefined()
  }
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

test('the last value of a duplicate field counts for every reader', async () => {
  const answer = await sent('{"name":"twice-first","name":"twice-last"}')
  expect(jsonOf(answer)).toMatchObject({ name: 'twice-last' })
  expect((await as('GET', `${KEYS}/twice-first`)).status).toBe(404)
})

test('free JSON cannot set members of prototypes', async () => {
  const meta = { constructor: { prototype: { polluted: true } }, toString: 'a' }
  const made = await as('POST', KEYS, { meta })
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
  expect((await as('GET', `${KEYS}/${made.body.id}`)).body.meta).toEqual(meta)
  const plain = await as('POST', KEYS, {})
  expect(plain.body).not.toHaveProperty('polluted')
})

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
  await logIn()
  expect(await as('POST', '/v1/auth/logout', { all: true })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '#', detail: 'this call takes no body' }] },
  })
})

test('an answer above 1 KB is compressed only for callers that accept it', async () => {
  const get = (target: string, accept?: string): Promise<RawAnswer> =>
    raw(service().deployment.baseUrl, {
      method: 'GET',
      target: `/api${target}`,
      headers: { authorization: `Bearer ${token()}`, ...(accept !== undefined && { 'accept-encoding': accept }) },
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
