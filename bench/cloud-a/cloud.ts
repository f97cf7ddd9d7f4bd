import type { BenchedCloud } from '../benched-cloud.ts'
import { startBareSurvey } from './bare-survey.ts'
import { recordKeys } from './records.ts'
import { startSimulatedCloudA, type SimulatedCloudA } from './simulated.ts'

const KMS = 'bench'
/** Regions of one KMS entry. */
const PLACES = ['eu-west-1', 'us-east-1'] as const

export const benchedCloudA: BenchedCloud<SimulatedCloudA> = {
  name: 'cloud-a',
  places: PLACES,
  start: startSimulatedCloudA,
  connect: async ({ account }, { send, logIn }) => {
    const { id: account_id, cloud_name, credentials } = account
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = credentials
    const token = await logIn()
    const connection = { name: KMS, cloud_name, access_key_id, secret_access_key }
    await send('POST', '/v1/connectionmgmt/services/cloud-a/connections', connection, token)
    const kms = { name: KMS, account_id, connection: KMS, regions: PLACES }
    const { id } = await send('POST', '/v1/keymgr/cloud-a/kms', kms, token)
    return Object.fromEntries(PLACES.map((region) => [region, id as string]))
  },
  synchronizationOf: (region) => ({ kms: [KMS], regions: [region] }),
  reportOf: ({ account }, region) => ({
    cloud_a_params: [{ kms: KMS, region, log_group: `trail-${account.id}` }],
  }),
  keyEntity: 'cloud-a-key',
  recordKeys,
  startSurvey: startBareSurvey,
  besides: [
    {
      depth: 'described',
      name: 'ListKeys and DescribeKey alone',
      remark: 'says less than a record holds',
    },
  ],
}
