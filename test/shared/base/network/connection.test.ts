import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Connections, sendOnce, serverAt } from '../../../../shared/base/network/connection.ts'

/** Answers of the server to the next requests on any connection, in turn; and its connections. */
let answers: ((socket: Socket) => void)[] = []
const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => undefined)
  socket.on('data', () => answers.shift()?.(socket))
})
const address = () => serverAt(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
let connections: Connections

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})
beforeEach(() => {
  answers = []
  sockets.clear()
  connections = new Connections(address())
})

const post = (fresh = false, withinMs = 2_000) =>
  connections.send('POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}', {
    withinMs,
    fresh,
    timedOut: new Error('time is up'),
  })
const whole = (body: string) => (socket: Socket) =>
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

/** Sends byte by byte, each in a separate packet if the system allows. */
const slowly = (text: string) => (socket: Socket) => {
  const bytes = [...Buffer.from(text)]
  const next = (): void => {
    const byte = bytes.shift()
    if (byte !== undefined) socket.write(Buffer.of(byte), () => setImmediate(next))
  }
  next()
}

test('a connection is kept for the next request', async () => {
  answers = [whole('{"a":"ü"}'), whole('second')]
  expect(await post()).toMatchObject({ status: 200, body: '{"a":"ü"}' })
  expect(await post()).toMatchObject({ status: 200, body: 'second' })
  expect(sockets.size).toBe(1)
})

test('concurrent requests use separate connections', async () => {
  answers = [whole('1'), whole('1'), whole('1')]
  await Promise.all([post(), post(), post()])
  expect(sockets.size).toBe(3)
})

test.each([
  ['with its length', 'HTTP/1.1 400 Bad Request\r\nX: y\r\nCONTENT-LENGTH: 5\r\n\r\nhallo'],
  ['in chunks', 'HTTP/1.1 400 Bad\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nha\r\n3;x=y\r\nllo\r\n0\r\n\r\n'],
])('an answer %s that arrives in pieces is read whole', async (_what, text) => {
  answers = [slowly(text), whole('next')]
  expect(await post()).toMatchObject({ status: 400, body: 'hallo' })
  expect((await post()).body).toBe('next')
})

test('a connection that the server closes, with or without notice, is not used again', async () => {
  answers = [
    (socket) => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na'),
    whole('b'),
    whole('c'),
  ]
  expect((await post()).body).toBe('a')
  expect((await post()).body).toBe('b')
  const [, second] = sockets
  second?.end()
  await once(second as Socket, 'close')
  expect((await post()).body).toBe('c')
  expect(sockets.size).toBe(3)
})

test('a fresh connection is opened beside one that was kept', async () => {
  answers = [whole('a'), whole('b')]
  await post()
  await post(true)
  expect(sockets.size).toBe(2)
})

test('headers of the answer are returned; an answer above its limit is not read completely', async () => {
  const head = 'HTTP/1.1 200 OK\r\nCache-Control: Public, max-age=60\r\nContent-Length: 100\r\n\r\n'
  const limited = (mostBytes: number) =>
    sendOnce(address(), 'GET / HTTP/1.1\r\n\r\n', {
      withinMs: 2_000,
      timedOut: new Error('time is up'),
      mostBytes,
    })
  answers = [(socket) => socket.write(head + 'a'.repeat(100)), (socket) => socket.write(head + 'a'.repeat(100))]
  expect((await limited(head.length + 100)).headers.get('cache-control')).toBe('public, max-age=60')
  await expect(limited(head.length + 99)).rejects.toThrow('longer than')
})

test('the connection of one request ends with it, also where the server would keep it', async () => {
  answers = [whole('a')]
  const timedOut = new Error('time is up')
  expect((await sendOnce(address(), 'GET / HTTP/1.1\r\n\r\n', { withinMs: 2_000, timedOut })).body).toBe('a')
  const [socket] = sockets
  if (socket?.closed === false) await once(socket, 'close')
  expect(socket?.closed).toBe(true)
})

test('what addresses lead to', () => {
  const at = (address: string) => serverAt(new URL(address))
  expect(at('https://a.test/x')).toEqual({ isTls: true, hostname: 'a.test', port: 443 })
  expect(at('http://a.test:8000')).toEqual({ isTls: false, hostname: 'a.test', port: 8000 })
  expect(at('http://a.test')).toEqual({ isTls: false, hostname: 'a.test', port: 80 })
  expect(at('http://[::1]:8000')).toEqual({ isTls: false, hostname: '::1', port: 8000 })
})

test.each<[string, (socket: Socket) => void, string]>([
  ['no answer', () => undefined, 'time is up'],
  ['a connection cut before the answer', (socket) => socket.destroy(), 'closed before the answer'],
  ['an answer cut short', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'), 'closed before'],
  ['what is no HTTP', (socket) => socket.write('SSH-2.0-x\r\n\r\n'), 'not HTTP'],
  ['an answer without a length', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'), 'not HTTP'],
  [
    'chunks that are none',
    (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'),
    'not HTTP',
  ],
])('%s is reported, and the next request succeeds', async (_what, answer, says) => {
  answers = [answer, whole('next')]
  await expect(post(false, 50)).rejects.toThrow(says)
  expect((await post()).body).toBe('next')
})
