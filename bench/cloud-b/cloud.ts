import type { BenchedCloud } from '../benched-cloud.ts'
import { DESCRIBED, startBareSurvey } from './bare-survey.ts'
import { recordKeys } from './records.ts'
import { startSimulatedCloudB, type SimulatedCloudB } from './simulated.ts'

const CONNECTION = 'bench'
const VAULTS = ['shop-premium', 'shop-spare'] as const

export const benchedCloudB: BenchedCloud<SimulatedCloudB> = {
  name: 'cloud-b',
  places: VAULTS,
  start: startSimulatedCloudB,
  connect: async ({ credentials: [first], subscription: subscription_id }, { send, logIn }) => {
    const token = await logIn()
    const connection = {
      name: CONNECTION,
      tenant_id: first?.tenantId,
      client_id: first?.clientId,
      client_secret: first?.clientSecret,
    }
    await send('POST', '/v1/connectionmgmt/services/cloud-b/connections', connection, token)
    const vaults = VAULTS.map((name) => ({ name }))
    const body = { connection: CONNECTION, subscription_id, vaults }
    const added = await send('POST', '/v1/keymgr/cloud-b/add-vaults', body, token)
    return Object.fromEntries((added.vaults as { name: string; id: string }[]).map(({ name, id }) => [name, id]))
  },
  synchronizationOf: (vault) => ({ key_vaults: [vault] }),
  keyEntity: 'cloud-b-key',
  recordKeys,
  startSurvey: startBareSurvey,
  besides: [
    {
      depth: DESCRIBED,
      name: 'the bare client asking for each version as well',
      remark: 'says as much as a record holds',
    },
  ],
}
