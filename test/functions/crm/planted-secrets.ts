import { SHOP, type CrmSimulator } from '../../../infra/simulators/crm/simulator.ts'
import type { PlantingAt } from '../planting.ts'
import { CERTIFICATES, connectionBody, CONNECTIONS, CRM, ENDPOINTS, KEYS } from './crm.ts'

/** Sends passwords, secrets of apps, tokens and material to the cloud: none may remain, even after a refusal. */
export async function plantCrmSecrets({
  made,
  refused,
  password,
  remember,
  harmless,
  cloud,
  source,
}: PlantingAt<CrmSimulator>): Promise<void> {
  cloud.setIntervals('off')
  cloud.seed(SHOP, 1, () => ({ status: 'ACTIVE' }))
  const body = connectionBody(cloud, 'shop')
  remember('the password of a user of crm', body.password as string)
  remember('the secret of an app of crm', body.client_secret as string)
  const forget = cloud.inject({
    fault: 'wrong-answer',
    operation: 'Login',
    answer: (answered) => {
      remember('a token of crm', (answered as { access_token: string }).access_token)
      return answered
    },
  })
  await made(CONNECTIONS, { ...body, description: harmless })
  const wrong = password('a wrong password of a user of crm')
  await refused(400, 'POST', CONNECTIONS, { body: { ...body, name: 'shop-malformed', password: [wrong] } })
  await made(CONNECTIONS, { ...body, name: 'shop-wrong', password: wrong })
  await refused(502, 'POST', `${CRM}/get-organizations`, { body: { connection: 'shop-wrong' } })

  const { id: organization_id } = await made(`${CRM}/add-organizations`, { connection: 'shop' })
  const { id: certificate_id } = await made(CERTIFICATES, { name: 'planted', organization_id })
  const secret = { organization_id, type: 'Data', certificate_id, source_key_identifier: source }
  await made(`${KEYS}/upload`, { ...secret, name: harmless })
  await refused(422, 'POST', `${KEYS}/upload`, { body: secret }) // the cloud accepts the same material once

  const password_authentication = { username: 'platform', password: password('the password of a key endpoint') }
  const url_hostname = 'keys.example.test'
  const endpoint = await made(ENDPOINTS, { name: 'planted', url_hostname, organization_id, password_authentication })
  const credential = cloud.setCredential(SHOP, {
    ...{ developerName: 'planted', endpoint: 'https://keys.example.test/' },
    login: { kind: 'password', ...password_authentication },
  })
  const remote = { ...secret, named_credential_id: credential, endpoint_id: endpoint.id }
  await refused(422, 'POST', `${CRM}/upload-cache-only-key`, { body: { ...remote, name: harmless } })
  const at = `${ENDPOINTS}/${endpoint.id as string}/keys/${harmless}`
  const pair = `platform:${password('a wrong password of a key endpoint')}`
  for (const authorization of [`Basic ${Buffer.from(pair).toString('base64')}`, `Bearer ${password('a token')}`])
    await refused(401, 'GET', at, { headers: { authorization } })
  forget()
}
