import * as http from 'node:http'
import * as net from 'node:net'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDeployment, type Deployment } from '../../../../infra/local/deployment.ts'
import { buildFixtures, ROWS } from '../deployment-support.ts'

let deployment: Deployment
let port: number

beforeAll(async () => {
  deployment = await startDeployment({ bundles: await buildFixtures(), functions: ROWS })
  port = Number(new URL(deployment.baseUrl).port)
})
afterAll(() => deployment.stop())

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** Sends the path unchanged: `fetch` would normalize it. */
function send(path: string, options: http.RequestOptions & { body?: string | Buffer } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ port, host: '127.0.0.1', path, ...options }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    request.on('error', reject).end(options.body)
  })
}

async function eventOf(path: string, options: Parameters<typeof send>[1] = {}): Promise<APIGatewayProxyEventV2> {
  const { body } = await send(path, options)
  return (JSON.parse(body) as { event: APIGatewayProxyEventV2 }).event
}

/** Sends bytes on a bare connection and reads until it ends. */
function sendBytes(...parts: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString('latin1')))
    socket.on('close', () => resolve(received)).on('error', reject)
    for (const part of parts) socket.write(part, 'latin1')
  })
}

test('a function sees a complete event of payload format 2.0', async () => {
  deployment.clock.set(new Date('2031-02-03T04:05:06.789Z'))
  const event = await eventOf('/api/v1/echo/thing?a=1', {
    headers: { 'user-agent': 'tests', host: 'key.example:8080' },
  })
  const timeEpoch = event.requestContext.timeEpoch
  expect(new Date(timeEpoch).toISOString()).toMatch(/^2031-02-03T04:05:0/)
  expect(event).toEqual({
    version: '2.0',
    routeKey: 'ANY /api/v1/echo/{proxy+}',
    rawPath: '/api/v1/echo/thing',
    rawQueryString: 'a=1',
    headers: {
      host: 'key.example:8080',
      'user-agent': 'tests',
      'x-amzn-trace-id': expect.stringMatching(/^Root=1-[\da-f]{8}-[\da-f]{24}$/) as string,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-port': String(port),
      'x-forwarded-proto': 'http',
    },
    queryStringParameters: { a: '1' },
    pathParameters: { proxy: 'thing' },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: 'key.example',
      domainPrefix: 'key',
      http: {
        method: 'GET',
        path: '/api/v1/echo/thing',
        protocol: 'HTTP/1.1',
        sourceIp: '127.0.0.1',
        userAgent: 'tests',
      },
      requestId: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      routeKey: 'ANY /api/v1/echo/{proxy+}',
      stage: '$default',
      time: expect.stringMatching(/^03\/Feb\/2031:04:05:0\d \+0000$/) as string,
      timeEpoch,
    },
    isBase64Encoded: false,
  })
})

test.each([
  ['decoded', '/api/v1/echo/a%20b/%C3%A9', '/api/v1/echo/a b/é', ''],
  ['decoded once', '/api/v1/echo/100%2525', '/api/v1/echo/100%25', ''],
  ['with decoded slashes', '/api/v1/echo/a%2Fb', '/api/v1/echo/a/b', ''],
  ['cut at a decoded question mark', '/api/v1/echo/who%3F/me?x=1', '/api/v1/echo/who', 'x=1'],
  ['with its plus signs', '/api/v1/echo/a+b', '/api/v1/echo/a+b', ''],
  ['with a slash at its end', '/api/v1/echo/', '/api/v1/echo/', ''],
  ['and its query as sent', '/api/v1/echo?a=%20%2B+&a=2&b', '/api/v1/echo', 'a=%20%2B+&a=2&b'],
  ['without the authority of an absolute target', 'http://elsewhere/api/v1/echo/x?y', '/api/v1/echo/x', 'y'],
])('the path is decoded: %s', async (_what, target, rawPath, rawQueryString) => {
  const event = await eventOf(target)
  expect(event).toMatchObject({ rawPath, rawQueryString, requestContext: { http: { path: rawPath } } })
})

test('a repeated query name is joined with commas, decoded', async () => {
  const { queryStringParameters } = await eventOf('/api/v1/echo?a=%20%2B+&a=2&b')
  expect(queryStringParameters).toEqual({ a: ' + ,2', b: '' })
})

test.each(['/api/v1/echo/%zz', '/api/v1/echo/%C3', '*'])(
  'a target that cannot be decoded is refused: %s',
  async (target) => {
    const answer = await send(target, { method: 'OPTIONS' })
    expect([answer.status, answer.body]).toEqual([400, '{"message":"Bad Request"}'])
  },
)

test('the longest prefix takes precedence, by whole segments, and $default serves all other paths', async () => {
  expect((await eventOf('/api/v1/echo/deep')).routeKey).toBe('ANY /api/v1/echo/deep')
  expect((await send('/api/v1/echo/deep/trouble/calls')).body).toMatch(/^{"calls":/)
  expect((await eventOf('/api/v1/echo/deep/troubled')).routeKey).toBe('ANY /api/v1/echo/deep/{proxy+}')
  expect((await send('/api/v1/echoes')).status).toBe(404)
  expect((await send('/')).body).toBe('{"title":"nobody claims this path"}')
})

test('header names are lower-case, repeated headers joined, cookies apart', async () => {
  const received = await sendBytes(
    'GET /api/v1/echo HTTP/1.1\r\nHost: a\r\nX-Many: 1\r\nx-many: 2\r\nAuthorization: one\r\nauthorization: two\r\n' +
      'Cookie: a=1; b=2\r\nCookie: c=3\r\nX-Forwarded-For: 192.0.2.1\r\nConnection: close\r\n\r\n',
  )
  const { event } = JSON.parse(received.slice(received.indexOf('\r\n\r\n'))) as { event: APIGatewayProxyEventV2 }
  expect(event.cookies).toEqual(['a=1', 'b=2', 'c=3'])
  expect(event.headers).toMatchObject({
    'x-many': '1,2',
    authorization: 'one,two',
    'x-forwarded-for': '192.0.2.1, 127.0.0.1',
  })
  expect(event.headers).not.toHaveProperty('cookie')
  expect(event.headers).not.toHaveProperty('connection')
})

const umlaut = Buffer.from('{"a":"ü"}')
test.each([
  ['application/json', false],
  ['application/json; charset=utf-8', false],
  ['Text/CSV', false],
  ['application/xml', false],
  ['application/x-www-form-urlencoded', true],
  ['application/octet-stream', true],
  ['application/problem+json', true],
  [undefined, true],
])('a body of type %s: base64 is %s', async (type, encoded) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  const event = await eventOf('/api/v1/echo', { method: 'POST', headers, body: umlaut })
  expect(event.isBase64Encoded).toBe(encoded)
  expect(event.body).toBe(umlaut.toString(encoded ? 'base64' : 'utf8'))
})

test('a compressed body is base64 whatever its type', async () => {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const event = await eventOf('/api/v1/echo', { method: 'POST', headers, body: umlaut })
  expect(event.isBase64Encoded).toBe(true)
})

test('a request without a body has none in its event', async () => {
  expect(await eventOf('/api/v1/echo', { method: 'DELETE' })).not.toHaveProperty('body')
})

const answerOf = (result: unknown) =>
  send('/api/v1/echo/deep/trouble/answer', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(result),
  })

test('a response carries status, headers, cookies and a decoded body', async () => {
  const { status, headers, body } = await answerOf({
    statusCode: 201,
    headers: { 'X-One': 1, 'content-type': 'text/csv', 'Content-Length': '999' },
    multiValueHeaders: { 'x-two': ['a', 'b'] },
    cookies: ['c=1; Secure', 'd=2'],
    body: Buffer.from('a,b').toString('base64'),
    isBase64Encoded: true,
  })
  expect({ status, body }).toEqual({ status: 201, body: 'a,b' })
  expect(headers).toMatchObject({
    'x-one': '1',
    'x-two': 'a, b',
    'content-type': 'text/csv',
    'content-length': '3',
    'set-cookie': ['c=1; Secure', 'd=2'],
  })
  expect(headers['apigw-requestid']).toBeDefined()
})

test.each([
  ['an object without a status', { a: 1 }, '{"a":1}'],
  ['a text', 'hello', 'hello'],
  ['nothing', null, 'null'],
])('%s is the body of a 200 in JSON', async (_what, result, body) => {
  const answer = await answerOf(result)
  expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([200, 'application/json', body])
})

test.each([
  ['a status that is none', { statusCode: 'fine' }],
  ['a status out of range', { statusCode: 99 }],
  ['a body that is no text', { statusCode: 200, body: { a: 1 } }],
  ['a header that would break the response', { statusCode: 200, headers: { 'x-a': 'b\r\nx-c: d' } }],
])('a response with %s is the gateway’s 500', async (_what, result) => {
  const answer = await answerOf(result)
  expect([answer.status, answer.body]).toEqual([500, '{"message":"Internal Server Error"}'])
})

test('an answer of 204 has no body and no length', async () => {
  const answer = await answerOf({ statusCode: 204, headers: { 'x-a': '1' } })
  expect([answer.status, answer.body, answer.headers['content-length'], answer.headers['x-a']]).toEqual([
    204,
    '',
    undefined,
    '1',
  ])
})

test('HEAD has the headers of GET, its length too, and no body', async () => {
  const answer = await send('/api/v1/echo', { method: 'HEAD' })
  expect(answer.status).toBe(200)
  expect(Number(answer.headers['content-length'])).toBeGreaterThan(100)
  expect(answer.body).toBe('')
})

const tooLarge = '{"message":"Request Entity Too Large"}'
const limitBytes = 10 * 1024 * 1024

test('a body of 10 MB passes, one byte more is a 413', async () => {
  const headers = { 'content-type': 'text/plain' }
  const path = '/api/v1/echo/deep/trouble/calls'
  expect((await send(path, { method: 'POST', headers, body: Buffer.alloc(limitBytes, 'a') })).status).toBe(200)
  const answer = await send(path, { method: 'POST', headers, body: Buffer.alloc(limitBytes + 1, 'a') })
  expect([answer.status, answer.body]).toEqual([413, tooLarge])
})

test('a body without a length is counted while it arrives', async () => {
  const headers = { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }
  const answer = await send('/api/v1/echo', { method: 'POST', headers, body: Buffer.alloc(limitBytes + 1, 'a') })
  expect([answer.status, answer.body]).toEqual([413, tooLarge])
})

const posted = (length: number) =>
  `POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n`

test('a client with Expect receives 100, or 413 before it sends the body', async () => {
  const refused = await sendBytes(`${posted(limitBytes + 1)}Expect: 100-continue\r\n\r\n`)
  expect(refused).toMatch(/^HTTP\/1.1 413 /)
  const taken = await sendBytes(`${posted(5)}Expect: 100-continue\r\nConnection: close\r\n\r\n`, 'hello')
  expect(taken).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/)
  expect(taken).toContain('"body":"hello"')
})

test.each([
  ['above the quota', 10_300],
  ['far above it', 100_000],
])('headers %s are a 431', async (_what, bytes) => {
  const received = await sendBytes(
    `GET /api/v1/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Long: ${'x'.repeat(bytes)}\r\n\r\n`,
  )
  expect(received).toMatch(/^HTTP\/1.1 431 /)
  expect(received).toMatch(/\r\n\r\n{"message":"Request Header Fields Too Large"}$/)
})

test('headers just below the quota pass', async () => {
  expect((await send('/api/v1/echo', { headers: { 'x-long': 'x'.repeat(10_000) } })).status).toBe(200)
})

test('a request that is not HTTP gets a 400, and the next caller is served', async () => {
  expect(await sendBytes('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect((await send('/api/v1/echo')).status).toBe(200)
})

test('a client that disconnects, before or after its request is complete, affects no other', async () => {
  await new Promise<void>((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(posted(1000) + '\r\nhalf', () => socket.destroy()))
    socket.on('close', () => resolve())
  })
  await new Promise<void>((resolve) => {
    const request = 'GET /api/v1/echo/deep/trouble/slow HTTP/1.1\r\nHost: a\r\n\r\n'
    const socket = net.connect(port, '127.0.0.1', () => socket.write(request, () => socket.destroy()))
    socket.on('close', () => resolve())
  })
  expect((await send('/api/v1/echo')).status).toBe(200)
  expect(deployment.logs().filter(({ source }) => source === 'keymgr')).toEqual([])
})

test('a connection is kept for the next request', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const first = await eventOf('/api/v1/echo', { agent })
  expect((await send('/api/v1/echo', { agent })).headers.connection).toBe('keep-alive')
  expect(first.requestContext.requestId).not.toBe((await eventOf('/api/v1/echo', { agent })).requestContext.requestId)
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
  agent.destroy()
})
