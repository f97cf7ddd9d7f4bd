import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Deployment } from '../infra/local/deployment.ts'
import { PASSWORD } from './service.ts'

/** POST to the management interface. @throws Error for a refusal */
export async function post({ baseUrl }: Deployment, path: string, body: object, token?: string): Promise<any> {
  const response = await fetch(`${baseUrl}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Token of the deployment's administrator. */
export async function administratorToken(deployment: Deployment): Promise<string> {
  const { jwt } = await post(deployment, '/v1/auth/tokens', { name: deployment.administrator, password: PASSWORD })
  return jwt as string
}

/** A call to a data plane. */
interface Call {
  readonly host: string
  /** as API Gateway names the route */
  readonly route: string
  readonly path: string
  readonly token: string
  readonly now: Date
}

/** As API Gateway hands a POST over. */
export const eventOf = ({ host, route, path, token, now }: Call, fields: object): APIGatewayProxyEventV2 => ({
  version: '2.0',
  routeKey: route,
  rawPath: path,
  rawQueryString: '',
  headers: { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  requestContext: {
    accountId: '000000000000',
    apiId: 'bench',
    domainName: host,
    domainPrefix: host.split('.')[0] ?? '',
    http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'bench' },
    requestId: randomUUID(),
    routeKey: route,
    stage: '$default',
    time: now.toISOString(),
    timeEpoch: now.getTime(),
  },
  body: JSON.stringify(fields),
  isBase64Encoded: false,
})
