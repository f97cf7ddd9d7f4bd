import { createPrivateKey } from 'node:crypto'
import type { CloudDSimulator } from '../../../infra/simulators/cloud-d/simulator.ts'
import type { PlantingAt } from '../planting.ts'
import { CLOUD_D, CONNECTIONS, connectionBody, keyBody, REGION, vaultId } from './cloud-d.ts'

/** Sends API keys, pass phrases, clients' secrets and material to a cloud: none may remain, even after a refusal. */
export async function plantCloudDSecrets({
  made,
  refused,
  password,
  remember,
  harmless,
  cloud,
  source,
}: PlantingAt<CloudDSimulator>): Promise<void> {
  const own = connectionBody(cloud, 'harbour')
  for (const line of own.credentials.key_file.split('\n').slice(2, 5)) remember('a line of an API key', line as string)
  const pass_phrase = password('the pass phrase of an API key')
  const key_file = createPrivateKey(own.credentials.key_file as string)
    .export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: pass_phrase })
    .toString()
  await made(CONNECTIONS, { ...own, description: harmless, credentials: { key_file, pass_phrase } })
  const guessed = password('a wrong pass phrase')
  const again = { ...own, name: 'again' }
  await refused(422, 'POST', CONNECTIONS, { body: { ...again, credentials: { key_file, pass_phrase: guessed } } })
  await refused(400, 'POST', CONNECTIONS, { body: { ...again, credentials: { key_file: [guessed] } } })
  await refused(400, 'POST', CONNECTIONS, { body: { ...again, key_file: own.credentials.key_file as string } })
  await made(`${CLOUD_D}/add-vaults`, { connection: 'harbour', region: REGION, vault_id: [vaultId(cloud, 'orders')] })
  await made(`${CLOUD_D}/upload-key`, keyBody('planted', { source_key_identifier: source }))

  const [domain] = cloud.domains
  const [client] = domain?.tenancy.applications ?? []
  const { clientId: client_id = '', clientSecret: client_secret = '' } = client ?? {}
  remember('the secret of a client of an issuer', client_secret)
  const openid_config_url = `${domain?.url ?? ''}/.well-known/openid-configuration`
  const issuer = { name: 'issuer', openid_config_url, jwks_uri_protected: true, client_id }
  const at = `${CLOUD_D}/issuers`
  const { id } = await made(at, { ...issuer, client_secret })
  const wrong = password('a wrong secret of a client')
  await refused(422, 'POST', at, { body: { ...issuer, name: 'other', client_secret: wrong } })
  await refused(422, 'PATCH', `${at}/${id as string}`, { body: { client_secret: wrong } })
  await refused(400, 'PATCH', `${at}/${id as string}`, { body: { client_secret: [wrong] } })
}
