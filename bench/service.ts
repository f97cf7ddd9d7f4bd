import { randomUUID } from 'node:crypto'
import * as path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda'
import { FUNCTIONS } from '../infra/functions.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../infra/local/table/fault-proxy.ts'
import { createFunction, type LocalFunction } from '../infra/local/functions/functions.ts'
import { createLog } from '../infra/local/log.ts'
import { MINUTE_MS } from '../shared/base/time.ts'

/** Bundles of `run.ts`, separate from those of `npm run build`, which a running deployment may read. */
export const BUNDLES = path.join(import.meta.dirname, '../dist/bench-functions')

const ADMINISTRATOR = 'admin'
export const PASSWORD = 'Bench-Horse-7'
/** Above every limit: no figure measures throttling. */
export const UNTHROTTLED = { KEYMGR_CALLS_PER_SECOND: '1000000000' }

export interface Answer {
  readonly statusCode: number
  readonly body: string
  readonly isBase64Encoded?: boolean
}
export type Handler = (event: APIGatewayProxyEventV2, context: LambdaContext) => Promise<Answer>
/** Returns a token of the deployment's administrator that is valid at the moment of the call. */
export type Login = () => Promise<string>
/** Builds a request in the form of an API Gateway event, with the time at which it is sent. */
export type MakeEvent = (
  method: string,
  target: string,
  options?: { readonly body?: unknown; readonly as?: Login },
) => Promise<APIGatewayProxyEventV2>

/** A whole deployment in memory, whose `vault` also runs in this process, where it can be timed. */
export interface BenchService {
  readonly deployment: Deployment
  /** `functions/vault/handler.ts`, talking to the engine directly */
  readonly vault: Handler
  /** the same function as a bundle in a separate thread, whose table calls are counted */
  readonly counted: { readonly vault: LocalFunction; readonly table: FaultProxy }
  readonly event: MakeEvent
  /** in the root domain */
  readonly administrator: Login
  /** In another domain that the administrator administers. */
  readonly logInTo: (domain: string) => Login
  readonly stop: () => Promise<void>
}

/**
 * Advances the clock, so that a short run has the effects that a full run has because of its length: tokens expire, and
 * figures are written.
 */
export const passTime = ({ clock }: Pick<Deployment, 'clock'>): void => clock.advance(10 * MINUTE_MS)

export const eventsOf =
  ({ clock }: Pick<Deployment, 'clock'>): MakeEvent =>
  async (method, target, { body, as } = {}) => {
    const [rawPath = '', rawQueryString = ''] = target.split('?')
    const token = await as?.()
    const now = clock.now()
    return {
      version: '2.0',
      routeKey: 'ANY /api/v1/vault/{proxy+}',
      rawPath,
      rawQueryString,
      headers: {
        host: 'localhost',
        accept: 'application/json',
        'accept-encoding': 'gzip', // as most clients send
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      requestContext: {
        accountId: '000000000000',
        apiId: 'bench',
        domainName: 'localhost',
        domainPrefix: 'localhost',
        http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'bench' },
        requestId: randomUUID(),
        routeKey: 'ANY /api/v1/vault/{proxy+}',
        stage: '$default',
        time: now.toISOString(),
        timeEpoch: now.getTime(),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      isBase64Encoded: false,
    }
  }

/** Shorter than the lifetime of a token. */
const RENEWED_AFTER_MS = MINUTE_MS

/** @param domain default: the root domain */
export function loginTo({ clock, invoke }: Pick<Deployment, 'clock' | 'invoke'>, domain?: string): Login {
  const event = eventsOf({ clock })
  const fresh = async (): Promise<string> => {
    const body = { name: ADMINISTRATOR, password: PASSWORD, ...(domain !== undefined && { domain }) }
    const answer = await invoke('auth', await event('POST', '/api/v1/auth/tokens', { body }))
    return (read(answer, 200) as { jwt: string }).jwt
  }
  let token: Promise<string> | undefined
  let madeAt = 0
  return () => {
    const now = clock.now().getTime()
    if (token === undefined || now - madeAt > RENEWED_AFTER_MS) {
      token = fresh()
      madeAt = now
    }
    return token
  }
}

export async function startService(): Promise<BenchService> {
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    environment: UNTHROTTLED,
  })
  const environment = deployment.environmentOf('vault')
  Object.assign(process.env, environment)
  const table = await startFaultProxy(deployment.table.endpoint)
  const row = FUNCTIONS.find(({ name }) => name === 'vault')
  if (row === undefined) throw new Error('There is no function vault')
  const log = createLog({})
  const behindProxy = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: table.endpoint }
  const counted = createFunction(row, { bundles: BUNDLES, environment: behindProxy, log })
  const { handler } = (await import('../functions/vault/handler.ts')) as unknown as { handler: Handler }
  return {
    deployment,
    vault: handler,
    counted: { vault: counted, table },
    event: eventsOf(deployment),
    administrator: loginTo(deployment),
    logInTo: (domain) => loginTo(deployment, domain),
    stop: async () => {
      await counted.stop(0)
      await table.stop()
      await deployment.stop()
      await log.close()
    },
  }
}

/** Lambda's context argument; no function reads it. */
export const NO_CONTEXT = {} as LambdaContext

/** @throws Error for another status: a failure must not count as fast */
export function assertStatus({ statusCode, body }: Answer, status: number): void {
  if (statusCode !== status) throw new Error(`Answered ${statusCode} instead of ${status}: ${body}`)
}

/** The body of an answer. @throws Error if it has another status */
export function read(answer: unknown, status: number): unknown {
  const given = answer as Answer
  assertStatus(given, status)
  const { body, isBase64Encoded } = given
  return JSON.parse(isBase64Encoded === true ? gunzipSync(Buffer.from(body, 'base64')).toString() : body) as unknown
}

/** The settings of the service's own client (`shared/store/table.ts`). */
export const bareClient = (): DynamoDBClient =>
  new DynamoDBClient({ maxAttempts: 4, requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 } })

/** Number of table calls of each kind in one warm call of `vault`. */
export async function tableCallsOf(
  { counted }: BenchService,
  event: () => ReturnType<MakeEvent>,
  status: number,
): Promise<{ counts: Readonly<Record<string, number>>; calls: FaultProxy['calls'] }> {
  for (let warming = 0; warming < 3; warming++) read(await counted.vault.invoke(await event()), status)
  counted.table.reset()
  read(await counted.vault.invoke(await event()), status)
  return { counts: counted.table.counts(), calls: counted.table.calls }
}

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

export const listOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([operation, count]) => `${count} ${operation}`)
    .join(', ')
