import type { BenchedCloud } from '../benched-cloud.ts'
import { startBareSurvey } from './bare-survey.ts'
import { recordKeys } from './records.ts'
import { startSimulatedCloudD, type SimulatedCloudD } from './simulated.ts'

const CONNECTION = 'bench'
const REGION = 'eu-frankfurt-1'
const VAULTS = ['orders', 'invoices'] as const

export const benchedCloudD: BenchedCloud<SimulatedCloudD> = {
  name: 'cloud-d',
  places: VAULTS,
  start: startSimulatedCloudD,
  connect: async ({ credentials: [user], vaults }, { send, logIn }) => {
    const token = await logIn()
    const connection = {
      name: CONNECTION,
      tenancy_id: user.tenancyId,
      cloud_user_id: user.userId,
      fingerprint: user.fingerprint,
      region: user.region,
      credentials: { key_file: user.privateKey },
    }
    await send('POST', '/v1/connectionmgmt/services/cloud-d/connections', connection, token)
    const vault_id = VAULTS.map((name) => vaults.find(({ displayName }) => displayName === name)?.id)
    const body = { connection: CONNECTION, region: REGION, vault_id }
    const added = await send('POST', '/v1/keymgr/cloud-d/add-vaults', body, token)
    return Object.fromEntries(
      (added.vaults as { display_name: string; id: string }[]).map(({ display_name, id }) => [display_name, id]),
    )
  },
  synchronizationOf: (vault) => ({ cloud_d_vaults: [vault] }),
  keyEntity: 'cloud-d-key',
  recordKeys,
  startSurvey: startBareSurvey,
  besides: [],
}
