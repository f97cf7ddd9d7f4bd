import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Answered } from '../../support/service.ts'
import type { Holder, Vault } from '../vault/vault.ts'

export const ENDPOINTS = '/v1/keymgr/docsuite/dke/endpoints'
export const HOST = 'dke.example.test'
export const TENANT = '5f0c2b1e-6d1a-4b8e-9c37-0d2f4a6b8c1d'

const someName = (kind: string): string => `${kind}-${randomBytes(6).toString('hex')}`

/** API calls of an administrator of endpoints. */
export const dkeOf = (vault: Vault, who: Holder = vault.admin) => {
  const tryCreate = (body: object = {}): Promise<Answered> =>
    who.call('POST', ENDPOINTS, { name: someName('e'), key_uri_hostname: HOST, ...body })
  return {
    tryCreate,
    /** Creates an endpoint; default: for the people of one tenant. */
    create: async (body: object = {}): Promise<any> => {
      const { status, body: endpoint } = await tryCreate({ auth_tenants: [TENANT], ...body })
      expect(status, JSON.stringify(endpoint)).toBe(201)
      return endpoint
    },
    get: ({ id }: any): Promise<any> => who.ok('GET', `${ENDPOINTS}/${id as string}`),
    update: ({ id }: any, body: object, headers?: Record<string, string>): Promise<Answered> =>
      who.call('PATCH', `${ENDPOINTS}/${id as string}`, body, headers),
    remove: ({ id }: any): Promise<Answered> => who.call('DELETE', `${ENDPOINTS}/${id as string}`),
    act: ({ id }: any, action: string, body?: object, headers?: Record<string, string>): Promise<Answered> =>
      who.call('POST', `${ENDPOINTS}/${id as string}/${action}`, body, headers),
    /** A local key that is suitable for an endpoint. */
    localKey: (body: object = {}): Promise<any> =>
      who.create({ name: someName('k'), algorithm: 'rsa', unexportable: true, undeletable: true, ...body }),
  }
}
