import { createHmac } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer as createHttp } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { sendMessages, type SyslogTarget } from '../../../../shared/audit/forwarding/send/send-syslog.ts'
import { sendWebhook } from '../../../../shared/audit/forwarding/send/send-webhook.ts'
import { authority } from '../../../support/certificates.ts'

const here = { allowsLoopback: true }
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Starts a server on loopback, for one test. */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket).size)
  ends.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return (server.address() as AddressInfo).port
}

const collecting = (received: string[]) => (socket: Socket) => {
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk) => (text += String(chunk)))
  socket.on('end', () => received.push(text))
  socket.on('error', () => undefined)
}

const target = (port: number, more: Partial<SyslogTarget> = {}): SyslogTarget => ({
  host: '127.0.0.1',
  port,
  transport: 'tcp',
  message_format: 'rfc5424',
  ...more,
})

test('messages arrive over TCP in their order, counted', async () => {
  const received: string[] = []
  const port = await listening(createServer(collecting(received)))
  await sendMessages(target(port), ['<1>one', '<1>two'], here)
  expect(received).toEqual(['6 <1>one6 <1>two'])
})

test('messages are sent over TLS if the authority is the configured one', async () => {
  const [ours, other] = [authority('ours'), authority('other')]
  const received: string[] = []
  const { cert, key } = ours.issue('localhost')
  const port = await listening(createTls({ cert, key }, collecting(received)))
  const tls = { host: 'localhost', transport: 'tls', message_format: 'plain_message' } as const
  await sendMessages(target(port, { ...tls, ca_cert: ours.cert }), ['<1>one'], here)
  expect(received).toEqual(['<1>one\n'])
  await expect(sendMessages(target(port, { ...tls, ca_cert: other.cert }), ['x'], here)).rejects.toThrow(/^[A-Z_]+$/)
})

test('messages arrive over UDP', async () => {
  const socket = createSocket('udp4')
  ends.push(() => socket.close())
  const received: string[] = []
  const two = new Promise<void>((resolve) => {
    socket.on('message', (message) => {
      received.push(message.toString())
      if (received.length === 2) resolve()
    })
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', () => resolve()))
  await sendMessages(target(socket.address().port, { transport: 'udp' }), ['<1>one', '<1>two'], here)
  await two
  expect(received).toEqual(['<1>one', '<1>two'])
})

test('a target that accepts a connection and never reads is abandoned', async () => {
  const port = await listening(createServer({ pauseOnConnect: true }, () => undefined))
  const sent = sendMessages(target(port), ['x'.repeat(100)], { ...here, withinMs: 200 })
  await expect(sent).rejects.toThrow('TIMEOUT')
})

test('a target that aborts has accepted nothing', async () => {
  const port = await listening(
    createServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy())
    }),
  )
  await expect(sendMessages(target(port), ['x'], here)).rejects.toThrow(/ECONNRESET|EPIPE/)
})

test('an unreachable target is identified by a code', async () => {
  const port = await listening(createServer())
  ends.pop()?.()
  await expect(sendMessages(target(port), ['x'], here)).rejects.toThrow('ECONNREFUSED')
})

test.each(['udp', 'tcp', 'tls'] as const)('addresses that are not public are refused over %s', async (transport) => {
  for (const host of ['10.0.0.1', '169.254.169.254', '127.0.0.1', 'localhost', '::1', '::ffff:127.0.0.1'])
    await expect(sendMessages(target(9, { host, transport }), ['x'], { allowsLoopback: false })).rejects.toThrow(
      'ADDRESS_REFUSED',
    )
})

const batch = { delivery: 'a', domain: 'b', records: [] }

test('a webhook is signed with its time, and its answer decides', async () => {
  const seen: { signature: string; delivery: string; body: string }[] = []
  let status = 204
  const port = await listening(
    createHttp((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        const { 'keymgr-signature': signature, 'keymgr-delivery': delivery } = request.headers
        seen.push({ signature: String(signature), delivery: String(delivery), body })
        response.writeHead(status, { 'content-length': '0', location: 'http://127.0.0.1/' }).end()
      })
    }),
  )
  const hook = { url: `http://127.0.0.1:${port}/in`, secret: 'a secret of ours' }
  await sendWebhook(hook, batch, new Date(1_700_000_000_999), here)
  const [{ signature, delivery, body } = { signature: '', delivery: '', body: '' }] = seen
  const mac = createHmac('sha256', hook.secret).update(`1700000000.${body}`).digest('hex')
  expect(signature).toBe(`t=1700000000,v1=${mac}`)
  expect(delivery).toBe('a')
  expect(JSON.parse(body)).toEqual(batch)
  status = 503
  await expect(sendWebhook(hook, batch, new Date(), here)).rejects.toThrow('HTTP_503')
  status = 302
  await expect(sendWebhook(hook, batch, new Date(), here)).rejects.toThrow('ADDRESS_REFUSED')
  await expect(sendWebhook(hook, batch, new Date(), { allowsLoopback: false })).rejects.toThrow('ADDRESS_REFUSED')
})
