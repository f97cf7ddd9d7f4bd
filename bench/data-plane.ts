import { randomUUID, X509Certificate } from 'node:crypto'
import * as path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Deployment } from '../infra/local/deployment.ts'
import { compare, versus } from './rounds.ts'
import { BUNDLES, NO_CONTEXT, PASSWORD, read, type Handler } from './service.ts'

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
  /** the route in API Gateway's notation */
  readonly route: string
  readonly path: string
  /** absent if tokens are in the body */
  readonly token?: string
  /** PEM of the certificate that the front door saw */
  readonly certificate?: string
  readonly now: Date
}

const clientCert = (clientCertPem: string) => {
  const {
    issuer: issuerDN,
    subject: subjectDN,
    serialNumber,
    validTo: notAfter,
    validFrom,
  } = new X509Certificate(clientCertPem)
  return { clientCertPem, issuerDN, subjectDN, serialNumber, validity: { notAfter, notBefore: validFrom } }
}

/** A POST in the form of an API Gateway event. */
export const eventOf = (
  { host, route, path, token, certificate, now }: Call,
  fields: object,
): APIGatewayProxyEventV2 => ({
  version: '2.0',
  routeKey: route,
  rawPath: path,
  rawQueryString: '',
  headers: {
    host,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    'content-type': 'application/json',
  },
  requestContext: {
    accountId: '000000000000',
    apiId: 'bench',
    domainName: host,
    domainPrefix: host.split('.')[0] ?? '',
    http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'bench' },
    ...(certificate !== undefined && { authentication: { clientCert: clientCert(certificate) } }),
    requestId: randomUUID(),
    routeKey: route,
    stage: '$default',
    time: now.toISOString(),
    timeEpoch: now.getTime(),
  },
  body: JSON.stringify(fields),
  isBase64Encoded: false,
})

/** A warm call of a data plane, measured. */
interface Warm {
  readonly function: string
  readonly environment: Readonly<Record<string, string>>
  /** sent in turn */
  readonly events: readonly [APIGatewayProxyEventV2, ...APIGatewayProxyEventV2[]]
  readonly calls: number
  /** calls between two turns of the event loop, which lets pending I/O run, as between invocations */
  readonly callsATurn: number
}

/**
 * The rate of a call through the whole bundle, from event to answer, against the rate of `alone` for the same events.
 */
export async function rateAgainst(
  alone: (event: APIGatewayProxyEventV2) => unknown,
  { events, environment, calls, callsATurn, ...of }: Warm,
) {
  const eventAt = (at: number): APIGatewayProxyEventV2 => events[at % events.length] ?? events[0]
  Object.assign(process.env, environment)
  const bundle = pathToFileURL(path.join(BUNDLES, of.function, 'index.mjs')).href
  const { handler } = (await import(bundle)) as { handler: Handler }
  read(await handler(events[0], NO_CONTEXT), 200)
  let sent = 0
  const through = async (times: number) => {
    for (let at = 0; at < times; at++) {
      const { statusCode, body } = await handler(eventAt(sent++), NO_CONTEXT)
      if (statusCode !== 200) throw new Error(`Answered ${statusCode}: ${body}`)
      if (at % callsATurn === 0) await setImmediate()
    }
  }
  const bare = async (times: number) => {
    for (let at = 0; at < times; at++) {
      const done = alone(eventAt(at))
      if (done instanceof Promise) await done
      if (at % callsATurn === 0) await setImmediate()
    }
  }
  // A rate is the inverse of a time, so `ours` and `bare` are exchanged.
  const contest = { ours: { run: bare }, bare: { run: through }, rounds: 15, turns: 4, calls }
  const { ratio, oursMs, bareMs } = await compare(contest)
  const perSecond = Math.round(1_000 / bareMs)
  return { ratio, note: `${versus({ oursMs: bareMs, bareMs: oursMs })}, ${perSecond} calls/s` }
}
