import { once } from 'node:events'
import ldap from 'ldapjs'
import { randomUUID } from 'node:crypto'
import { authority } from './certificates.ts'

type Attributes = Record<string, string[]>

const lower = (dn: { toString(): string }): string =>
  dn
    .toString()
    .toLowerCase()
    .replace(/\s*,\s*/g, ',')

/** A directory made of `ldapjs`, where no real one is installed: bind, search, add and modify, in memory. */
export async function startScriptedDirectory(
  rootDn: string,
  rootPassword: string,
): Promise<{ ldap: string; ldaps: string; caCert: string; stop: () => Promise<void> }> {
  const ca = authority('Directory Authority')
  const { cert, key } = ca.issue('localhost')
  const entries = new Map<string, { dn: string; attributes: Attributes }>()
  const servers = [ldap.createServer(), ldap.createServer({ certificate: cert, key })]
  for (const server of servers) {
    server.bind('', (request: any, response: any, next: any) => {
      const dn = lower(request.dn)
      const expected = dn === lower(rootDn) ? [rootPassword] : entries.get(dn)?.attributes.userpassword
      if (expected?.includes(request.credentials as string) !== true) return next(new ldap.InvalidCredentialsError())
      response.end()
      return next()
    })
    server.add('', (request: any, response: any, next: any) => {
      const attributes: Attributes = { entryuuid: [randomUUID()] }
      for (const { type, values } of request.attributes) attributes[String(type).toLowerCase()] = values
      entries.set(lower(request.dn), { dn: String(request.dn), attributes })
      response.end()
      return next()
    })
    server.modify('', (request: any, response: any, next: any) => {
      const entry = entries.get(lower(request.dn))
      for (const { modification } of request.changes)
        if (entry) entry.attributes[String(modification.type).toLowerCase()] = modification.values
      response.end()
      return next()
    })
    server.search('', (request: any, response: any, next: any) => {
      response.attributes = ['*'] // it takes names of attributes for those in lower case
      const base = lower(request.dn)
      for (const [name, { dn, attributes }] of entries)
        if ((name === base || name.endsWith(`,${base}`)) && request.filter.matches(attributes, false) === true) {
          const { userpassword: _, ...shown } = attributes
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
  return {
    ldap: `ldap://localhost:${ports[0]}`,
    ldaps: `ldaps://localhost:${ports[1]}`,
    caCert: ca.cert,
    stop: async () => {
      for (const server of servers) {
        const closed = once(server as never, 'close')
        server.close(() => undefined)
        await closed
      }
    },
  }
}
