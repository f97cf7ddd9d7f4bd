import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import ldap from 'ldapjs'
import { authority } from './certificates.ts'

/** Attribute names as the schemas spell them, whatever the case in a request. */
const SPELLINGS = ['objectClass', 'userPassword', 'entryUUID', 'objectGUID']
const spelled = (type: string): string => SPELLINGS.find((one) => one.toLowerCase() === type.toLowerCase()) ?? type

/** Values of `objectGUID` are bytes. */
type Attributes = Record<string, (string | Buffer)[]>

/** The schema ignores the case of all these attributes' values. */
const inLowerCase = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([type, values]) => [
      type.toLowerCase(),
      values.map((one) => one.toString().toLowerCase()),
    ]),
  )

const lower = (dn: { toString(): string }): string =>
  dn
    .toString()
    .toLowerCase()
    .replace(/\s*,\s*/g, ',')

/** Superior classes of an entry's class, by the schemas of RFC 4519 and RFC 2798. */
const ABOVE: Readonly<Record<string, readonly string[]>> = {
  inetOrgPerson: ['organizationalPerson', 'person', 'top'],
}

/** @see RFC 4511 §4.14: the name of the request, and the success answer to the message with this number */
const START_TLS = '1.3.6.1.4.1.1466.20037'
const startsTls = (id: number): Buffer => Buffer.of(0x30, 0x0c, 2, 1, id, 0x78, 7, 0x0a, 1, 0, 4, 0, 4, 0)
const MESSAGE_ID_AT = 4

/** Adds StartTLS in front of a server without it. @param identity PEM of the certificate and its key */
async function withStartTls(port: number, identity: { cert: string; key: string }): Promise<Server> {
  const join = (outside: Socket, first?: Buffer): void => {
    const inside = connect(port, '127.0.0.1')
    if (first) inside.write(first)
    outside.pipe(inside).pipe(outside)
    for (const [one, other] of [
      [outside, inside],
      [inside, outside],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
  }
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (first: Buffer) => {
      if (!first.includes(START_TLS)) return join(socket, first)
      socket.write(startsTls(first.readUInt8(MESSAGE_ID_AT)))
      join(new TLSSocket(socket, { isServer: true, ...identity }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** A directory based on `ldapjs`, where no real one is installed: bind, search, add and modify, in memory. */
export async function startScriptedDirectory(
  rootDn: string,
  rootPassword: string,
): Promise<{ ldap: string; ldaps: string; caCert: string; stop: () => Promise<void> }> {
  const ca = authority('Directory Authority')
  const { cert, key } = ca.issue('localhost')
  const entries = new Map<string, { dn: string; attributes: Attributes }>()
  const servers = [ldap.createServer(), ldap.createServer({ certificate: cert, key })]
  const sockets = new Set<Socket>()
  for (const server of servers) {
    ;(server as any).server.on('connection', (socket: Socket) => sockets.add(socket))
    server.bind('', (request: any, response: any, next: any) => {
      const dn = lower(request.dn)
      const expected = dn === lower(rootDn) ? [rootPassword] : entries.get(dn)?.attributes.userPassword
      if (expected?.includes(request.credentials as string) !== true) return next(new ldap.InvalidCredentialsError())
      response.end()
      return next()
    })
    server.add('', (request: any, response: any, next: any) => {
      const attributes: Attributes = { entryUUID: [randomUUID()] }
      for (const { type, values, buffers } of request.attributes) {
        const name = spelled(String(type))
        attributes[name] = name === 'objectGUID' ? buffers : values
      }
      attributes.objectClass = (attributes.objectClass ?? []).flatMap((name) => [name, ...(ABOVE[String(name)] ?? [])])
      entries.set(lower(request.dn), { dn: String(request.dn), attributes })
      response.end()
      return next()
    })
    server.modify('', (request: any, response: any, next: any) => {
      const entry = entries.get(lower(request.dn))
      for (const { modification } of request.changes)
        if (entry) entry.attributes[spelled(String(modification.type))] = modification.values
      response.end()
      return next()
    })
    server.search('', (request: any, response: any, next: any) => {
      const filter = ldap.parseFilter(String(request.filter).toLowerCase())
      response.attributes = ['*'] // it expects names of attributes in lower case
      const base = lower(request.dn)
      if (!entries.has(base)) return next(new ldap.NoSuchObjectError())
      for (const [name, { dn, attributes }] of entries)
        if ((name === base || name.endsWith(`,${base}`)) && filter.matches(inLowerCase(attributes))) {
          const { userPassword: _, ...shown } = attributes
          response.send({ dn, attributes: shown })
        }
      response.end()
      return next()
    })
  }
  const ports = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve)
      })
      return new URL(server.url).port
    }),
  )
  const front = await withStartTls(Number(ports[0]), { cert, key })
  return {
    ldap: `ldap://localhost:${(front.address() as AddressInfo).port}`,
    ldaps: `ldaps://localhost:${ports[1]}`,
    caCert: ca.cert,
    stop: async () => {
      front.close()
      for (const server of servers) {
        const closed = once(server as never, 'close')
        server.close(() => undefined)
        for (const socket of sockets) socket.destroy() // the service keeps some connections for the next log-in
        await closed
      }
    },
  }
}
