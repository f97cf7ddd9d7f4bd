import type { BenchedCloud } from '../benched-cloud.ts'
import { startBareSurvey } from './bare-survey.ts'
import { startSimulatedDatacust, type SimulatedDatacust } from './simulated.ts'

const CONNECTION = 'bench'
const GROUPS = ['finance', 'analytics'] as const

export const benchedDatacust: BenchedCloud<SimulatedDatacust> = {
  name: 'datacust',
  places: GROUPS,
  start: startSimulatedDatacust,
  connect: async ({ apiEndpoint: api_endpoint, user: user_credentials, groups }, { send, logIn }) => {
    const token = await logIn()
    const connection = { name: CONNECTION, api_endpoint, user_credentials }
    await send('POST', '/v1/connectionmgmt/services/datacust/connections', connection, token)
    const body = { connection: CONNECTION, group_id: GROUPS.map((name) => groups[name]) }
    const added = await send('POST', '/v1/keymgr/datacust/add-groups', body, token)
    return Object.fromEntries((added.groups as { name: string; id: string }[]).map(({ name, id }) => [name, id]))
  },
  synchronizationOf: (group) => ({ groups: [group] }),
  keyEntity: 'datacust-key',
  rowsOfChange: 2,
  startSurvey: startBareSurvey,
  besides: [],
}
