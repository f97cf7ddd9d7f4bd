import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import ldap from 'ldapjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authority } from '../../support/certificates.ts'
import { useService, type Answered } from '../../support/service.ts'

/*
 * Directories that break, lie or are impostors: nobody logs in through them, and log-ins through other directories
 * still work.
 */
const service = useService()
let admin = ''
const ends: (() => Promise<unknown>)[] = []

const asAdmin = (method: string, path: string, body?: object) =>
  service().call(method, path, { token: admin, ...(body && { body }) })

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

/** Creates a connection whose users are created at their first log-in. */
async function connection(name: string, url: string, more: object = {}): Promise<void> {
  const body = { name, strategy: 'ldap', create_users: true, ldap: { url, base_dn: 'o=company', ...more } }
  const made = await asAdmin('POST', '/v1/usermgmt/connections', body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}

const logIn = (name: string, connection: string): Promise<Answered> =>
  service().call('POST', '/v1/auth/tokens', { body: { name, password: 'any-password', connection } })

const entry = (uid: string, more: object = {}) => ({
  dn: `uid=${uid},o=company`,
  attributes: { objectclass: ['person'], uid: [uid], entryuuid: [`id-of-${uid}`], ...more },
})

/** Answers of the directory to a search, by the searched name. */
const LIES: Record<string, (response: any) => void> = {
  honest: (response) => response.send(entry('honest')),
  twins: (response) => {
    response.send(entry('twins'))
    response.send({ ...entry('twins'), dn: 'uid=twins,ou=other,o=company' })
  },
  huge: (response) => response.send(entry('huge', { entryuuid: ['x'.repeat(2_000_000)] })),
  'without id': (response) => response.send(entry('without id', { entryuuid: [] })),
  'with two ids': (response) => response.send(entry('with two ids', { entryuuid: ['one', 'two'] })),
  'with a long id': (response) => response.send(entry('with a long id', { entryuuid: ['x'.repeat(256)] })),
  'as another': (response) => response.send(entry('as <another>')),
}

/** A directory that accepts every password, even an empty one, and returns false entries. */
async function lyingDirectory(): Promise<string> {
  const server = ldap.createServer()
  server.bind('', (_request: any, response: any, next: any) => {
    response.end()
    return next()
  })
  server.search('', (request: any, response: any, next: any) => {
    response.attributes = ['*'] // it expects names of attributes in lower case
    const asked = /\(uid=([^)]*)\)/.exec(String(request.filter))?.[1] ?? ''
    if (asked === 'elsewhere') return next(new ldap.ReferralError('ldap://127.0.0.1:1/o=elsewhere'))
    LIES[asked]?.(response)
    response.end()
    return next()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  ends.push(() => {
    server.close(() => undefined) // the service may keep a connection
    return Promise.resolve()
  })
  return `ldap://127.0.0.1:${new URL(server.url).port}`
}

beforeAll(async () => {
  admin = await service().logIn()
  await connection('lying', await lyingDirectory())
})
afterAll(() => Promise.all(ends.map((end) => end())))

test('a hostile directory is called like any other', async () => {
  expect((await logIn('honest', 'lying')).status).toBe(200)
})

test.each(['twins', 'without id', 'with two ids', 'with a long id', 'as another', 'nobody'])(
  'a directory that answers %s lets nobody in',
  async (name) => {
    const { status, body } = await logIn(name, 'lying')
    expect(status, JSON.stringify(body)).toBe(401)
  },
)

test.each(['huge', 'elsewhere'])('a directory that answers %s is not available', async (name) => {
  const { status, body } = await logIn(name, 'lying')
  expect([status, body.code]).toEqual([503, 17])
  expect(body.detail).toBe('The directory of this connection does not answer now: try again, or log in another way.')
})

test('a directory that hangs, closes or does not exist is unavailable; local users still log in', async () => {
  const hanging = createServer((socket) => void socket.on('error', () => undefined))
  const closing = createServer((socket) => void socket.on('error', () => undefined).destroy())
  await connection('hanging', `ldaps://127.0.0.1:${await listening(hanging)}`)
  await connection('closing', `ldap://127.0.0.1:${await listening(closing)}`)
  await connection('gone', 'ldap://127.0.0.1:1')
  const answers = Promise.all(['hanging', 'closing', 'gone'].map((name) => logIn('alice', name)))
  await service().logIn()
  for (const { status } of await answers) expect(status).toBe(503)
  const outcome = await asAdmin('POST', '/v1/usermgmt/connections/gone/test', {})
  expect(outcome.body).toEqual({
    connection_ok: false,
    connection_error: 'The directory is not reached: nothing listens there.',
    connection_failed_step: 'address',
  })
})

test('a directory with a foreign certificate never receives a password', async () => {
  const ca = authority('Any Authority')
  let heard = 0
  const serve = async (names: { cert: string; key: string }): Promise<number> =>
    listening(createTlsServer(names, (socket) => void socket.on('data', () => heard++).on('error', () => undefined)))
  const other = await serve(ca.issue('directory.example'))
  const unknown = await serve(authority('Another Authority').issue('localhost'))
  await connection('for another host', `ldaps://localhost:${other}`, { ca_cert: ca.cert })
  await connection('by another authority', `ldaps://localhost:${unknown}`, { ca_cert: ca.cert })
  for (const name of ['for another host', 'by another authority']) {
    expect((await logIn('alice', name)).status).toBe(503)
    const tested = await asAdmin('POST', `/v1/usermgmt/connections/${encodeURIComponent(name)}/test`, {})
    expect(tested.body.connection_error).toContain('its certificate')
  }
  expect(heard).toBe(0)
})

const GRANTED = '300c02010178070a010004000400'

test.each([
  ['is refused', '300c02010178070a013404000400'],
  ['has words behind it that would be taken for words from within TLS', `${GRANTED}300c0201026107`],
  ['is something else', 'ffffffff'],
])('StartTLS that %s ends the log-in', async (_what, answer) => {
  let asked = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      asked += chunk.toString('hex')
      socket.write(Buffer.from(answer, 'hex'))
    })
  })
  const name = `starting ${answer}`
  await connection(name, `ldap://localhost:${await listening(server)}`, { start_tls: true })
  expect((await logIn('alice', name)).status).toBe(503)
  expect(Buffer.from(asked, 'hex').toString('latin1')).toMatch(/1\.3\.6\.1\.4\.1\.1466\.20037$/)
})
