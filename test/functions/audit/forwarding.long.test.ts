import { createHmac } from 'node:crypto'
import { createServer as createHttp } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
let token = ''
beforeAll(async () => {
  token = await service().logIn()
})

const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
})

async function listening(server: Server, port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket).size)
  ends.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  return (server.address() as AddressInfo).port
}

/** A server that splits its input into lines, and the record ids of the received messages. */
function lines(): { server: Server; received: string[] } {
  const received: string[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.on('end', () => received.push(...text.split('\n').filter((line) => line !== '')))
    socket.on('error', () => undefined)
  })
  return { server, received }
}

const call = (method: string, path: string, body?: unknown, as = token) =>
  service().call(method, path, { token: as, ...(body !== undefined && { body }) })
const made = async (path: string, body: unknown) => {
  const { status, body: answer } = await call('POST', path, body)
  expect(status, JSON.stringify(answer)).toBe(201)
  return answer
}
const forward = async () => {
  await service().deployment.fire('drain-outbox')
  return (await service().deployment.fire('forward-logs')) as { forwarded: number }
}
const key = (name: string, as = token) => call('POST', '/v1/vault/keys2', { name }, as)
const idsOf = (received: readonly string[]) => received.map((line) => /\(([0-9a-f-]{36})\)$/.exec(line)?.[1])
const keysIn = async (received: readonly string[]) => {
  const { body } = await call('GET', '/v1/audit/records?message=Create%20Key&limit=1000&sort=createdAt')
  const names = new Map<string, string>(body.resources.map((record: any) => [record.id, record.details.resource_name]))
  return idsOf(received).flatMap((id) => names.get(id ?? '') ?? [])
}
const plain = (port: number) => ({ host: '127.0.0.1', port, transport: 'tcp', message_format: 'plain_message' })
const remove = (path: string) => call('DELETE', path)

test('a syslog server gets the records of its domain once each and in order, and a slow one delays only itself', async () => {
  const slow = await listening(createServer({ pauseOnConnect: true }, () => undefined))
  const { server, received } = lines()
  const stuck = await made('/v1/configs/syslogs', plain(slow))
  const target = await made('/v1/configs/syslogs', plain(await listening(server)))
  for (const name of ['f-1', 'f-2', 'f-3']) await key(name)
  await forward()
  expect((await keysIn(received)).filter((name) => name.startsWith('f-'))).toEqual(['f-1', 'f-2', 'f-3'])
  await key('f-4')
  await forward()
  expect(new Set(received).size).toBe(received.length)
  expect((await keysIn(received)).at(-1)).toBe('f-4')
  const shown = await call('GET', `/v1/configs/syslogs/${target.id}`)
  expect(shown.body.last_sent_at).toBeDefined()
  expect(shown.body.last_error).toBeUndefined()
  expect((await call('GET', `/v1/configs/syslogs/${stuck.id}`)).body.last_error).toBe('TIMEOUT')
  for (const { id } of [stuck, target]) expect((await remove(`/v1/configs/syslogs/${id}`)).status).toBe(200)
}, 30_000)

test('a target that returns gets the missed records; one that is away for a day loses them, and that is recorded', async () => {
  const first = lines()
  const port = await listening(first.server)
  ends.pop()?.()
  const target = await made('/v1/configs/syslogs', plain(port))
  await key('g-1')
  await forward()
  expect((await call('GET', `/v1/configs/syslogs/${target.id}`)).body.last_error).toBe('ECONNREFUSED')
  const { server, received } = lines()
  await listening(server, port)
  service().deployment.clock.advance(60_000)
  token = await service().logIn()
  await forward()
  expect(await keysIn(received)).toContain('g-1')
  ends.pop()?.()
  await key('g-2')
  await forward()
  service().deployment.clock.advance(86_400_000)
  token = await service().logIn()
  await key('g-3')
  await forward()
  const { body } = await call('GET', '/v1/audit/records?message=Drop%20Forwarded%20Records')
  expect(body.resources).toHaveLength(1)
  expect(body.resources[0]).toMatchObject({ success: false, severity: 'error', details: { resource_uri: target.uri } })
  const last = lines()
  await listening(last.server, port)
  service().deployment.clock.advance(3_600_000)
  token = await service().logIn()
  await forward()
  const keys = await keysIn(last.received)
  expect(keys).toContain('g-3')
  expect(keys).not.toContain('g-2')
  await remove(`/v1/configs/syslogs/${target.id}`)
})

test('a target that stays unreachable for minutes turns an alarm on, once', async () => {
  const port = await listening(lines().server)
  ends.pop()?.()
  const target = await made('/v1/configs/syslogs', plain(port))
  await key('h-1')
  for (let attempt = 0; attempt < 6; attempt++) {
    await forward()
    service().deployment.clock.advance(600_000)
    token = await service().logIn()
  }
  const { body } = await call('GET', '/v1/audit/records?message=Find%20Forwarder%20Unreachable')
  expect(body.resources).toHaveLength(1)
  expect(body.resources[0]).toMatchObject({
    errorMessage: '4 attempts in a row failed: ECONNREFUSED',
    details: { resource_uri: target.uri },
  })
  await forward()
  await service().deployment.fire('raise-alarms')
  const alarms = await call('GET', '/v1/system/alarms?name=Forwarder%20unreachable&state=on')
  expect(alarms.body.resources).toMatchObject([{ severity: 'error' }])
  await remove(`/v1/configs/syslogs/${target.id}`)
})

test('a webhook gets signed batches; its secret is never shown', async () => {
  const bodies: { signature: string; body: string }[] = []
  const port = await listening(
    createHttp((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        bodies.push({ signature: String(request.headers['keymgr-signature']), body })
        response.writeHead(204).end()
      })
    }),
  )
  const secret = 'a-secret-that-is-long-enough-for-this'
  const params = { url: `http://127.0.0.1:${port}/hook`, secret, forward_logs: { activity_logs: false } }
  const hook = await made('/v1/configs/log-forwarders', { name: 'hook', type: 'webhook', webhook_params: params })
  expect(JSON.stringify(hook)).not.toContain(secret)
  await key('h-1')
  await forward()
  const [{ signature, body } = { signature: '', body: '' }] = bodies
  const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  expect(createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')).toBe(mac)
  const names = JSON.parse(body).records.map((record: any) => record.details.resource_name)
  expect(names).toContain('h-1')
  const off = await call('PATCH', '/v1/configs/log-forwarders/hook', { enabled: false })
  expect(off.body.enabled).toBe(false)
  bodies.length = 0
  await key('h-2')
  await forward()
  await call('PATCH', '/v1/configs/log-forwarders/hook', { enabled: true })
  await key('h-3')
  await forward()
  expect(bodies.map((each) => each.body).join()).toContain('h-3')
  expect(bodies.map((each) => each.body).join()).not.toContain('h-2')
  expect((await remove('/v1/configs/log-forwarders/hook')).status).toBe(200)
})

test('a syslog target shows the usual port of its transport', async () => {
  const server = await made('/v1/configs/syslogs', { host: '127.0.0.1', transport: 'udp' })
  expect(server.port).toBe(514)
  const patch = { transport: 'tcp' }
  expect((await call('PATCH', `/v1/configs/syslogs/${server.id}`, patch)).body.port).toBe(601)
  await remove(`/v1/configs/syslogs/${server.id}`)
  const base = '/v1/connectionmgmt/services/log-forwarders/syslog/connections'
  const connection = await made(base, { name: 'usual', host: '127.0.0.1', syslog_params: { transport: 'udp' } })
  expect(connection.port).toBe(514)
  const after = async (body: object) => (await call('PATCH', `${base}/usual`, body)).body.port as number
  expect(await after({ syslog_params: { transport: 'tcp' } })).toBe(601)
  expect(await after({ port: 5_140 })).toBe(5_140)
  expect(await after({ syslog_params: { transport: 'udp' } })).toBe(5_140)
  expect(await after({ port: null })).toBe(514)
  await remove(`${base}/usual`)
})

test('a forwarder sends by a connection, which is not deleted meanwhile, and fails without it', async () => {
  const { server, received } = lines()
  const base = '/v1/connectionmgmt/services/log-forwarders/syslog/connections'
  const syslog_params = { transport: 'tcp', message_format: 'plain_message' }
  const port = await listening(server)
  const connection = await made(base, { name: 'log', host: '127.0.0.1', port, syslog_params })
  expect(connection).toMatchObject({ service: 'log-forwarders/syslog', category: 'log-forwarder' })
  expect((await call('POST', `${base}/log/test`, {})).body).toEqual({ connection_ok: true })
  expect((await call('GET', `${base}/log`)).body.id).toBe(connection.id)
  expect((await call('GET', base)).body.total).toBe(1)
  const forwarder = await made('/v1/configs/log-forwarders', { name: 'log', type: 'syslog', connection_id: 'log' })
  expect(forwarder.connection_id).toBe(connection.id)
  await key('i-1')
  await forward()
  expect(await keysIn(received)).toContain('i-1')
  const inUse = await remove(`${base}/log`)
  expect(inUse).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/^1 record uses the connection: log\. /) },
  })
  const forced = await call('POST', '/v1/connectionmgmt/connections/log/delete', { force: true })
  expect(forced.status).toBe(200)
  await key('i-2')
  await forward()
  const shown = (await call('GET', '/v1/configs/log-forwarders/log')).body
  expect(shown.last_error).toBe('NO_CONNECTION')
  expect(shown.connection_id).toBeUndefined()
  await remove('/v1/configs/log-forwarders/log')
})

test.each([
  ['a private address', '/v1/configs/syslogs', { host: '10.0.0.1', transport: 'udp' }, 422],
  ['TLS without an authority', '/v1/configs/syslogs', { host: 'localhost', transport: 'tls' }, 422],
  [
    'a webhook without TLS elsewhere',
    '/v1/configs/log-forwarders',
    { name: 'x', type: 'webhook', webhook_params: { url: 'http://example.com/', secret: 'x'.repeat(32) } },
    422,
  ],
  ['a forwarder without a connection', '/v1/configs/log-forwarders', { name: 'x', type: 'syslog' }, 422],
  [
    'a connection that is not there',
    '/v1/configs/log-forwarders',
    { name: 'x', type: 'syslog', connection_id: 'nothing' },
    404,
  ],
])('%s is refused', async (_what, path, body, status) => {
  expect((await call('POST', path, body)).status).toBe(status)
})

test("children's records are sent to the root's targets while redirection is on", async () => {
  const { server, received } = lines()
  const target = await made('/v1/configs/syslogs', plain(await listening(server)))
  const { body: me } = await call('GET', '/v1/usermgmt/users?username=admin')
  const child = await made('/v1/domains', { name: 'child', admins: [me.resources[0].user_id] })
  const childToken = () => service().logIn('admin', undefined, { domain: child.id })
  const records = async () => {
    await key('in-child', await childToken())
    await forward()
    return received.splice(0).filter((line) => line.includes('Create Key')).length
  }
  const redirect = (what: string) => call('POST', `/v1/configs/log-forwarders-domain-redirection/${what}`)
  expect(
    (await call('POST', '/v1/configs/log-forwarders-domain-redirection/enable', undefined, await childToken())).status,
  ).toBe(403)
  expect(await records()).toBe(0)
  expect((await redirect('enable')).body).toEqual({ enabled: true })
  expect(await records()).toBe(1)
  await redirect('disable')
  expect(await records()).toBe(0)
  expect((await call('GET', '/v1/configs/log-forwarders-domain-redirection/status')).body).toEqual({ enabled: false })
  await remove(`/v1/configs/syslogs/${target.id}`)
})
