import { beforeAll } from 'vitest'
import type { CloudCSimulator, SimulatedKeyView } from '../../../infra/simulators/cloud-c/simulator.ts'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

export { refused } from '../../support/refused.ts'

export const CLOUD_C = '/v1/keymgr/cloud-c'
export const KEYS = `${CLOUD_C}/keys`
export const CONNECTIONS = '/v1/connectionmgmt/services/cloud-c/connections'

export const PROJECT = 'shop-keys'
export const RING = `projects/${PROJECT}/locations/europe-west3/keyRings/orders`

/** A deployment with a simulated cloud, and the initial ring of every file. */
export interface CloudCTests extends Vault {
  readonly cloud: CloudCSimulator
  /** the record of `RING` */
  readonly ring: any
  /** The cloud's own record of a key. @throws Error if the cloud does not have it */
  readonly seen: (key: any) => SimulatedKeyView
  /** The bytes of a version, by default of the primary one. */
  readonly bytesOf: (key: any, version?: number) => Promise<Buffer | undefined>
}

/** The body of a connection, by default with the first key file of the simulator. */
export const connectionBody = (cloud: CloudCSimulator, name: string, file: object = cloud.keyFiles[0]): object => ({
  name,
  key_file: JSON.stringify(file),
})

/** For the tests of one file: everything goes over HTTP, and no state is written behind the service's back. */
export function useCloudC(options?: Partial<DeploymentOptions>): () => CloudCTests {
  const vault = useVault(options)
  let tests: CloudCTests | undefined
  beforeAll(async () => {
    const { admin, service } = vault()
    const cloud = service.deployment.cloudC
    await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'main'))
    const body = { connection: 'main', project_id: PROJECT, key_rings: [{ name: RING }] }
    const { key_rings: added } = await admin.ok('POST', `${CLOUD_C}/add-key-rings`, body)
    tests = {
      ...vault(),
      cloud,
      ring: added[0],
      seen: ({ cloud_c_params: { name } }) => {
        const found = cloud.keyOf(name as string)
        if (found === undefined) throw new Error(`The cloud has no key ${name}`)
        return found
      },
      bytesOf: ({ cloud_c_params: { name } }, version) => cloud.materialOf(name as string, version),
    }
  })
  return () => {
    if (tests === undefined) throw new Error('The cloud is there once the tests begin')
    return tests
  }
}

/** API calls of a user of cloud keys. */
export const keysOf = (who: Holder) => ({
  list: (query = ''): Promise<any> => who.ok('GET', `${KEYS}${query}`),
  get: (id: string): Promise<any> => who.ok('GET', `${KEYS}/${id}`),
  create: (key_name: string, more: object = {}): Promise<any> => who.ok('POST', KEYS, keyBody(key_name, more)),
  tryCreate: (key_name: string, more: object = {}): Promise<Answered> =>
    who.call('POST', KEYS, keyBody(key_name, more)),
  upload: (key_name: string, source_key_id: string, more: object = {}): Promise<any> =>
    who.ok('POST', `${CLOUD_C}/upload-key`, { ...keyBody(key_name, more), source_key_id }),
  tryUpload: (key_name: string, source_key_id: string, more: object = {}): Promise<Answered> =>
    who.call('POST', `${CLOUD_C}/upload-key`, { ...keyBody(key_name, more), source_key_id }),
  update: (id: string, body: object): Promise<any> => who.ok('PATCH', `${KEYS}/${id}`, body),
  tryUpdate: (id: string, body: object): Promise<Answered> => who.call('PATCH', `${KEYS}/${id}`, body),
  act: (id: string, action: string, body?: object): Promise<any> => who.ok('POST', `${KEYS}/${id}/${action}`, body),
  tryAct: (id: string, action: string, body?: object): Promise<Answered> =>
    who.call('POST', `${KEYS}/${id}/${action}`, body),
  versions: async (id: string, query = ''): Promise<any[]> =>
    (await who.ok('GET', `${KEYS}/${id}/versions${query}`)).resources,
  addVersion: (id: string, body: object = { is_native: true }): Promise<any> =>
    who.ok('POST', `${KEYS}/${id}/versions`, body),
})

const keyBody = (key_name: string, more: object): object => ({
  key_ring: RING,
  cloud_c_params: { key_name, purpose: 'ENCRYPT_DECRYPT', ...more },
})
