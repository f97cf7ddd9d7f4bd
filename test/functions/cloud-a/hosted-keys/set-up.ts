import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { beforeAll, expect } from 'vitest'
import type { Holder } from '../../vault/vault.ts'
import { CLOUD_A, keysOf, REGION, useCloudA } from '../cloud-a.ts'

export const HOSTED = `${CLOUD_A}/create-hyok-key`
export const STORES = `${CLOUD_A}/custom-key-stores`
export const LOCAL_KEYS = '/v1/vault/keys2'
export const NOBODY = '01890000-0000-7000-8000-00000000ffff'
/** A block takes effect for every caller within 5 seconds. */
export const TAKES_HOLD_MS = 5_001

// A busy machine is slower than the 250 ms limit of a real cloud: these tests check the calls, not their speed.
export const tests = useCloudA({ tlsPort: 'any', proxyTimeoutMs: 10_000 })
export let connected: any
export let apart: any
/** Has all rights on hosted keys of the entry, and no others. */
export let hoster: Holder

/** A local key that is suitable for a hosted key. */
export const sourceKey = (name: string, more: object = {}, who = tests().admin): Promise<any> =>
  who.create({ name, algorithm: 'aes', size: 256, unexportable: true, undeletable: true, ...more })

export const makeStore = (name: string, more: object = {}): Promise<any> =>
  tests().admin.ok('POST', STORES, {
    name,
    kms: 'main',
    region: REGION,
    cloud_a_param: { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' },
    local_hosted_params: { health_check_key_id: 'health', max_credentials: 2 },
    ...more,
  })

/** Connects the store, which takes the cloud a few reads, and reads it until it is connected. */
async function connect({ id }: any): Promise<any> {
  const { admin } = tests()
  expect((await admin.call('POST', `${STORES}/${id}/connect`, {})).status).toBe(202)
  for (let looks = 1; looks < 10; looks++) {
    const store = await admin.ok('GET', `${STORES}/${id}`)
    if (store.cloud_a_param.connection_state === 'CONNECTED') return store
  }
  throw new Error('The store is not connected')
}

export const hostedBody = (source: string, params: object = {}, more: object = {}) => ({
  local_hosted_params: { custom_key_store_id: apart.id as string, source_key_id: source, ...params },
  ...more,
})
export const host = (source: string, params: object = {}, more: object = {}): Promise<any> =>
  tests().admin.ok('POST', HOSTED, hostedBody(source, params, more))
export const tryHost = (body: object, who: Holder = tests().admin) => who.call('POST', HOSTED, body)
/** In the connected store. */
export const inFront = (more: object = {}) => ({ custom_key_store_id: connected.id as string, ...more })

/**
 * The data plane has 150 ms for the table. On a busy machine the call to the cloud is repeated, as an application
 * would.
 */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work()
    } catch (error) {
      if (attempt === 10 || !String(error).includes('DependencyTimeoutException')) throw error
    }
}
export const encrypt = (KeyId: string, text: string): Promise<Uint8Array> =>
  patiently(async () => {
    const command = new EncryptCommand({ KeyId, Plaintext: Buffer.from(text) })
    return (await tests().client().send(command)).CiphertextBlob ?? new Uint8Array()
  })
export const decrypt = (KeyId: string, ciphertext: Uint8Array): Promise<string> =>
  patiently(async () => {
    const command = new DecryptCommand({ KeyId, CiphertextBlob: ciphertext })
    return Buffer.from((await tests().client().send(command)).Plaintext ?? []).toString()
  })
export const recorded = async (): Promise<number> => (await keysOf(tests().admin).list()).total
export const alive = (): number =>
  tests()
    .cloud.keysIn(tests().account.id, REGION)
    .filter(({ state }) => state !== 'PendingDeletion').length

beforeAll(async () => {
  const { admin, kms, user } = tests()
  await admin.create({ name: 'health', algorithm: 'aes', size: 256 })
  apart = await makeStore('apart')
  connected = await connect(await makeStore('in front', { linked_state: true }))
  const { holder, sub } = await user('hoster', ['keymgr Users', 'Key Users'])
  hoster = holder
  const actions = ['hyokkeycreate', 'hyokkeyblockunblock', 'hyokkeydelete', 'hyokkeylink']
  const acls = [{ user_id: sub, permit: true, actions }]
  await admin.ok('POST', `${CLOUD_A}/kms/${kms.id}/update-acls`, { acls })
})
