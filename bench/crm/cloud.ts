import { SHOP, SHOP_SANDBOX } from '../../infra/simulators/crm/simulator.ts'
import { resourceUri, ROOT_DOMAIN_ID, uuid } from '../../shared/base/ids.ts'
import { crmSecrets, secretsOfOrganization } from '../../shared/clouds/crm/keys/store.ts'
import type { BenchedCloud } from '../benched-cloud.ts'
import { createRecords, firstRecord } from '../records.ts'
import { startBareSurvey } from './bare-survey.ts'
import { startSimulatedCrm, type SimulatedCrm } from './simulated.ts'

const CONNECTION = 'bench'

/** Creates records like the existing one. @param organization id of its record */
async function recordKeys(cloud: SimulatedCrm, place: string, organization: string): Promise<void> {
  const template = await firstRecord(crmSecrets, secretsOfOrganization(organization))
  const { crm_param: param } = template
  const secrets = (await cloud.secretsOf(place)).filter(({ id }) => id !== param.crm_id)
  await createRecords(crmSecrets, secrets, ({ id: crm_id, version, description }, now) => {
    const id = uuid(now)
    return {
      ...template,
      ...{ id, uri: resourceUri(ROOT_DOMAIN_ID, 'keymgr', 'crm-key', id), name: `${param.type} ${version}` },
      crm_param: { ...param, crm_id, version, description: description ?? '' },
    }
  })
}

/** Two organizations; the bench reads one of them. */
export const benchedCrm: BenchedCloud<SimulatedCrm> = {
  name: 'crm',
  places: [SHOP, SHOP_SANDBOX],
  start: startSimulatedCrm,
  connect: async ({ credentials: [user] }, { send, logIn }) => {
    const token = await logIn()
    const { username, password, clientId: client_id, clientSecret: client_secret } = user
    const connection = { name: CONNECTION, cloud_name: 'production', username, password, client_id, client_secret }
    await send('POST', '/v1/connectionmgmt/services/crm/connections', connection, token)
    const { id } = await send('POST', '/v1/keymgr/crm/add-organizations', { connection: CONNECTION }, token)
    return { [SHOP]: String(id) }
  },
  jobs: 'keys/synchronization-jobs',
  synchronizationOf: (organization) => ({ organizations: [organization] }),
  keyEntity: 'crm-key',
  rowsOfChange: 2,
  recordKeys,
  startSurvey: startBareSurvey,
  besides: [],
}
