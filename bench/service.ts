import { randomUUID } from 'node:crypto'
import * as path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda'
import { FUNCTIONS } from '../infra/functions.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../infra/local/fault-proxy.ts'
import { createFunction, type LocalFunction } from '../infra/local/functions.ts'
import { createLog } from '../infra/local/log.ts'

/** Bundles of `run.ts`, apart from those of `npm run build`, which a running deployment may read. */
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

/** A whole deployment in memory, whose `vault` also runs in this process, where it can be timed. */
export interface BenchService {
  readonly deployment: Deployment
  /** `functions/vault/handler.ts`, talking to the engine directly */
  readonly vault: Handler
  /** the same function as a bundle in a thread of its own, its table calls counted on the way */
  readonly counted: { readonly vault: LocalFunction; readonly table: FaultProxy }
  readonly token: string
  /** A request as API Gateway hands it over; the clock stands still, so that nothing a cache holds grows old. */
  readonly event: (
    method: string,
    target: string,
    options?: { body?: unknown; token?: string },
  ) => APIGatewayProxyEventV2
  /** A token for another domain the administrator administers. */
  readonly logIn: (domain?: string) => Promise<string>
  readonly stop: () => Promise<void>
}

/** Makes requests as API Gateway hands them over, all of one moment. */
export const eventsAt =
  (epochMs: number): BenchService['event'] =>
  (method, target, { body, token } = {}) => {
    const [rawPath = '', rawQueryString = ''] = target.split('?')
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
        time: new Date(epochMs).toISOString(),
        timeEpoch: epochMs,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      isBase64Encoded: false,
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
  const event = eventsAt(Date.now())
  const logIn = async (domain?: string): Promise<string> => {
    const body = { name: ADMINISTRATOR, password: PASSWORD, ...(domain !== undefined && { domain }) }
    const answer = await deployment.invoke('auth', event('POST', '/api/v1/auth/tokens', { body }))
    return (read(answer, 200) as { jwt: string }).jwt
  }
  const { handler } = (await import('../functions/vault/handler.ts')) as unknown as { handler: Handler }
  return {
    deployment,
    vault: handler,
    counted: { vault: counted, table },
    token: await logIn(),
    event,
    logIn,
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

/** How many table calls of each kind one warm call of `vault` makes. */
export async function tableCallsOf(
  { counted }: BenchService,
  event: () => APIGatewayProxyEventV2,
  status: number,
): Promise<{ counts: Readonly<Record<string, number>>; calls: FaultProxy['calls'] }> {
  for (let warming = 0; warming < 3; warming++) read(await counted.vault.invoke(event()), status)
  counted.table.reset()
  read(await counted.vault.invoke(event()), status)
  return { counts: counted.table.counts(), calls: counted.table.calls }
}

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

export const listOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([operation, count]) => `${count} ${operation}`)
    .join(', ')
