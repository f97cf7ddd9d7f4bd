import { beforeAll } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import {
  SHOP_COMPARTMENTS,
  type CloudDSimulator,
  type SimulatedKeyView,
} from '../../../infra/simulators/cloud-d/simulator.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

export { refused } from '../../support/refused.ts'

export const CLOUD_D = '/v1/keymgr/cloud-d'
export const KEYS = `${CLOUD_D}/keys`
export const VAULTS = `${CLOUD_D}/vaults`
export const JOBS = `${CLOUD_D}/synchronization-jobs`
export const CONNECTIONS = '/v1/connectionmgmt/services/cloud-d/connections'

export const REGION = 'eu-frankfurt-1'
export const { orders: ORDERS, invoices: INVOICES } = SHOP_COMPARTMENTS

/** A deployment, the simulated cloud, and the vault that every file starts with. */
export interface CloudDTests extends Vault {
  readonly cloud: CloudDSimulator
  /** the record of the vault `orders` */
  readonly vault: any
  /** The cloud's own state of a key. @throws Error if the cloud does not have it */
  readonly seen: (key: any) => SimulatedKeyView
  /** The bytes of a version, or of the current one. */
  readonly bytesOf: (key: any, version?: string) => Promise<Buffer | undefined>
  /** Advances the clock past the cloud's changes, and runs the sweeper, which reads changed keys. */
  readonly settle: () => Promise<void>
}

/** The cloud's id of a vault, by its name. */
export const vaultId = (cloud: CloudDSimulator, name: string): string => {
  const found = cloud.vaults().find(({ displayName }) => displayName === name)
  if (found === undefined) throw new Error(`The cloud has no vault ${name}`)
  return found.id
}

/** The body of a connection with one of the simulator's API keys, by default the first. */
export const connectionBody = (cloud: CloudDSimulator, name: string, at = 0): any => {
  const { tenancyId, userId, fingerprint, region, privateKey } = cloud.credentials[at] ?? cloud.credentials[0]
  const own = { tenancy_id: tenancyId, cloud_user_id: userId, fingerprint, region }
  return { name, ...own, credentials: { key_file: privateKey } }
}

/** For the tests of one file. Everything happens over HTTP; no record is written directly. */
export function useCloudD(options?: Partial<DeploymentOptions>): () => CloudDTests {
  const vault = useVault(options)
  let tests: CloudDTests | undefined
  beforeAll(async () => {
    const { admin, service, advance } = vault()
    const cloud = service.deployment.cloudD
    await admin.ok('POST', CONNECTIONS, connectionBody(cloud, 'main'))
    const body = { connection: 'main', region: REGION, vault_id: [vaultId(cloud, 'orders')] }
    const { vaults } = await admin.ok('POST', `${CLOUD_D}/add-vaults`, body)
    tests = {
      ...vault(),
      cloud,
      vault: vaults[0],
      seen: ({ cloud_d_params: { key_id } }) => {
        const found = cloud.keyOf(key_id as string)
        if (found === undefined) throw new Error(`The cloud has no key ${key_id}`)
        return found
      },
      bytesOf: ({ cloud_d_params: { key_id } }, version) => cloud.materialOf(key_id as string, version),
      settle: async () => {
        advance(60_000)
        await service.deployment.fire('sweep-due')
      },
    }
  })
  return () => {
    if (tests === undefined) throw new Error('The cloud is there once the tests begin')
    return tests
  }
}

/** The body that creates a key in the vault `orders`. */
export const keyBody = (name: string, more: object = {}): object => ({
  name,
  vault: 'orders',
  compartment_id: ORDERS,
  protection_mode: 'SOFTWARE',
  ...more,
})
const AES = { algorithm: 'AES', length: 32 }

/** API calls of a user of cloud keys. */
export const keysOf = (who: Holder) => ({
  list: (query = ''): Promise<any> => who.ok('GET', `${KEYS}${query}`),
  get: (id: string): Promise<any> => who.ok('GET', `${KEYS}/${id}`),
  create: (name: string, more: object = {}): Promise<any> => who.ok('POST', KEYS, keyBody(name, { ...AES, ...more })),
  tryCreate: (name: string, more: object = {}): Promise<Answered> =>
    who.call('POST', KEYS, keyBody(name, { ...AES, ...more })),
  upload: (name: string, source_key_identifier: string, more: object = {}): Promise<any> =>
    who.ok('POST', `${CLOUD_D}/upload-key`, keyBody(name, { source_key_identifier, ...more })),
  tryUpload: (name: string, source_key_identifier: string, more: object = {}): Promise<Answered> =>
    who.call('POST', `${CLOUD_D}/upload-key`, keyBody(name, { source_key_identifier, ...more })),
  update: (id: string, body: object): Promise<any> => who.ok('PATCH', `${KEYS}/${id}`, body),
  tryUpdate: (id: string, body: object): Promise<Answered> => who.call('PATCH', `${KEYS}/${id}`, body),
  act: (id: string, action: string, body?: object): Promise<any> => who.ok('POST', `${KEYS}/${id}/${action}`, body),
  tryAct: (id: string, action: string, body?: object): Promise<Answered> =>
    who.call('POST', `${KEYS}/${id}/${action}`, body),
  versions: async (id: string, query = ''): Promise<any[]> =>
    (await who.ok('GET', `${KEYS}/${id}/versions${query}`)).resources,
  addVersion: (id: string, body: object = { is_native: true }): Promise<any> =>
    who.ok('POST', `${KEYS}/${id}/versions`, body),
  tryAddVersion: (id: string, body: object): Promise<Answered> => who.call('POST', `${KEYS}/${id}/versions`, body),
})
