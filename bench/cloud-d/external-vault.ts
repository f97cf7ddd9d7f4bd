import { createPublicKey, randomUUID, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Deployment } from '../../infra/local/deployment.ts'
import type { Domain } from '../../infra/simulators/cloud-d/simulator.ts'
import { administratorToken, eventOf, post } from '../data-plane.ts'

const HOST = 'ekm.example.test'
const TENANCY = { tenancy: 'elsewhere', tenancy_id: 'ocid1.tenancy.oc1..elsewhere' }
const CLOUD_D = '/v1/keymgr/cloud-d'
/** A call of the cloud: a data key, and its context. */
const FIELDS = {
  plaintext: Buffer.alloc(32, 1).toString('base64'),
  aad: Buffer.alloc(60, 2).toString('base64'),
}

/** An external key, and the calls of the cloud that encrypt with it. */
export interface BenchExternalKey {
  /** the key with which the cloud signs tokens */
  readonly issuerKey: KeyObject
  /** A request in the form of an API Gateway event, at the present time. */
  readonly encryption: () => Promise<APIGatewayProxyEventV2>
}

function clientOf({ tenancy: { applications } }: Domain, wanted: string): { id: string; secret: string } {
  const found = applications.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`The domain has no application ${wanted}`)
  return { id: found.clientId, secret: found.clientSecret }
}

async function issuerKeyOf(domain: Domain): Promise<KeyObject> {
  domain.protectKeySet(false)
  const { keys } = (await (await fetch(`${domain.url}/admin/v1/SigningCert/jwk`)).json()) as { keys: JsonWebKey[] }
  domain.protectKeySet(true)
  const [key = {}] = keys
  return createPublicKey({ key, format: 'jwk' })
}

/** A key of a vault without policies, whose issuer has a protected key set, as in the cloud. */
export async function seedExternalKey(deployment: Deployment): Promise<BenchExternalKey> {
  const [domain] = deployment.cloudD.domains
  if (domain === undefined) throw new Error('The cloud has no domain')
  const jwt = await administratorToken(deployment)
  const made = (path: string, body: object) => post(deployment, path, body, jwt)
  const name = `bench-${randomUUID()}`
  const reader = clientOf(domain, 'key-set-reader')
  const caller = clientOf(domain, 'external-vaults')
  const issuer = await made(`${CLOUD_D}/issuers`, {
    ...{ name, jwks_uri_protected: true, client_id: reader.id, client_secret: reader.secret },
    openid_config_url: `${domain.url}/.well-known/openid-configuration`,
  })
  await made(`${CLOUD_D}/add-tenancy`, TENANCY)
  const vault = await made(`${CLOUD_D}/create-external-vault`, {
    ...{ vault_name: name, client_application_id: caller.id, issuer_id: issuer.id },
    ...{ endpoint_url_hostname: HOST, tenancy: TENANCY.tenancy },
  })
  await made('/v1/vault/keys2', { name, algorithm: 'aes', size: 256 })
  const key = await made(`${CLOUD_D}/create-external-key`, { vault: vault.id, name, source_key_identifier: name })
  const { pathname } = new URL(vault.external_vault_params.endpoint_url as string)
  return {
    issuerKey: await issuerKeyOf(domain),
    encryption: async () => {
      const token = await domain.tokenOf({ clientId: caller.id, audience: `https://${HOST}/` })
      const now = deployment.clock.now()
      const route = 'ANY /api/v1/keymgr/cloud-d/ekm/{proxy+}'
      return eventOf({ host: HOST, route, path: `${pathname}/keys/${key.id}/encrypt`, token, now }, FIELDS)
    },
  }
}
