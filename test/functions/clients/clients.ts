import { expect } from 'vitest'
import type { Answered } from '../../support/service.ts'
import { authoritiesOf, someName } from '../ca/ca.ts'
import type { Holder, Vault } from '../vault/vault.ts'

export const AT = '/v1/client-management'
export const PROFILES = `${AT}/profiles`
export const TOKENS = `${AT}/regtokens`
export const CLIENTS = `${AT}/clients`

/** API calls of an administrator of clients, and registrations, which need none. */
export function clientsOf(vault: Vault, who: Holder = vault.admin) {
  const authorities = authoritiesOf(vault.admin)
  const register = (body: object): Promise<Answered> => vault.service.call('POST', CLIENTS, { body })
  const profile = (body: object = {}): Promise<any> => who.ok('POST', PROFILES, { name: someName('profile'), ...body })
  const token = (body: object = {}): Promise<any> => who.ok('POST', TOKENS, body)
  return {
    authorities,
    /** A local authority whose certificates let clients in. */
    authority: async (body: object = {}, signed: object = {}): Promise<any> => {
      const made = await authorities.root(body, signed)
      return vault.admin.ok('PATCH', authorities.at(made), { allow_client_authentication: true })
    },
    profile,
    token,
    register,
    /** A client, registered with `token`. */
    registered: async ({ token: registration_token }: any, body: object = {}): Promise<any> => {
      const { status, body: client } = await register({ registration_token, ...body })
      expect(status, JSON.stringify(client)).toBe(201)
      return client
    },
    get: ({ id }: any): Promise<any> => who.ok('GET', `${CLIENTS}/${id as string}`),
    revoke: ({ id }: any, body: object = {}): Promise<Answered> =>
      who.call('PATCH', `${CLIENTS}/${id as string}/revoke`, body),
    renew: ({ id }: any, body: object = {}): Promise<Answered> =>
      who.call('POST', `${CLIENTS}/${id as string}/renew`, body),
    remove: ({ id }: any): Promise<Answered> => who.call('DELETE', `${CLIENTS}/${id as string}`),
  }
}
