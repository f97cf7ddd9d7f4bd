import { beforeAll } from 'vitest'
import { changeClient, newRequest, register, type Registration } from '../../support/clients.ts'
import { callOverTls, type KeyedCertificate } from '../../support/mutual-tls.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { useService, type Answered, type CallOptions, type Service } from '../../support/service.ts'
import { authoritiesOf } from '../ca/ca.ts'
import { Holder } from '../vault/vault.ts'

/** A service with an authority whose certificates clients and users log in with. */
export interface WithAuthority {
  readonly service: Service
  readonly admin: Holder
  readonly ca: ReturnType<typeof authoritiesOf>
  /** the authority */
  readonly authority: any
  readonly now: () => Date
  readonly issued: (subject: string, more?: object, authority?: any) => Promise<KeyedCertificate & { id: string }>
  readonly allow: (authority: any, what: { client?: boolean; user?: boolean }) => Promise<void>
  /** a registered client with a certificate of its own */
  readonly client: (fields?: Partial<Registration>) => Promise<{ id: string; identity: KeyedCertificate }>
  readonly change: (id: string, change: Parameters<typeof changeClient>[1]) => Promise<void>
  readonly over: (
    identity: KeyedCertificate | undefined,
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Answered>
  readonly logIn: (id: string, identity?: KeyedCertificate, more?: object) => Promise<Answered>
}

let count = 0

/** For files that run in a process of their own: records of clients are written to the table of their deployment. */
export function useClients(): () => WithAuthority {
  const service = useService({ tlsPort: 'any' })
  let made: WithAuthority | undefined
  beforeAll(async () => {
    pointProcessAt(service().deployment.environmentOf('auth'))
    const admin = new Holder(service(), () => service().logIn())
    const ca = authoritiesOf(admin)
    const now = (): Date => service().deployment.clock.now()
    const authority = await ca.root({ cn: 'Clients Root' }, { notBefore: '2026-01-01T00:00:00Z' })
    const allow: WithAuthority['allow'] = async (which, { client, user }) => {
      const body = { allow_client_authentication: client, allow_user_authentication: user }
      await admin.ok('PATCH', ca.at(which), body)
    }
    await allow(authority, { client: true, user: true })
    const issued: WithAuthority['issued'] = async (subject, more = {}, by = authority) => {
      const { csr, key } = await newRequest(subject)
      const { cert, id } = await ca.issue(by, { purpose: 'client', csr, ...more })
      return { cert: cert as string, key, id: id as string }
    }
    const over: WithAuthority['over'] = (identity, ...request) =>
      callOverTls(service(), identity && { cert: identity.cert, key: identity.key }, ...request)
    made = {
      service: service(),
      admin,
      ca,
      authority,
      now,
      issued,
      allow,
      client: async (fields = {}) => {
        count += 1
        const identity = await issued(`/CN=client-${count}`)
        const given = { name: `client-${count}`, caId: authority.id as string, identity, ...fields }
        return { id: await register(given, now()), identity }
      },
      change: (id, change) => changeClient(id, change, now()),
      over,
      logIn: (id, identity, more = {}) =>
        over(identity, 'POST', '/v1/auth/tokens', {
          body: { grant_type: 'client_credential', client_id: id, ...more },
        }),
    }
  })
  return () => {
    if (made === undefined) throw new Error('The service starts with the tests')
    return made
  }
}
