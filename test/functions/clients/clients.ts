import { expect } from 'vitest'
import { authority as elsewhere, type Authority } from '../../support/certificates.ts'
import { callOverTls, type KeyedCertificate } from '../../support/mutual-tls.ts'
import type { Answered, Service } from '../../support/service.ts'
import { authoritiesOf, openssl, someName } from '../ca/ca.ts'
import type { Holder, Vault } from '../vault/vault.ts'

export const AT = '/v1/client-management'
export const PROFILES = `${AT}/profiles`
export const TOKENS = `${AT}/regtokens`
export const CLIENTS = `${AT}/clients`

/** The path of a client in a group. */
export const memberAt = (group: string, { id }: any): string =>
  `${AT}/groups/${encodeURIComponent(group)}/clients/${id as string}`

/** A client with the certificate that it logs in with. */
export interface Machine {
  readonly id: string
  readonly ca_id: string
  readonly sha256_fingerprint: string
  readonly identity: KeyedCertificate
}

/** The fields of a client's registration, and the following: */
export interface MachineFields {
  readonly name?: string
  readonly groups?: readonly string[]
  /** of an external authority; default: a local authority issues a certificate */
  readonly identity?: KeyedCertificate
  readonly do_not_modify_subject_dn?: boolean
}

/** The client grant, over mutual TLS. */
export const logInAs = (
  service: Service,
  id: string,
  identity: KeyedCertificate | undefined,
  more: object = {},
): Promise<Answered> =>
  callOverTls(service, identity, 'POST', '/v1/auth/tokens', {
    body: { grant_type: 'client_credential', client_id: id, ...more },
  })

/** A certificate request by openssl for a weak key, generated with these arguments. */
export async function weakCsr(kind: readonly string[]): Promise<string> {
  const text = await openssl(['req', '-new', ...kind, '-nodes', '-keyout', '/dev/null', '-subj', '/CN=weak'])
  return text.slice(text.indexOf('-----BEGIN CERTIFICATE REQUEST'))
}

/** API calls of an administrator of clients, and registrations, which need no administrator. */
export function clientsOf(vault: Pick<Vault, 'service' | 'admin'>, who: Holder = vault.admin) {
  const authorities = authoritiesOf(vault.admin)
  const register = (body: object): Promise<Answered> => vault.service.call('POST', CLIENTS, { body })
  const profile = (body: object = {}): Promise<any> => who.ok('POST', PROFILES, { name: someName('profile'), ...body })
  const token = (body: object = {}): Promise<any> => who.ok('POST', TOKENS, body)
  const registered = async ({ token: registration_token }: any, body: object = {}): Promise<any> => {
    const { status, body: client } = await register({ registration_token, ...body })
    expect(status, JSON.stringify(client)).toBe(201)
    return client
  }
  return {
    authorities,
    /** A local authority whose certificates authenticate clients. */
    authority: async (body: object = {}, signed: object = {}): Promise<any> => {
      const made = await authorities.root(body, signed)
      return vault.admin.ok('PATCH', authorities.at(made), { allow_client_authentication: true })
    },
    profile,
    token,
    register,
    /** An external authority whose certificates authenticate clients, and its path. */
    outside: async (): Promise<Authority & { readonly at: string }> => {
      const theirs = elsewhere(someName('Elsewhere'))
      const known = await authorities.external({ cert: theirs.cert })
      const at = `/v1/ca/external-cas/${known.id as string}`
      await vault.admin.ok('PATCH', at, { allow_client_authentication: true })
      return { ...theirs, at }
    },
    /** A client, registered with `token`. */
    registered,
    /** A client that can log in, registered with `token` and added to its groups. */
    machine: async (token: any, { groups = [], identity, ...body }: MachineFields = {}): Promise<Machine> => {
      const made = await registered(token, { ...body, ...(identity && { ext_cert: identity.cert }) })
      for (const group of groups) await who.ok('POST', memberAt(group, made))
      return { ...made, identity: identity ?? { cert: made.cert, key: made.key } }
    },
    /** The record of the certificate of a client. */
    certificateOf: async ({ ca_id, sha256_fingerprint }: any): Promise<any> => {
      const { resources } = await vault.admin.ok('GET', `/v1/ca/local-cas/${ca_id as string}/certs?limit=1000`)
      return resources.find((one: any) => one.sha256Fingerprint === sha256_fingerprint)
    },
    get: ({ id }: any): Promise<any> => who.ok('GET', `${CLIENTS}/${id as string}`),
    revoke: ({ id }: any, body: object = {}): Promise<Answered> =>
      who.call('PATCH', `${CLIENTS}/${id as string}/revoke`, body),
    renew: ({ id }: any, body: object = {}): Promise<Answered> =>
      who.call('POST', `${CLIENTS}/${id as string}/renew`, body),
    remove: ({ id }: any): Promise<Answered> => who.call('DELETE', `${CLIENTS}/${id as string}`),
  }
}
