import { CLOUD_A, REGION as CLOUD_A_REGION } from './cloud-a/cloud-a.ts'
import {
  CLOUD_B,
  connectionBody as cloudBBody,
  CONNECTIONS as CLOUD_B_CONNECTIONS,
  SUBSCRIPTION,
  VAULT,
} from './cloud-b/cloud-b.ts'
import {
  CLOUD_C,
  connectionBody as cloudCBody,
  CONNECTIONS as CLOUD_C_CONNECTIONS,
  PROJECT,
  RING,
} from './cloud-c/cloud-c.ts'
import {
  CLOUD_D,
  connectionBody as cloudDBody,
  CONNECTIONS as CLOUD_D_CONNECTIONS,
  REGION,
  vaultId,
} from './cloud-d/cloud-d.ts'
import { connectionBody as crmBody, CONNECTIONS as CRM_CONNECTIONS, CRM, KEY_JOBS, SHOP } from './crm/crm.ts'
import { CONNECTIONS as DATACUST_CONNECTIONS, DATACUST, groupNamed, mainBody } from './datacust/datacust.ts'
import type { Vault } from './vault/vault.ts'

/** A container of a cloud with many keys. */
export interface Place {
  /** path of its synchronization jobs */
  readonly jobs: string
  readonly body: object
  readonly keys: string
  /** kind of the records of its keys */
  readonly entity: string
  readonly inject: (answer: (body: unknown) => unknown) => () => void
}

const wrong = (answer: (body: unknown) => unknown) => ({ fault: 'wrong-answer', answer }) as const
/** Answers about keys: without its container a cloud reads no key. */
const ofKeys = { when: ({ operation }: { readonly operation: string }) => /Key|Version/.test(operation) }

/** In each cloud, the first container with new keys. */
export const PLACES: Readonly<Record<string, (vault: Vault, keys: number) => Promise<Place>>> = {
  'cloud-a': async ({ admin, service }, count) => {
    const cloud = service.deployment.cloudA
    const [account] = cloud.accounts
    if (account === undefined) throw new Error('The cloud has no account')
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account.credentials
    const own = { name: 'a', access_key_id, secret_access_key }
    await admin.ok('POST', '/v1/connectionmgmt/services/cloud-a/connections', own)
    const kms = { name: 'a', account_id: account.id, connection: 'a', regions: [CLOUD_A_REGION] }
    await admin.ok('POST', `${CLOUD_A}/kms`, kms)
    cloud.seed({ account: account.id, region: CLOUD_A_REGION, count })
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return {
      jobs: `${CLOUD_A}/synchronization-jobs`,
      body: { kms: ['a'] },
      keys: `${CLOUD_A}/keys`,
      entity: 'cloud-a-key',
      inject,
    }
  },
  'cloud-b': async ({ admin, service }, count) => {
    const cloud = service.deployment.cloudB
    await admin.ok('POST', CLOUD_B_CONNECTIONS, cloudBBody(cloud, 'b'))
    const added = { connection: 'b', subscription_id: SUBSCRIPTION, vaults: [{ name: VAULT }] }
    await admin.ok('POST', `${CLOUD_B}/add-vaults`, added)
    await cloud.seedKeys(VAULT, count)
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return {
      jobs: `${CLOUD_B}/synchronization-jobs`,
      body: { key_vaults: [VAULT] },
      keys: `${CLOUD_B}/keys`,
      entity: 'cloud-b-key',
      inject,
    }
  },
  'cloud-c': async ({ admin, service }, count) => {
    const cloud = service.deployment.cloudC
    await admin.ok('POST', CLOUD_C_CONNECTIONS, cloudCBody(cloud, 'c'))
    const added = { connection: 'c', project_id: PROJECT, key_rings: [{ name: RING }] }
    await admin.ok('POST', `${CLOUD_C}/add-key-rings`, added)
    cloud.seed(RING, count)
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return {
      jobs: `${CLOUD_C}/synchronization-jobs`,
      body: { key_rings: [RING] },
      keys: `${CLOUD_C}/keys`,
      entity: 'cloud-c-key',
      inject,
    }
  },
  'cloud-d': async ({ admin, service }, count) => {
    const cloud = service.deployment.cloudD
    await admin.ok('POST', CLOUD_D_CONNECTIONS, cloudDBody(cloud, 'd'))
    const id = vaultId(cloud, 'orders')
    const { vaults } = await admin.ok('POST', `${CLOUD_D}/add-vaults`, {
      ...{ connection: 'd', region: REGION, vault_id: [id] },
    })
    cloud.seed(id, count)
    const body = { cloud_d_vaults: [vaults[0].id] }
    const inject = (answer: (body: unknown) => unknown) => cloud.inject({ ...wrong(answer), ...ofKeys })
    return { jobs: `${CLOUD_D}/synchronization-jobs`, body, keys: `${CLOUD_D}/keys`, entity: 'cloud-d-key', inject }
  },
  crm: async ({ admin, service }, count) => {
    const { crm: cloud } = service.deployment
    cloud.setIntervals('off')
    await admin.ok('POST', CRM_CONNECTIONS, crmBody(cloud, 'crm'))
    const organization = await admin.ok('POST', `${CRM}/add-organizations`, { connection: 'crm' })
    cloud.seed(SHOP, count)
    const inject = (answer: (body: unknown) => unknown) => cloud.inject(wrong(answer))
    return {
      jobs: KEY_JOBS,
      body: { organizations: [organization.id] },
      keys: `${CRM}/keys`,
      entity: 'crm-key',
      inject,
    }
  },
  datacust: async ({ admin, service }, count) => {
    const { datacust: cloud } = service.deployment
    await admin.ok('POST', DATACUST_CONNECTIONS, { ...mainBody(cloud), name: 'datacust' })
    const { id } = groupNamed(cloud, 'finance')
    const { groups } = await admin.ok('POST', `${DATACUST}/add-groups`, { connection: 'datacust', group_id: [id] })
    cloud.seed(id, count)
    const body = { groups: [groups[0].id] }
    const inject = (answer: (body: unknown) => unknown) => cloud.inject({ ...wrong(answer), ...ofKeys })
    return { jobs: `${DATACUST}/synchronization-jobs`, body, keys: `${DATACUST}/keys`, entity: 'datacust-key', inject }
  },
}
