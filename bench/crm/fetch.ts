import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { SHOP } from '../../infra/simulators/crm/simulator.ts'
import { startDeployment, type Deployment } from '../../infra/local/deployment.ts'
import { encryptedKey } from '../../shared/crypto/jose/key-jwe.ts'
import { hashPassword, verifyPassword } from '../../shared/crypto/passwords.ts'
import { administratorToken, eventOf, post, rateAgainst } from '../data-plane.ts'
import type { Figure } from '../figure.ts'
import { scaled } from '../scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from '../service.ts'

const HOST = 'keys.example.test'
const PAIR = { username: 'platform', password: 'the password of the platform' }
const CALLS = scaled(40, 8)
const CALLS_A_TURN = 10
const WRAPPING_BITS = 4_096
/** Size of the nonce that the cloud sends, in hex. */
const NONCE_BYTES = 16

/** Registers a cache-only key. @returns the cloud's request for it */
export async function seedFetch(deployment: Deployment): Promise<APIGatewayProxyEventV2> {
  const { crm: cloud, baseUrl, clock } = deployment
  cloud.setIntervals('off')
  cloud.seed(SHOP, 1, () => ({ status: 'ACTIVE' }))
  const administrator = await administratorToken(deployment)
  const make = (path: string, body: object): Promise<any> => post(deployment, path, body, administrator)
  const name = `bench_${randomBytes(4).toString('hex')}`
  const { username, password, clientId: client_id, clientSecret: client_secret } = cloud.credentials[0]
  const connection = { name, cloud_name: 'production', username, password, client_id, client_secret }
  await make('/v1/connectionmgmt/services/crm/connections', connection)
  const crm = '/v1/keymgr/crm'
  const { id: organization_id } = await make(`${crm}/add-organizations`, { connection: name })
  const { id: certificate_id } = await make(`${crm}/certificates`, { name, organization_id })
  await make('/v1/vault/keys2', { name, algorithm: 'aes', size: 256 })
  const endpoint = { name, url_hostname: HOST, organization_id, password_authentication: PAIR }
  const { id: endpoint_id } = await make(`${crm}/endpoints`, endpoint)
  const at = `${crm}/endpoints/${endpoint_id as string}/keys/`
  const login = { kind: 'password', ...PAIR } as const
  const credential = cloud.setCredential(SHOP, { developerName: name, endpoint: `${baseUrl}${at}`, login })
  const { crm_param } = await make(`${crm}/upload-cache-only-key`, {
    ...{ organization_id, type: 'Data', certificate_id, endpoint_id, named_credential_id: credential },
    source_key_identifier: name,
  })
  const path = `${at}${crm_param.RemoteKeyIdentifier as string}`
  const event = eventOf({ host: HOST, route: `ANY ${crm}/endpoints/{proxy+}`, path, now: clock.now() }, {})
  const { body: _, ...rest } = event
  const pair = Buffer.from(`${PAIR.username}:${PAIR.password}`).toString('base64')
  return {
    ...rest,
    rawQueryString: `requestId=${randomBytes(NONCE_BYTES).toString('hex')}`,
    headers: { host: HOST, authorization: `Basic ${pair}` },
    requestContext: { ...rest.requestContext, http: { ...rest.requestContext.http, method: 'GET' } },
  }
}

/** The minimum of a fetch: the password's hash, RSA-OAEP with 4,096 bits, AES-256-GCM. No endpoint, key or log. */
async function bareFetch(): Promise<() => Promise<string>> {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: WRAPPING_BITS })
  const hash = await hashPassword(PAIR.password)
  const bytes = randomBytes(32)
  const kid = randomUUID()
  return async () => {
    if (!(await verifyPassword(hash, PAIR.password))) throw new Error('The password is wrong')
    return JSON.stringify({ kid, jwe: await encryptedKey(bytes, publicKey, kid, 'nonce') })
  }
}

/** A warm fetch through the whole bundle, from event to answer, against the caller's check and the cryptography alone. */
export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_CRM_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  try {
    const { ratio, note } = await rateAgainst(await bareFetch(), {
      environment: deployment.environmentOf('crm-keys'),
      function: 'crm-keys',
      events: [await seedFetch(deployment)],
      calls: CALLS,
      callsATurn: CALLS_A_TURN,
    })
    return [{ name: 'crm fetch: rate / bare', measured: ratio, promise: { atLeast: 0.7 }, note }]
  } finally {
    await deployment.stop()
  }
}
