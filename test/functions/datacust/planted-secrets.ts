import type { DatacustSimulator } from '../../../infra/simulators/datacust/simulator.ts'
import type { PlantingAt } from '../planting.ts'
import { CONNECTIONS, connectionBody, DATACUST, groupNamed } from './datacust.ts'

/** Sends secrets of technical users, passwords and material to the cloud: none may remain, even after a refusal. */
export async function plantDatacustSecrets({
  made,
  refused,
  password,
  remember,
  harmless,
  cloud,
  source,
}: PlantingAt<DatacustSimulator>): Promise<void> {
  const body = connectionBody(cloud, 'custodian', 'keymgr')
  const { api_key, secret } = body.technical_user_credentials
  remember('the secret of a technical user', secret as string)
  await made(CONNECTIONS, { ...body, description: harmless })
  const activated = cloud.credentials().find(({ apiKey }) => apiKey === api_key)?.secret ?? ''
  remember('the activated secret of a technical user', activated)
  const wrong = password('a wrong secret of a technical user')
  const again = { ...body, name: 'custodian-again', technical_user_credentials: { api_key, secret: wrong } }
  await refused(422, 'POST', CONNECTIONS, { body: again })
  await refused(400, 'POST', CONNECTIONS, {
    body: { ...again, technical_user_credentials: { api_key, secret: [wrong] } },
  })
  const [tenant] = cloud.tenants
  const person = password('the wrong password of a standard user')
  const user_credentials = { tenant: tenant?.name, user: 'ada', secret: person }
  const { technical_user_credentials: _, ...rest } = body
  await made(CONNECTIONS, { ...rest, name: 'custodian-person', user_credentials })
  await refused(502, 'POST', `${DATACUST}/get-groups`, { body: { connection: 'custodian-person' } })

  const group_id = ['finance', 'outpost'].map((name) => groupNamed(cloud, name).id)
  await made(`${DATACUST}/add-groups`, { connection: 'custodian', group_id })
  for (const group of group_id) {
    const key = { group, type: 'AES', operations: ['ENCRYPT', 'DECRYPT'], source_key_identifier: source }
    await made(`${DATACUST}/upload-key`, { ...key, name: 'planted' })
    const removeFault = cloud.inject({ fault: 'refuse', operation: 'UnwrapKey', status: 400, message: harmless })
    await refused(422, 'POST', `${DATACUST}/upload-key`, { body: { ...key, name: 'refused' } })
    removeFault()
  }
}
