import { beforeAll } from 'vitest'
import type { SimulatedKeyView } from '../../../infra/simulators/cloud-b/simulator.ts'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import { clientsOf, type Clients } from '../../infra/simulators/cloud-b/clients.ts'
import type { Answered } from '../../support/service.ts'
import type { Holder } from '../vault/vault.ts'
import { CLOUD_B, SUBSCRIPTION, useCloudB, VAULT, type CloudBTests } from './cloud-b.ts'

export const KEYS = `${CLOUD_B}/keys`

/** Vaults of the subscription, by their distinguishing feature. */
export const IN = {
  standard: 'shop-standard',
  premium: VAULT,
  spare: 'shop-spare',
  /** with purge protection */
  locked: 'shop-locked',
  /** without soft delete */
  plain: 'shop-plain',
  overseas: 'shop-overseas',
  hsm: 'shop-hsm',
} as const
export type In = keyof typeof IN

/** The fixture of tests of keys. */
export interface CloudBKeyTests extends CloudBTests {
  /** records of the vaults `IN` */
  readonly vaults: Readonly<Record<In, any>>
  /** The cloud's official clients, for actions of other users. */
  readonly others: Clients
  /** The cloud's own view of a key. @throws Error if the cloud does not have it */
  readonly seen: (key: any) => SimulatedKeyView
}

/** The body that adds vaults of a subscription. */
export const vaultsBody = (names: readonly string[], subscription_id = SUBSCRIPTION): object => ({
  connection: 'main',
  subscription_id,
  vaults: names.map((name) => ({ name, managed_hsm: name === IN.hsm })),
})

/** Like `useCloudB`, with every vault of the subscription. */
export function useKeys(options?: Partial<DeploymentOptions>): () => CloudBKeyTests {
  const started = useCloudB(options)
  let tests: CloudBKeyTests | undefined
  beforeAll(async () => {
    const { admin, cloud, vault } = started()
    const names = Object.values(IN).filter((name) => name !== VAULT)
    const { vaults: added } = await admin.ok('POST', `${CLOUD_B}/add-vaults`, vaultsBody(names))
    const recordOf = (name: string): any => [vault, ...added].find((one) => one.name === name)
    tests = {
      ...started(),
      vaults: Object.fromEntries(Object.entries(IN).map(([is, name]) => [is, recordOf(name)])) as Record<In, any>,
      others: clientsOf(cloud),
      seen: ({ key_vault, key_name }) => {
        const found = cloud.keyOf(key_vault as string, key_name as string)
        if (found === undefined) throw new Error(`The cloud has no key ${key_name} in ${key_vault}`)
        return found
      },
    }
  })
  return () => {
    if (tests === undefined) throw new Error('The vaults are there once the tests begin')
    return tests
  }
}

/** The body of a key creation; default: EC in software, because RSA takes time. */
export const keyBody = (key_name: string, param: object = {}, vault: In = 'premium', more: object = {}): object => ({
  key_name,
  key_vault: IN[vault],
  cloud_b_param: { kty: 'EC', ...param },
  ...more,
})

/** The body of an upload of a local key; default: into the premium vault. */
export const uploadBody = (key_name: string, local_key_identifier: string, more: object = {}): object => ({
  key_name,
  key_vault: IN.premium,
  local_key_identifier,
  ...more,
})

/** API calls of a user of cloud keys. */
export const keysOf = (who: Holder) => ({
  list: (query = ''): Promise<any> => who.ok('GET', `${KEYS}${query}`),
  get: (id: string): Promise<any> => who.ok('GET', `${KEYS}/${id}`),
  create: (...body: Parameters<typeof keyBody>): Promise<any> => who.ok('POST', KEYS, keyBody(...body)),
  tryCreate: (...body: Parameters<typeof keyBody>): Promise<Answered> => who.call('POST', KEYS, keyBody(...body)),
  upload: (...body: Parameters<typeof uploadBody>): Promise<any> =>
    who.ok('POST', `${CLOUD_B}/upload-key`, uploadBody(...body)),
  tryUpload: (...body: Parameters<typeof uploadBody>): Promise<Answered> =>
    who.call('POST', `${CLOUD_B}/upload-key`, uploadBody(...body)),
  update: (id: string, body: object): Promise<any> => who.ok('PATCH', `${KEYS}/${id}`, body),
  tryUpdate: (id: string, body: object): Promise<Answered> => who.call('PATCH', `${KEYS}/${id}`, body),
  act: (id: string, action: string, body?: object): Promise<any> => who.ok('POST', `${KEYS}/${id}/${action}`, body),
  tryAct: (id: string, action: string, body?: object): Promise<Answered> =>
    who.call('POST', `${KEYS}/${id}/${action}`, body),
  /** Versions of a name, oldest record first. */
  versions: async (key_name: string, query = ''): Promise<any[]> =>
    (await who.ok('GET', `${KEYS}?limit=-1&sort=createdAt&key_name=${key_name}${query}`)).resources,
})
