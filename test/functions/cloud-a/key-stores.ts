import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { jsonOf, raw } from '../../support/raw.ts'
import type { Answered } from '../../support/service.ts'
import { sign, stampOf } from '../../support/xks-signing.ts'
import { expectRefused, type Holder, type Vault } from '../vault/vault.ts'
import { CLOUD_A, REGION } from './cloud-a.ts'

export const STORES = `${CLOUD_A}/custom-key-stores`
/** A name that the simulated cloud resolves to the deployment itself. */
export const ENDPOINT = 'https://xks.keymgr.test'

/** With TLS, which a cloud requires, and with long limits for a busy machine. */
export const SERVED = { tlsPort: 'any', proxyTimeoutMs: 15_000, flowPauseMs: () => 1 } as const

/** A body for an external key store with the health check key `health`. */
export const external = (name: string, { local = {}, cloud = {}, ...more }: any = {}): any => ({
  name,
  kms: 'main',
  region: REGION,
  local_hosted_params: { health_check_key_id: 'health', max_credentials: 2, ...local },
  cloud_a_param: { xks_proxy_uri_endpoint: ENDPOINT, ...cloud },
  ...more,
})

/** API calls of a user of key stores. */
export const storesOf = (who: Holder) => ({
  create: (name: string, more?: object): Promise<any> => who.ok('POST', STORES, external(name, more)),
  tryCreate: (body: object): Promise<Answered> => who.call('POST', STORES, body),
  get: (id: string): Promise<any> => who.ok('GET', `${STORES}/${id}`),
  list: (query = ''): Promise<any> => who.ok('GET', `${STORES}${query}`),
  act: (id: string, action: string, body?: object): Promise<any> => who.ok('POST', `${STORES}/${id}/${action}`, body),
  tryAct: (id: string, action: string, body?: object): Promise<Answered> =>
    who.call('POST', `${STORES}/${id}/${action}`, body),
  update: (id: string, body: object): Promise<any> => who.ok('PATCH', `${STORES}/${id}`, body),
  tryUpdate: (id: string, body: object): Promise<Answered> => who.call('PATCH', `${STORES}/${id}`, body),
  remove: (id: string): Promise<Answered> => who.call('DELETE', `${STORES}/${id}`),
  credentials: (id: string, query = ''): Promise<any> => who.ok('GET', `${STORES}/${id}/credentials${query}`),
  /** Starts to connect or disconnect the store, and reads it until that is done. */
  move: async (id: string, action: 'connect' | 'disconnect', body: object = {}): Promise<any> => {
    const begun = await who.call('POST', `${STORES}/${id}/${action}`, action === 'connect' ? body : undefined)
    expect(begun.status, JSON.stringify(begun.body)).toBe(202)
    for (let read = 0; read < 10; read++) {
      const store = await who.ok('GET', `${STORES}/${id}`)
      if (!String(store.cloud_a_param.connection_state).endsWith('ING')) return store
    }
    throw new Error('The store does not come to rest')
  },
})

/** Like `expectRefused`, for a pending call, with all invalid fields. */
export async function refusedFor(
  answered: Promise<Answered>,
  status: number,
  code: number,
  ...fields: string[]
): Promise<Answered> {
  const answer = await answered
  expectRefused(answer, status, code, ...fields)
  expect(answer.body.errors?.length ?? 0, JSON.stringify(answer.body)).toBe(fields.length)
  return answer
}

/** The credential that a store's creation or rotation returned. */
export interface Pair {
  readonly access_key_id: string
  readonly secret_access_key: string
}

/** A health call signed with a pair, as by the cloud: returns status, and the error's name if any. */
export async function callSigned(
  { service: { deployment } }: Pick<Vault, 'service'>,
  store: any,
  { access_key_id: accessKeyId, secret_access_key: secret }: Pair,
): Promise<[number, string | undefined]> {
  const path = store.local_hosted_params.health_check_uri_path as string
  const body = JSON.stringify({ requestMetadata: { kmsRequestId: randomUUID(), kmsOperation: 'KmsHealthCheck' } })
  const stamp = stampOf(deployment.clock.now())
  const { headers } = sign({ path, body, host: 'xks.keymgr.test', accessKeyId, secret, region: REGION, stamp })
  const request = { method: 'POST', target: path, body, headers: { ...headers, 'content-type': 'application/json' } }
  const answer = await raw(deployment.baseUrl, request)
  return [answer.status, jsonOf(answer).errorName]
}

/** Creates the key `health`, and calls the proxy once: its first answer may exceed the cloud's limit. */
export async function prepareStores(vault: Vault): Promise<void> {
  await vault.admin.create({ name: 'health', algorithm: 'aes', size: 256 })
  const store = await storesOf(vault.admin).create('first-called')
  const isServed = async () => expect(await callSigned(vault, store, store)).toEqual([200, undefined])
  await vi.waitFor(isServed, { timeout: 10_000 })
  expect((await storesOf(vault.admin).remove(store.id)).status).toBe(200)
}
