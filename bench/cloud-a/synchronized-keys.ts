import type { Deployment } from '../../infra/local/deployment.ts'
import type { callsOf } from '../management.ts'

export const REGION = 'eu-west-1'

/** Creates keys at the simulated cloud and synchronizes them. @returns the id of their container */
export async function synchronizedKeys(
  { cloudA, flows }: Deployment,
  calls: ReturnType<typeof callsOf>,
  count: number,
): Promise<string> {
  const [account] = cloudA.accounts
  if (account === undefined) throw new Error('The simulated cloud has no account')
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account.credentials
  const connection = { name: 'bench', access_key_id, secret_access_key }
  await calls('POST', '/v1/connectionmgmt/services/cloud-a/connections', connection)
  const entry = { name: 'bench', account_id: account.id, connection: 'bench', regions: [REGION] }
  const { id: kms } = await calls('POST', '/v1/keymgr/cloud-a/kms', entry)
  cloudA.seed({ account: account.id, region: REGION, count })
  await calls('POST', '/v1/keymgr/cloud-a/synchronization-jobs', { kms: ['bench'] })
  await flows.idle()
  return String(kms)
}
