import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  AddressRefused,
  assertFetchable,
  lookupOf,
  sendGuarded,
} from '../../../../shared/base/network/guarded-fetch.ts'

/** Answer of the server to the next request; its received requests, and its connections. */
let answer: (socket: Socket) => void = () => undefined
let requests: string[] = []
let connections = 0
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  connections++
  sockets.add(socket)
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    requests.push(bytes.toString('latin1'))
    answer(socket)
  })
})
const at = (path = '/', host = '127.0.0.1') =>
  new URL(`http://${host}:${(server.address() as AddressInfo).port}${path}`)
const reply = (status: string, body: string) => (socket: Socket) =>
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})
beforeEach(() => {
  requests = []
  connections = 0
  answer = reply('200 OK', '{}')
})

const HERE = { allowsLoopback: true }
const AWAY = { allowsLoopback: false }

test('a request is sent once, with its headers and its body', async () => {
  answer = reply('201 Created', '{"a":"ü"}')
  const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"b":"ü"}' } as const
  expect(await sendGuarded(at('/x?y=%20'), asked, HERE)).toMatchObject({ status: 201, body: '{"a":"ü"}' })
  expect(requests).toEqual([
    `POST /x?y=%20 HTTP/1.1\r\nhost: ${at().host}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: 10\r\n\r\n${Buffer.from('{"b":"ü"}').toString('latin1')}`,
  ])
})

test.each(['localhost', '127.0.0.1'])('%s is called only where the deployment says so', async (host) => {
  expect((await sendGuarded(at('/', host), { method: 'GET' }, HERE)).status).toBe(200)
  await expect(sendGuarded(at('/', host), { method: 'GET' }, AWAY)).rejects.toThrow(AddressRefused)
  const secure = new URL(`https://${at('/', host).host}/`)
  await expect(sendGuarded(secure, { method: 'GET' }, AWAY)).rejects.toThrow('public Internet')
  expect(connections).toBe(1)
})

test.each([
  ['http', 'http://a.test/', 'must begin with https://'],
  ['another scheme', 'ftp://a.test/', 'must begin with https://'],
  ['a user', 'https://me@a.test/', 'no user'],
  ['a password', 'https://:secret@a.test/', 'no password'],
  ['a fragment', 'https://a.test/#x', 'no fragment'],
  ['a private address', 'https://10.0.0.1/', 'public Internet'],
  ['a metadata service', 'https://169.254.169.254/', 'public Internet'],
  ['an address as one number', 'https://2852039166/', 'public Internet'],
  ['an address in octal', 'https://0251.0376.0251.0376/', 'public Internet'],
  ['a mapped address', 'https://[::ffff:10.0.0.1]/', 'public Internet'],
  ['a unique local address', 'https://[fd00:ec2::254]/', 'public Internet'],
])('%s is refused', (_what, address, says) => {
  for (const bounds of [HERE, AWAY]) expect(() => assertFetchable(new URL(address), bounds)).toThrow(says)
})

test.each(['http://127.0.0.1:8080/', 'http://localhost/', 'http://[::1]/', 'https://127.0.0.1/', 'https://[::1]/'])(
  '%s is taken only where loopback is allowed',
  (address) => {
    expect(() => assertFetchable(new URL(address), HERE)).not.toThrow()
    expect(() => assertFetchable(new URL(address), AWAY)).toThrow(AddressRefused)
  },
)

test.each(['https://a.test/x?y', 'https://a.test:8443/', 'https://1.1.1.1/', 'https://[2606:4700::1111]/'])(
  '%s is taken',
  (address) => expect(() => assertFetchable(new URL(address), AWAY)).not.toThrow(),
)

const both = [
  { address: '1.1.1.1', family: 4 },
  { address: '10.0.0.1', family: 4 },
]
const looked = (found: typeof both, all: boolean) =>
  new Promise<unknown[]>((resolve) => {
    const lookup = lookupOf(
      (ip) => ip === '1.1.1.1',
      (_host, _options, done) => done(null, found),
    )
    lookup('a.test', { all }, (...told) => resolve(told))
  })

test('a name is resolved once, and the checked addresses are called', async () => {
  expect(await looked(both.slice(0, 1), true)).toEqual([null, both.slice(0, 1)])
  expect(await looked(both.slice(0, 1), false)).toEqual([null, '1.1.1.1', 4])
})

test.each([
  ['one private address among others', both],
  ['no address at all', []],
])('a name with %s is refused', async (_what, found) => {
  for (const all of [true, false]) expect((await looked(found, all))[0]).toBeInstanceOf(AddressRefused)
})

test('a redirect is not followed', async () => {
  answer = (socket) => socket.end(`HTTP/1.1 302 Found\r\nlocation: ${String(at('/next'))}\r\ncontent-length: 0\r\n\r\n`)
  await expect(sendGuarded(at(), { method: 'GET' }, HERE)).rejects.toThrow('without a redirect')
  expect(requests).toHaveLength(1)
})

test('an answer that is too long, too late or no HTTP is refused', async () => {
  answer = reply('200 OK', 'a'.repeat(65_536))
  await expect(sendGuarded(at(), { method: 'GET' }, HERE)).rejects.toThrow('longer than 65536 bytes')
  answer = () => undefined
  await expect(sendGuarded(at(), { method: 'GET' }, { ...HERE, withinMs: 50 })).rejects.toThrow('within 50 ms')
  answer = (socket) => socket.end('hello\r\n\r\n')
  await expect(sendGuarded(at(), { method: 'GET' }, HERE)).rejects.toThrow('not HTTP')
})

test('a call to a server that does not complete TLS ends early', async () => {
  answer = () => undefined // accepts the request but does not answer
  const secure = new URL(`https://${at().host}/`)
  const bounds = { ...HERE, connectWithinMs: 50, withinMs: 5_000 }
  await expect(sendGuarded(secure, { method: 'GET' }, bounds)).rejects.toThrow('No connection within 50 ms')
})
