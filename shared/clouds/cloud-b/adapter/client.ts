import type { PipelineResponse } from '@azure/core-rest-pipeline'
import { createHttpHeaders, createPipelineRequest } from '@azure/core-rest-pipeline'
import type { KeyClient } from '@azure/keyvault-keys'
import type { SecretClient } from '@azure/keyvault-secrets'
import type * as z from 'zod'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { CloudFailure, Unreadable } from '../../../cloud/adapter/failures.ts'
import { lookMs, pauseBefore } from '../../../cloud/adapter/waiting.ts'
import { withinBudget } from '../../../cloud/budget.ts'
import { credentialOf, digestOf, forgetTokens } from './credential.ts'
import {
  failureIn,
  isInTransit,
  isPassing,
  isRace,
  isUnauthorized,
  mayHaveTakenEffect,
  refusalFrom,
  sdkFailure,
  wait,
} from './errors.ts'
import { assertVaultUrl } from './hosts.ts'
import { senderFor } from './transport.ts'
import type { CloudBConnection, CloudBEntry, CloudBPlace } from './types.ts'

/** Most attempts of a call: a job backs off longer. */
const ATTEMPTS: Readonly<Record<CloudBEntry['patience'], number>> = { request: 5, job: 10 }
/** Ours: enough for every vault that an instance serves within an hour; an evicted client is created again. */
const CLIENTS_CACHED = 100

/** Options of one call. */
interface Manner {
  /** Creates something new each time: not repeated when it may have taken effect. */
  readonly makesNew?: boolean
  /** A conflict means that the name is taken, so a retry is useless. */
  readonly conflictIsFinal?: boolean
}

/** Settings of every call of an SDK. */
export interface Options {
  readonly abortSignal: AbortSignal
}

/**
 * Waits for a deletion or recovery under way. When the time is up, throws the cloud's refusal, which is more specific
 * than a time-out.
 */
async function waitForTransit(looks: number, budget: AbortSignal, error: unknown): Promise<void> {
  await wait(lookMs(looks), budget).catch(() => {
    throw error
  })
}

function mayRepeat(error: unknown, { makesNew = false, conflictIsFinal = false }: Manner): boolean {
  if (conflictIsFinal && error instanceof CloudFailure && error.statusCode === 409) return false
  return (isPassing(error) || isRace(error)) && !(makesNew && mayHaveTakenEffect(error))
}

/**
 * Makes one call within the budget. Repeats it while a failure may be temporary, and once with a new token when the
 * cloud rejects the cached one; turns every failure into a refusal.
 */
async function ask<T>(entry: CloudBEntry, manner: Manner, send: (options: Options) => Promise<T>): Promise<T> {
  const { budget, patience, connection } = entry
  let [attempt, looks, isRenewed] = [1, 0, false]
  try {
    for (;;) {
      budget.throwIfAborted()
      try {
        return await withinBudget(budget, send({ abortSignal: budget }))
      } catch (thrown) {
        const error = budget.aborted ? thrown : sdkFailure(thrown)
        if (budget.aborted) throw error
        if (isUnauthorized(error) && !isRenewed) {
          isRenewed = true
          forget(connection)
        } else if (isInTransit(error)) await waitForTransit(looks++, budget, error)
        else if (attempt < ATTEMPTS[patience] && mayRepeat(error, manner))
          await wait(pauseBefore(attempt++, error instanceof CloudFailure ? error.retryAfterMs : undefined), budget)
        else throw error
      }
    }
  } catch (error) {
    throw refusalFrom(error, budget)
  }
}

const clients = new BoundedCache<unknown>(CLIENTS_CACHED)

function forget(connection: CloudBConnection): void {
  forgetTokens(connection)
  const digest = digestOf(connection)
  for (const name of clients.keys()) if (name.startsWith(digest)) clients.delete(name)
}

/** Settings that every SDK shares. This module counts the attempts, not the SDK. */
const settings = ({ patience }: CloudBEntry) => ({
  httpClient: senderFor(patience),
  retryOptions: { maxRetries: 0 },
  redirectOptions: { maxRetries: 0 },
  userAgentOptions: { userAgentPrefix: 'keymgr' },
})

/** A client for a vault, cached for later calls: the first call of each client costs an authentication challenge. */
function keptClient<C>(place: CloudBPlace, kind: string, make: (...args: ClientArguments) => C): C {
  assertVaultUrl(place)
  const name = [digestOf(place.connection), kind, place.vault_url, place.patience].join(' ')
  const made = () => make(place.vault_url, credentialOf(place.connection), settings(place))
  return clients.use(name, made) as C // created for the same `kind`
}
type ClientArguments = [url: string, credential: ReturnType<typeof credentialOf>, settings: ReturnType<typeof settings>]

/** Each SDK is imported at its first call. */
export const onKeys = <T>(
  place: CloudBPlace,
  send: (keys: KeyClient, options: Options) => Promise<T>,
  manner: Manner = {},
): Promise<T> =>
  ask(place, manner, async (options) => {
    const { KeyClient: Client } = await import('@azure/keyvault-keys')
    return send(
      keptClient(place, 'keys', (...args) => new Client(...args)),
      options,
    )
  })

export const onSecrets = <T>(
  place: CloudBPlace,
  send: (secrets: SecretClient, options: Options) => Promise<T>,
  manner: Manner = {},
): Promise<T> =>
  ask(place, manner, async (options) => {
    const { SecretClient: Client } = await import('@azure/keyvault-secrets')
    return send(
      keptClient(place, 'secrets', (...args) => new Client(...args)),
      options,
    )
  })

/** A call made without an SDK. */
export interface Call<Reply extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: URL
  /** as in `scopeOf` */
  readonly scope: string
  readonly body?: object | undefined
  readonly reply: Reply
}

/** Sends once. @param claims that the cloud requires in the token */
async function sendOnce(
  entry: CloudBEntry,
  { method, url, scope, body }: Call<z.ZodType>,
  abortSignal: AbortSignal,
  claims?: string,
): Promise<PipelineResponse> {
  const bearer = await credentialOf(entry.connection).getToken(scope, claims === undefined ? {} : { claims })
  const request = createPipelineRequest({
    url: url.toString(),
    method,
    abortSignal,
    headers: createHttpHeaders({
      authorization: `Bearer ${bearer?.token ?? ''}`,
      accept: 'application/json',
      'user-agent': 'keymgr',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return senderFor(entry.patience).sendRequest(request)
}

/** Claims that a challenge requires, as the SDKs parse it (RFC 6750 §3, with the cloud's own members). */
function claimsIn({ status, headers }: PipelineResponse): string | undefined {
  const challenge = status === 401 ? (headers.get('www-authenticate') ?? '') : ''
  if (!challenge.includes('error="insufficient_claims"')) return undefined
  const [, claims] = /claims="([A-Za-z0-9+/=_-]+)"/.exec(challenge) ?? []
  return claims && Buffer.from(claims, 'base64').toString('utf8')
}

/** @returns the reply, parsed with the given schema */
export const call = <Reply extends z.ZodType>(
  entry: CloudBEntry,
  how: Call<Reply>,
  manner: Manner = {},
): Promise<z.infer<Reply>> =>
  ask(entry, manner, async ({ abortSignal }) => {
    let response = await sendOnce(entry, how, abortSignal)
    const claims = claimsIn(response)
    if (claims !== undefined) response = await sendOnce(entry, how, abortSignal, claims)
    const { status, bodyAsText } = response
    const text = bodyAsText ?? ''
    if (status === 401) throw failureIn(status, text)
    const parsed = how.reply.safeParse(text === '' ? {} : JSON.parse(text))
    if (parsed.success) return parsed.data
    throw new Unreadable('another answer than the documents promise', { cause: parsed.error })
  })
