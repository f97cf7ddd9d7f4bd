import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt, randomBytes, randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { encrypted, keyIn } from '../test/functions/dke-data/dke-data.ts'
import { administratorToken, eventOf, post, rateAgainst } from './data-plane.ts'
import type { Figure } from './figure.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'

const HOST = 'dke.example.test'
const READER = 'ada@shop.example.test'
/** Length of the plaintext that clients of the suite encrypt: a header and a key. */
const SECRET_BYTES = 44
const CALLS = scaled(300, 30)
/** Lets pending I/O run between calls, as between invocations. */
const CALLS_A_TURN = 10

/** The minimum of a decryption: RSA-OAEP with 2,048 bits. No token, endpoint, body or log. */
function bareDecrypt(): () => void {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const value = publicEncrypt({ key: publicKey, ...oaep }, randomBytes(SECRET_BYTES))
  return () => void privateDecrypt({ key: privateKey, ...oaep }, value)
}

/** Builds a reader's requests for a document of a new endpoint that admits users by their mail address. */
export async function seedDecrypt(deployment: Deployment): Promise<() => Promise<APIGatewayProxyEventV2>> {
  const { docsuite: suite, baseUrl, clock } = deployment
  const body = {
    name: `bench-${randomUUID()}`,
    key_uri_hostname: HOST,
    auth_tenants: [suite.directory.people.find(({ upn }) => upn === READER)?.tenant],
    authorization_params: {
      authorization_type: 'email',
      email_authz_params: { authorized_email_addresses: ['*@else.example.test', '*@shop.example.test'] },
    },
  }
  const administrator = await administratorToken(deployment)
  const { key_uri: uri } = await post(deployment, '/v1/keymgr/docsuite/dke/endpoints', body, administrator)
  const answered = await (await fetch(`${baseUrl}${new URL(uri as string).pathname}`)).json()
  const { key } = answered as { key: { kid: string } }
  const route = 'ANY /api/v1/keymgr/docsuite/dke-data-plane/{proxy+}'
  const path = `${new URL(key.kid).pathname}/decrypt`
  return async () => {
    const token = await suite.tokenOf(READER, `https://${HOST}`)
    const value = encrypted(keyIn(answered), randomBytes(SECRET_BYTES))
    return eventOf({ host: HOST, route, path, token, now: clock.now() }, { alg: 'RSA-OAEP-256', value })
  }
}

/** A warm decryption through the whole bundle, from event to answer, against the cryptography alone. */
export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_DKE_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  try {
    const decrypt = await seedDecrypt(deployment)
    const { ratio, note } = await rateAgainst(bareDecrypt(), {
      environment: deployment.environmentOf('dke-data'),
      function: 'dke-data',
      events: [await decrypt()],
      calls: CALLS,
      callsATurn: CALLS_A_TURN,
    })
    return [{ name: 'dke decrypt: rate / bare RSA', measured: ratio, promise: { atLeast: 0.85 }, note }]
  } finally {
    await deployment.stop()
  }
}
