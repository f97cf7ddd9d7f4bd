import { beforeAll } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import type {
  DatacustSimulator,
  SimulatedGroup,
  SimulatedKeyView,
} from '../../../infra/simulators/datacust/simulator.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

export { refused } from '../../support/refused.ts'

export const DATACUST = '/v1/keymgr/datacust'
export const KEYS = `${DATACUST}/keys`
export const JOBS = `${DATACUST}/synchronization-jobs`
export const CONNECTIONS = '/v1/connectionmgmt/services/datacust/connections'

/** A deployment, the simulated cloud, and the groups that every file starts with. */
export interface DatacustTests extends Vault {
  readonly cloud: DatacustSimulator
  /** records of the groups `analytics`, `finance` and `outpost`, the last of AWS */
  readonly groups: Readonly<Record<string, any>>
  /** The cloud's own state of a key. @throws Error if the cloud does not have it */
  readonly seen: (key: any) => SimulatedKeyView
  /** The bytes of a version, or of the newest one. */
  readonly bytesOf: (key: any, version?: number) => Promise<Buffer | undefined>
}

export const groupNamed = (cloud: DatacustSimulator, name: string): SimulatedGroup => {
  const found = cloud.tenants.flatMap(({ groups }) => groups).find((group) => group.name === name)
  if (found === undefined) throw new Error(`The cloud has no group ${name}`)
  return found
}

/** The body of a connection with one of the simulator's technical users that is not activated yet. */
export const connectionBody = (cloud: DatacustSimulator, name: string, user: string): any => {
  const found = cloud.credentials().find((one) => one.tenantName === 'shop' && one.name === user)
  if (found === undefined) throw new Error(`The cloud has no user ${user}`)
  const technical_user_credentials = { api_key: found.apiKey, secret: found.secret }
  return { name, api_endpoint: cloud.apiEndpoint, technical_user_credentials }
}

const NAMES = ['analytics', 'finance', 'outpost'] as const

/** For the tests of one file. Everything happens over HTTP; no record is written directly. */
export function useDatacustCloud(options?: Partial<DeploymentOptions>): () => DatacustTests {
  const vault = useVault(options)
  let tests: DatacustTests | undefined
  beforeAll(async () => {
    const { admin, service } = vault()
    const cloud = service.deployment.datacust
    await admin.ok('POST', CONNECTIONS, await mainBody(cloud))
    const group_id = NAMES.map((name) => groupNamed(cloud, name).id)
    const { groups } = await admin.ok('POST', `${DATACUST}/add-groups`, { connection: 'main', group_id })
    tests = {
      ...vault(),
      cloud,
      groups: Object.fromEntries(groups.map((group: any) => [group.name, group])),
      seen: ({ datacust_param: { id } }) => {
        const found = cloud.keyOf(id as string)
        if (found === undefined) throw new Error(`The cloud has no key ${id as string}`)
        return found
      },
      bytesOf: ({ datacust_param: { id } }, version) => cloud.materialOf(id as string, version),
    }
  })
  return () => {
    if (tests === undefined) throw new Error('The cloud is there once the tests begin')
    return tests
  }
}

/** A connection by a person, which any number of domains can have: technical users are activated once. */
export const mainBody = (cloud: DatacustSimulator): any => {
  const [tenant] = cloud.tenants
  const [person] = tenant?.people ?? []
  const user_credentials = { tenant: tenant?.name, user: person?.username, secret: person?.password }
  return { name: 'main', api_endpoint: cloud.apiEndpoint, user_credentials }
}

const AES = { type: 'AES', size: 256, operations: ['ENCRYPT', 'DECRYPT'] }

/** API calls of a user of cloud keys. */
export const keysOf = (who: Holder) => ({
  get: (id: string): Promise<any> => who.ok('GET', `${KEYS}/${id}`),
  list: (query = ''): Promise<any> => who.ok('GET', `${KEYS}${query}`),
  create: (name: string, more: object = {}): Promise<any> =>
    who.ok('POST', KEYS, { group: 'finance', name, ...AES, ...more }),
  tryCreate: (name: string, more: object = {}): Promise<Answered> =>
    who.call('POST', KEYS, { group: 'finance', name, ...AES, ...more }),
  upload: (name: string, source_key_identifier: string, more: object = {}): Promise<any> =>
    who.ok('POST', `${DATACUST}/upload-key`, uploadBody(name, source_key_identifier, more)),
  tryUpload: (name: string, source_key_identifier: string, more: object = {}): Promise<Answered> =>
    who.call('POST', `${DATACUST}/upload-key`, uploadBody(name, source_key_identifier, more)),
  act: (id: string, action: string, body?: object): Promise<any> => who.ok('POST', `${KEYS}/${id}/${action}`, body),
  tryAct: (id: string, action: string, body?: object): Promise<Answered> =>
    who.call('POST', `${KEYS}/${id}/${action}`, body),
  versions: async (id: string): Promise<any[]> => (await who.ok('GET', `${KEYS}/${id}/versions`)).resources,
})

const uploadBody = (name: string, source_key_identifier: string, more: object): object => ({
  group: 'finance',
  name,
  type: 'AES',
  operations: ['ENCRYPT', 'DECRYPT'],
  source_key_identifier,
  ...more,
})
