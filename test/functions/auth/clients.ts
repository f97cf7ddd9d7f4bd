import { beforeAll } from 'vitest'
import { callOverTls, type KeyedCertificate } from '../../support/mutual-tls.ts'
import { useService, type Answered, type CallOptions, type Service } from '../../support/service.ts'
import { newRequest } from '../ca/ca.ts'
import { clientsOf, logInAs, type Machine, type MachineFields } from '../clients/clients.ts'
import { Holder } from '../vault/vault.ts'

/** A service with an authority whose certificates authenticate clients and users. */
export interface WithAuthority {
  readonly service: Service
  readonly admin: Holder
  readonly ca: ReturnType<typeof clientsOf>['authorities']
  readonly clients: ReturnType<typeof clientsOf>
  /** the authority */
  readonly authority: any
  readonly advance: (milliseconds: number) => void
  readonly issued: (subject: string, more?: object, authority?: any) => Promise<KeyedCertificate & { id: string }>
  readonly allow: (authority: any, what: { client?: boolean; user?: boolean }) => Promise<void>
  /** A registered client with its own certificate, by default from the authority. */
  readonly client: (fields?: MachineFields, authority?: any) => Promise<Machine>
  readonly over: (
    identity: KeyedCertificate | undefined,
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Answered>
  readonly logIn: (id: string, identity?: KeyedCertificate, more?: object) => Promise<Answered>
}

async function withAuthority(service: Service): Promise<WithAuthority> {
  const admin = new Holder(service, () => service.logIn())
  const clients = clientsOf({ service, admin })
  const { authorities: ca, token } = clients
  const authority = await ca.root({ cn: 'Clients Root' }, { notBefore: '2026-01-01T00:00:00Z' })
  const allow: WithAuthority['allow'] = async (which, { client, user }) => {
    const body = { allow_client_authentication: client, allow_user_authentication: user }
    await admin.ok('PATCH', ca.at(which), body)
  }
  await allow(authority, { client: true, user: true })
  const over: WithAuthority['over'] = (identity, ...request) =>
    callOverTls(service, identity && { cert: identity.cert, key: identity.key }, ...request)
  return {
    ...{ service, admin, ca, clients, authority, allow, over },
    advance: (milliseconds) => service.deployment.clock.advance(milliseconds),
    issued: async (subject, more = {}, by = authority) => {
      const { csr, key } = await newRequest(subject)
      const { cert, id } = await ca.issue(by, { purpose: 'client', csr, ...more })
      return { cert: cert as string, key, id: id as string }
    },
    client: async (fields, by = authority) => clients.machine(await token({ ca_id: by.id }), fields),
    logIn: (id, identity, more) => logInAs(service, id, identity, more),
  }
}

export function useClients(): () => WithAuthority {
  const service = useService({ tlsPort: 'any' })
  let made: WithAuthority | undefined
  beforeAll(async () => {
    made = await withAuthority(service())
  })
  return () => {
    if (made === undefined) throw new Error('The service starts with the tests')
    return made
  }
}
