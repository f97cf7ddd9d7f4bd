import { expect } from 'vitest'
import type { Deployment } from '../../../infra/local/deployment.ts'
import { uuid } from '../../../shared/base/ids.ts'
import type { StoredCloudAKey } from '../../../shared/clouds/cloud-a/keys/store.ts'
import { cloudAKeys } from '../../../shared/clouds/cloud-a/keys/store.ts'
import { Changes } from '../../../shared/store/changes.ts'
import type { Service } from '../../support/service.ts'
import { pointProcessAt } from '../../support/own-process.ts'

export const CONNECTIONS = '/v1/connectionmgmt/services/cloud-a/connections'
export const KMS = '/v1/keymgr/cloud-a/kms'

type Account = Deployment['cloudA']['accounts'][number]

/** One of the initial accounts of the simulated cloud, by index. */
export function accountAt({ deployment }: Service, at: number): Account {
  const account = deployment.cloudA.accounts[at]
  if (account === undefined) throw new Error(`The simulated cloud has no account ${at}`)
  return account
}

/** A connection to an account with valid credentials, not tested yet. @returns its id */
export async function connectionTo(
  service: Service,
  token: string,
  name: string,
  { cloud_name, credentials }: Account,
  more: object = {},
): Promise<string> {
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = credentials
  const body = { name, cloud_name, access_key_id, secret_access_key, ...more }
  const made = await service.call('POST', CONNECTIONS, { token, body })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.id as string
}

/** Points this process's store at the deployment's table, to write records that a cloud would take long to produce. */
export function useTableOf({ table, environmentOf }: Deployment): void {
  pointProcessAt({
    ...environmentOf('cloud-a'),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
  })
}

interface Place {
  readonly id: string
  readonly name: string
  readonly account_id: string
}

function keyRecord({ id: kms_id, name: kms, account_id }: Place, region: string, now: Date): StoredCloudAKey {
  const [id, KeyID] = [uuid(now), uuid(now)]
  const at = now.toISOString()
  return {
    id,
    uri: `keymgr:any:keymgr:cloud-a-keys:${id}`,
    account: 'keymgr:keymgr:admin:accounts:any',
    createdAt: at,
    updatedAt: at,
    kms_id,
    kms,
    region,
    cloud_name: 'cloud-a',
    key_type: 'symmetric',
    basic_view_enabled: false,
    gone: false,
    synced_at: at,
    key_material_origin: 'native',
    rotation_status: '',
    cloud_a_param: {
      AccountId: account_id,
      Arn: `arn:aws:kms:${region}:${account_id}:key/${KeyID}`,
      KeyID,
      CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
      KeyState: 'Enabled',
      Enabled: true,
      Alias: [],
      Tags: [],
    },
  }
}

/** Writes records of keys, as a synchronization would. */
export async function knowKeys(domain: string, kms: Place, region: string, count: number, now: Date): Promise<void> {
  const AT_A_TIME = 15
  for (let done = 0; done < count; done += AT_A_TIME) {
    const changes = new Changes()
    for (let n = done; n < Math.min(count, done + AT_A_TIME); n++)
      changes.create(cloudAKeys, domain, keyRecord(kms, region, now))
    await changes.commit(now)
  }
}
