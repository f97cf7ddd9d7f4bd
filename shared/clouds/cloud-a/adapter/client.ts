import { createHash } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'
import { AccountClient } from '@aws-sdk/client-account'
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import type { IAMClient } from '@aws-sdk/client-iam'
import { KMSClient } from '@aws-sdk/client-kms'
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts'
import { traceCall } from '../../../base/network/trace.ts'
import { defined } from '../../../base/fields.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { Refusal } from '../../../base/errors.ts'
import { withinBudget } from '../../../cloud/budget.ts'
import type { CloudAName } from '../keys/model.ts'
import { noRuntimeRole, runtimeRole } from '../runtime-role.ts'
import { certificateSession } from './certificate-session.ts'
import { addressOf, type Address } from './endpoints.ts'
import { Final, isExpired, mayHaveTakenEffect, refusalFrom, statusOf } from './errors.ts'
import { postTo, sentBy } from './plain-call.ts'
import type { CloudAConnection, CloudAPlace, RoleAnywhere } from './types.ts'

/** The credentials of a call: a connection, and a role after it. */
export type Entry = Pick<CloudAPlace, 'connection' | 'role' | 'budget'>
type Patience = CloudAPlace['patience']
/** Settings of every call. */
export interface Options {
  readonly abortSignal: AbortSignal
}

const CONNECT_MS = 2_000
const ANSWER_MS = 10_000
const SOCKETS_MOST = 50
/** The SDK throws for every other status. */
const OK = 200
const TOKEN_SECONDS = 3_600
/** Ours: enough for every connection that an instance serves within an hour; an evicted client is created again. */
const CLIENTS_CACHED = 100

/** One pair for all clients, so that evicting a client does not close the connections of others. */
const agents = {
  httpAgent: new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
  httpsAgent: new https.Agent({ keepAlive: true, maxSockets: SOCKETS_MOST }),
}

/**
 * Ours: jobs back off like requests, only longer, and limit the number of parallel calls themselves. The SDK's adaptive
 * mode slows to a call every two seconds after a few throttled calls, and takes minutes to recover.
 */
const ATTEMPTS: Readonly<Record<Patience, number>> = { request: 5, job: 10 }

/** Settings that the SDK would otherwise read from files and variables, which are not meant for this cloud. */
const settings = ({ endpoint, region }: Address, patience: Patience) => ({
  endpoint,
  region,
  retryMode: 'standard' as const,
  maxAttempts: ATTEMPTS[patience],
  requestHandler: {
    ...agents,
    connectionTimeout: CONNECT_MS,
    requestTimeout: ANSWER_MS,
    throwOnRequestTimeout: true,
  },
  defaultsMode: 'standard' as const,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  userAgentAppId: 'keymgr',
})

/** The clients of one entry that provide credentials. */
interface Session {
  /** The last credentials of the chain, which sign the calls. */
  readonly sts: STSClient
  /** The clients whose credentials can be renewed, in the order in which they depend on each other. */
  readonly renewable: readonly STSClient[]
}

const sessions = new BoundedCache<Session>(CLIENTS_CACHED)
const clients = new BoundedCache<unknown>(CLIENTS_CACHED)

const stsAddress = ({ cloud_name, region, sts_regional_endpoints }: CloudAConnection): Address =>
  addressOf('sts', cloud_name, sts_regional_endpoints === 'regional' ? region : undefined)

/** A cache key that covers everything an entry depends on, secrets included, without revealing it. */
const digestOf = (connection: CloudAConnection, role: CloudAPlace['role']): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        connection.key,
        connection.cloud_name,
        connection.access_key_id,
        connection.secret_access_key,
        connection.role_anywhere,
        connection.sts_regional_endpoints,
        connection.region,
        connection.assume_role_arn,
        connection.assume_role_external_id,
        role?.arn,
        role?.externalId,
        stsAddress(connection).endpoint,
        runtimeRole(connection.cloud_name),
      ]),
    )
    .digest('base64')

/** The credentials of a role, requested with those of `by` at the first use and again 5 minutes before they expire. */
function assuming(by: STSClient, address: Address, arn: string, externalId: string | undefined): STSClient {
  const credentials = async () => {
    const command = new AssumeRoleCommand({
      RoleArn: arn,
      RoleSessionName: 'keymgr',
      DurationSeconds: TOKEN_SECONDS,
      ...defined({ ExternalId: externalId }),
    })
    const { Credentials: given } = await by.send(command)
    if (given?.AccessKeyId === undefined || given.SecretAccessKey === undefined || given.SessionToken === undefined)
      throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the credentials of the role.')
    return {
      accessKeyId: given.AccessKeyId,
      secretAccessKey: given.SecretAccessKey,
      sessionToken: given.SessionToken,
      ...(given.Expiration && { expiration: given.Expiration }),
    }
  }
  return new STSClient({ ...settings(address, 'request'), credentials })
}

/** The credentials of a role for a certificate, requested at the first use and again before they expire. */
function byCertificate(address: Address, name: CloudAName, role: RoleAnywhere): STSClient {
  const sts: STSClient = new STSClient({
    ...settings(address, 'request'),
    credentials: () => certificateSession(name, role, sts.config.requestHandler),
  })
  return sts
}

/** The first credentials of a connection: its own, or those of this function, which only permit assuming the role. */
function firstOf({ cloud_name, role_anywhere, ...pair }: CloudAConnection, address: Address) {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = pair
  if (role_anywhere !== undefined) {
    const sts = byCertificate(address, cloud_name, role_anywhere)
    return { sts, renewable: [sts] }
  }
  const given = accessKeyId !== undefined && secretAccessKey !== undefined
  const role = given ? undefined : runtimeRole(cloud_name)
  if (!given && role === undefined) throw new Refusal('RULE_BROKEN', noRuntimeRole(cloud_name))
  const own = given && { credentials: { accessKeyId, secretAccessKey } }
  return { sts: new STSClient({ ...settings(address, 'request'), ...own }), renewable: [], role }
}

/** The first credentials of a connection, and the roles that are assumed from there, one after the other. */
function wayIn(connection: CloudAConnection, role: CloudAPlace['role']): Session {
  const address = stsAddress(connection)
  const { role: own, ...first } = firstOf(connection, address)
  const roles = [
    own,
    connection.assume_role_arn === undefined
      ? undefined
      : { arn: connection.assume_role_arn, externalId: connection.assume_role_external_id },
    role,
  ].filter((each) => each !== undefined)
  return roles.reduce<Session>(({ sts: by, renewable }, { arn, externalId }) => {
    const sts = assuming(by, address, arn, externalId)
    return { sts, renewable: [...renewable, sts] }
  }, first)
}

const sessionOf = ({ connection, role }: Omit<Entry, 'budget'>): Session =>
  sessions.use(digestOf(connection, role), () => wayIn(connection, role))

/** Requests the credentials of every role again. */
async function renew({ renewable }: Session): Promise<void> {
  for (const sts of renewable) await sts.config.credentials({ forceRefresh: true })
}

/**
 * Calls that create something new each time. The SDK must not repeat one that may have taken effect, nor a call refused
 * for a quota, which the SDK treats as throttling.
 */
const MAKES_NEW: ReadonlySet<string> = new Set([
  'CreateKeyCommand',
  'CreateCustomKeyStoreCommand',
  'RotateKeyOnDemandCommand',
])

function isFinal(error: unknown, command: string | undefined): boolean {
  if (error instanceof Error && error.name === 'LimitExceededException') return true
  return command !== undefined && MAKES_NEW.has(command) && mayHaveTakenEffect(error)
}

/** A request as the SDK builds it. */
interface BuiltRequest {
  readonly method: string
  readonly hostname: string
  readonly port?: number
  readonly headers: Record<string, string>
}

function kmsClient(address: Address, patience: Patience, session: Session): KMSClient {
  const client = new KMSClient({ ...settings(address, patience), credentials: session.sts.config.credentials })
  client.middlewareStack.add(
    (next, { commandName }: { commandName?: string }) =>
      async (input) => {
        try {
          return await next(input)
        } catch (error) {
          throw isFinal(error, commandName) ? new Final(error) : error
        }
      },
    { step: 'finalizeRequest', priority: 'low', name: 'repeatOnlyWhatMayBe' },
  )
  client.middlewareStack.add(
    (next) => async (input) => {
      const request = input.request as BuiltRequest // the SDK has built it in this step
      const traced = traceCall(request.method, { hostname: request.hostname, port: String(request.port ?? '') })
      Object.assign(request.headers, traced.headers)
      let status: number | undefined
      try {
        const answered = await next(input)
        status = OK
        return answered
      } catch (error) {
        status = error instanceof Error ? statusOf(error) : undefined
        throw error
      } finally {
        traced.end(status)
      }
    },
    { step: 'build', name: 'passTraceOn' },
  )
  return client
}

/** A client for an entry, cached for later calls. The cache key covers everything that `make` depends on. */
function keptClient<C>(entry: Entry, address: Address, patience: Patience, kind: string, make: () => C): C {
  const key = [kind, address.endpoint, address.region, patience, digestOf(entry.connection, entry.role)].join(' ')
  return clients.use(key, make) as C // created for the same `kind`
}

/**
 * Makes one call within the budget. Repeats it once with new credentials if those of a role expired early, and turns
 * every failure into a refusal.
 */
async function ask<T>(entry: Entry, send: (options: Options) => Promise<T>): Promise<T> {
  const { budget } = entry
  const once = () => withinBudget(budget, send({ abortSignal: budget }))
  try {
    const session = sessionOf(entry)
    try {
      return await once()
    } catch (error) {
      if (session.renewable.length === 0 || !isExpired(error)) throw error
      await withinBudget(budget, renew(session))
      return await once()
    }
  } catch (error) {
    throw refusalFrom(error, budget)
  }
}

const nameOf = ({ connection }: Entry): CloudAName => connection.cloud_name

export const onKms = <T>(place: CloudAPlace, send: (kms: KMSClient, options: Options) => Promise<T>): Promise<T> =>
  ask(place, (options) => {
    const address = addressOf('kms', nameOf(place), place.region)
    const { patience } = place
    const make = () => kmsClient(address, patience, sessionOf(place))
    return send(keptClient(place, address, patience, 'kms', make), options)
  })

export const onSts = <T>(entry: Entry, send: (sts: STSClient, options: Options) => Promise<T>): Promise<T> =>
  ask(entry, (options) => send(sessionOf(entry).sts, options))

export const onAccount = <T>(
  entry: Entry,
  send: (account: AccountClient, options: Options) => Promise<T>,
): Promise<T> =>
  ask(entry, (options) => {
    const address = addressOf('account', nameOf(entry))
    const make = () => new AccountClient({ ...settings(address, 'request'), credentials: credentialsOf(entry) })
    return send(keptClient(entry, address, 'request', 'account', make), options)
  })

/** Few calls need these two clients, so they are imported at their first use. */
export const onIam = <T>(entry: Entry, send: (iam: IAMClient, options: Options) => Promise<T>): Promise<T> =>
  ask(entry, async (options) => {
    const { IAMClient: Client } = await import('@aws-sdk/client-iam')
    const address = addressOf('iam', nameOf(entry))
    const make = () => new Client({ ...settings(address, 'request'), credentials: credentialsOf(entry) })
    return send(keptClient(entry, address, 'request', 'iam', make), options)
  })

export const onLogs = <T>(
  place: CloudAPlace,
  send: (logs: CloudWatchLogsClient, options: Options) => Promise<T>,
): Promise<T> =>
  ask(place, async (options) => {
    const { CloudWatchLogsClient: Client } = await import('@aws-sdk/client-cloudwatch-logs')
    const address = addressOf('logs', nameOf(place), place.region)
    const make = () => new Client({ ...settings(address, place.patience), credentials: credentialsOf(place) })
    return send(keptClient(place, address, place.patience, 'logs', make), options)
  })

/**
 * One call of the hardware modules' service. Ours: signed and sent with parts of an existing client, because another
 * client for a single read would slow every cold start. The signer remembers the service it signs for, so this client
 * is a separate instance.
 * @param operation such as `DescribeClusters`
 * @returns the reply's JSON
 */
export const onHardware = (place: CloudAPlace, operation: string, input: object): Promise<unknown> =>
  ask(place, async ({ abortSignal }) => {
    const address = addressOf('cloudhsmv2', nameOf(place), place.region)
    const make = () => new KMSClient({ ...settings(address, 'request'), credentials: credentialsOf(place) })
    const { signer, requestHandler } = keptClient(place, address, 'request', 'hardware', make).config
    const scheme = { name: 'sigv4', signingName: 'cloudhsm', signingRegion: address.region, properties: {} }
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `BaldrApiService.${operation}`,
    }
    const request = postTo(address, '/', headers, JSON.stringify(input))
    return sentBy(requestHandler, await (await signer(scheme)).sign(request, {}), abortSignal)
  })

const credentialsOf = (entry: Entry) => sessionOf(entry).sts.config.credentials
