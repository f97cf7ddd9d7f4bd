import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Deployment } from '../infra/local/deployment.ts'
import { issuerKey, mint, startIssuer, type IssuerKey } from '../test/support/issuer.ts'
import { administratorToken, eventOf, post } from './data-plane.ts'

export const HOST = 'ekm.example.test'
const EMAIL = 'service-1234@gcp-sa-ekms.iam.gserviceaccount.com'

/** An EKM endpoint, the issuer of its cloud's tokens, and the requests that the cloud would send. */
export interface BenchEndpoint {
  readonly id: string
  /** variables with which the data plane trusts the issuer */
  readonly environment: Readonly<Record<string, string>>
  readonly issuerKey: IssuerKey
  /** A request in the form of an API Gateway event, at the present time. */
  readonly event: (verb: string, fields: object) => APIGatewayProxyEventV2
  /** a call of an attested session */
  readonly sessionEvent: (call: string, fields: object) => APIGatewayProxyEventV2
  /** id of the version in its address */
  readonly kekId: string
  readonly stop: () => Promise<void>
}

/** A symmetric endpoint with a basic policy that requires a reason. @param more fields of the endpoint */
export async function seedEkmEndpoint(deployment: Deployment, more: object = {}): Promise<BenchEndpoint> {
  const key = issuerKey('bench')
  const issuer = await startIssuer(key)
  const jwt = await administratorToken(deployment)
  const basic = {
    clients: [EMAIL, 'stet@project.iam.gserviceaccount.com'],
    justification_required: true,
    justification_reason: ['CUSTOMER_INITIATED_ACCESS', 'GOOGLE_INITIATED_SYSTEM_OPERATION'],
  }
  const body = { name: `bench-${randomUUID()}`, keyURIHostname: HOST, policy: { basic }, ...more }
  const { id, key_path: path } = await post(deployment, '/v1/keymgr/ekm/endpoints', body, jwt)
  const claims = { iss: issuer.name, aud: `https://${HOST}`, email: EMAIL, email_verified: true }
  const route = 'POST /api/v1/keymgr/ekm/endpoints/{key}'
  const eventAt = (to: string, on: string, fields: object): APIGatewayProxyEventV2 => {
    const now = deployment.clock.now()
    const seconds = Math.floor(now.getTime() / 1_000)
    const token = mint(key, { ...claims, jti: randomUUID(), iat: seconds, exp: seconds + 3_600 })
    return eventOf({ host: HOST, route: on, path: to, token, now }, fields)
  }
  const event: BenchEndpoint['event'] = (verb, fields) => eventAt(`${path as string}:${verb}`, route, fields)
  const sessionEvent: BenchEndpoint['sessionEvent'] = (call, fields) =>
    eventAt(`/api/v1/keymgr/ekm/session/${call}`, 'ANY /api/v1/keymgr/ekm/session/{proxy+}', fields)
  const kekId = (path as string).split('/').at(-1) ?? ''
  const environment = { KEYMGR_EKM_ISSUER: issuer.name, KEYMGR_EKM_KEY_SET: issuer.keySet }
  return { id, environment, issuerKey: key, event, sessionEvent, kekId, stop: issuer.stop }
}
