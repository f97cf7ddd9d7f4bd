import { KMSClient, ReplicateKeyCommand } from '@aws-sdk/client-kms'
import { beforeAll } from 'vitest'
import type {
  CloudASimulator,
  SimulatedAccount,
  SimulatedKeyView,
} from '../../../infra/simulators/cloud-a/simulator.ts'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

export const CLOUD_A = '/v1/keymgr/cloud-a'
export const KEYS = `${CLOUD_A}/keys`
export const UPLOAD = `${CLOUD_A}/upload-key`
const CONNECTIONS = '/v1/connectionmgmt/services/cloud-a/connections'

/** Regions of the initial KMS entry of every file. */
export const REGIONS = ['eu-west-1', 'us-east-1'] as const
export const [REGION, OTHER_REGION] = REGIONS

/** A deployment with a simulated cloud, and a KMS entry for its first account. */
export interface CloudATests extends Vault {
  readonly cloud: CloudASimulator
  readonly account: SimulatedAccount
  /** the entry `main` */
  readonly kms: any
  /** Another KMS entry, with the same connection or with a new one for another account. */
  readonly entry: (name: string, options?: EntryOptions) => Promise<any>
  /** The cloud's own record of a key. @throws Error if the cloud does not have it */
  readonly seen: (key: any) => SimulatedKeyView
  /** The bytes in the cloud: raw, or PKCS #8. */
  readonly bytesOf: (key: any) => Promise<Buffer | undefined>
  /** The official client with the account's own user. */
  readonly client: (region?: string) => KMSClient
  /** Replicates a multi-region key to the other region, ready at once, without the service. */
  readonly replicate: (key: any) => Promise<void>
}

export interface EntryOptions {
  /** default: the first one of the simulator */
  readonly account?: SimulatedAccount | undefined
  readonly regions?: readonly string[]
}

async function connect({ admin }: Vault, name: string, { cloud_name, credentials }: SimulatedAccount): Promise<any> {
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = credentials
  return admin.ok('POST', CONNECTIONS, { name, cloud_name, access_key_id, secret_access_key })
}

function testsOf(vault: Vault, main: SimulatedAccount, kms: any, mainConnection: string): CloudATests {
  const cloud = vault.service.deployment.cloudA
  const clients = new Map<string, KMSClient>()
  const client = (region: string = REGION): KMSClient => {
    const { endpoint } = cloud
    const known = clients.get(region) ?? new KMSClient({ endpoint, region, credentials: main.credentials })
    clients.set(region, known)
    return known
  }
  const at = ({ region, cloud_a_param: { AccountId, KeyID } }: any) => [AccountId, region, KeyID] as const
  return {
    ...vault,
    cloud,
    account: main,
    kms,
    entry: async (name, { account = main, regions = REGIONS } = {}) => {
      const connection = account === main ? mainConnection : name
      if (account !== main) await connect(vault, connection, account)
      const body = { name, account_id: account.id, connection, regions }
      return vault.admin.ok('POST', `${CLOUD_A}/kms`, body)
    },
    seen: (key) => {
      const found = cloud.keyOf(...(at(key) as [string, string, string]))
      if (found === undefined) throw new Error(`The cloud has no key ${key.cloud_a_param.KeyID}`)
      return found
    },
    bytesOf: (key) => cloud.materialOf(...(at(key) as [string, string, string])),
    client,
    replicate: async ({ region, cloud_a_param: { KeyID: KeyId } }) => {
      cloud.setDelays({ transit: 0 })
      await client(region as string).send(new ReplicateKeyCommand({ KeyId, ReplicaRegion: OTHER_REGION }))
      cloud.setDelays({ transit: 2 })
    },
  }
}

/**
 * Connects the simulator's first account and creates the KMS entry `main` for it.
 * @param connection its name, which no other cloud's connection has
 */
export async function cloudAOf(vault: Vault, connection = 'main'): Promise<CloudATests> {
  const [main] = vault.service.deployment.cloudA.accounts
  if (main === undefined) throw new Error('The simulated cloud has no account')
  await connect(vault, connection, main)
  const body = { name: 'main', account_id: main.id, connection, regions: REGIONS }
  return testsOf(vault, main, await vault.admin.ok('POST', `${CLOUD_A}/kms`, body), connection)
}

/** For the tests of one file: everything goes over HTTP, and no state is written behind the service's back. */
export function useCloudA(options?: Partial<DeploymentOptions>): () => CloudATests {
  const vault = useVault(options)
  let tests: CloudATests | undefined
  beforeAll(async () => {
    tests = await cloudAOf(vault())
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
  create: (body: object): Promise<any> => who.ok('POST', KEYS, { kms: 'main', region: REGION, ...body }),
  tryCreate: (body: object): Promise<Answered> => who.call('POST', KEYS, { kms: 'main', region: REGION, ...body }),
  upload: (body: object): Promise<any> => who.ok('POST', UPLOAD, { kms: 'main', region: REGION, ...body }),
  tryUpload: (body: object, headers?: Record<string, string>): Promise<Answered> =>
    who.call('POST', UPLOAD, { kms: 'main', region: REGION, ...body }, headers),
  act: (id: string, action: string, body?: object): Promise<any> => who.ok('POST', `${KEYS}/${id}/${action}`, body),
  tryAct: (id: string, action: string, body?: object): Promise<Answered> =>
    who.call('POST', `${KEYS}/${id}/${action}`, body),
})
