import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { hostedKey } from './hosted-key.ts'
import { servedStore, storeNow, type ServedStore } from './key-store.ts'
import { storeQuota } from './quota.ts'
import type { Moment } from '../../base/moment.ts'
import { errorFields, log, type LogFields } from '../../base/log.ts'
import type { OwnFields } from '../../serving/access-log.ts'
import { XKS_ACCESS_LOG } from './access-log.ts'
import { parseAddress, storeIdOf, type XksOperation } from './address.ts'
import { authenticate } from './authenticate.ts'
import { assertMetadata, looseMetadataOf, readBody } from './body.ts'
import type { XksVerb } from './call.ts'
import { decrypt } from './decrypt.ts'
import { encrypt } from './encrypt.ts'
import { nameOf, XKS_ERRORS, XksRefusal, type XksErrorName } from './errors.ts'
import { getHealthStatus } from './get-health-status.ts'
import { getKeyMetadata } from './get-key-metadata.ts'

const VERBS: Readonly<Record<XksOperation, XksVerb>> = {
  GetHealthStatus: getHealthStatus,
  GetKeyMetadata: getKeyMetadata,
  Encrypt: encrypt,
  Decrypt: decrypt,
}

/** The cloud gives up after 250 ms: whoever waits for the table longer than this is told so, with time for the way back. */
const ANSWER_WITHIN_MS = 200

interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What the log line of a request says; filled in as far as the request comes. */
interface Trail {
  operation?: XksOperation
  keyId?: string
  store?: ServedStore
  metadata?: Readonly<Record<string, unknown>>
}

const HEADERS = { 'content-type': 'application/json' } as const

const answered = (statusCode: number, body: object, headers: Answer['headers'] = HEADERS): Answer => ({
  statusCode,
  headers,
  body: JSON.stringify(body),
})

/** Ours: the protocol has no name for it. */
const METHOD_NOT_ALLOWED: Answer = answered(
  405,
  { errorMessage: 'Only POST is answered here.' },
  { ...HEADERS, allow: 'POST' },
)

/** The path, the method, who calls, the store, the body: in the order that reveals nothing to those who may not know. */
async function perform(event: APIGatewayProxyEventV2, trail: Trail, now: Moment): Promise<Answer> {
  const address = parseAddress(event.rawPath)
  const storeId = address && storeIdOf(address.prefix)
  if (address === undefined || storeId === undefined) throw new XksRefusal('InvalidUriPathException')
  const { operation, keyId } = address
  trail.operation = operation
  trail.keyId = keyId
  if (event.requestContext.http.method !== 'POST') return METHOD_NOT_ALLOWED
  // Here and below what is at hand is not awaited: each await of a value takes its part of a warm call's time.
  const reading = servedStore(storeId, now)
  const store = reading instanceof Promise ? await reading : reading
  if (store === undefined) throw new XksRefusal('InvalidUriPathException')
  trail.store = store
  // A cold instance reads the key while it opens the credential: one after the other would take half as long again.
  if (reading instanceof Promise && keyId !== '') Promise.resolve(hostedKey(store, keyId, now)).catch(() => undefined)
  const given = event.body ?? ''
  const body = event.isBase64Encoded ? Buffer.from(given, 'base64') : given
  refuseQuery(event.rawQueryString)
  const proof = authenticate(store, event, body, now)
  if (proof instanceof Promise) await proof
  const fields = readBody(event.headers['content-type'], body.toString())
  if (!(fields instanceof XksRefusal)) trail.metadata = looseMetadataOf(fields) // whatever it is refused with, it says whose
  storeQuota.count(storeId, now)
  if (store.blocked && (await storeNow(store, now))?.blocked !== false) throw new XksRefusal('InvalidStateException')
  if (fields instanceof XksRefusal) throw fields
  const verb = VERBS[operation]
  assertMetadata(fields, verb.requires)
  return answered(200, await verb.answer({ store, keyId, body: fields, now }))
}

/** Ours: a signature in the query is no signature; any other query is another address. It is never passed over. */
function refuseQuery(query: string): void {
  if (query === '') return
  throw new XksRefusal(/(?:^|&)X-Amz-/i.test(query) ? 'AuthenticationFailedException' : 'InvalidUriPathException')
}

function refused(error: unknown, errorName: XksErrorName): Answer {
  const { status, says } = XKS_ERRORS[errorName]
  return answered(status, { errorName, errorMessage: error instanceof XksRefusal ? error.message : says })
}

/**
 * The record of a request: a data plane cannot write to the table once it has answered. `audit` marks what is to become
 * an audit record: refusals, and successes where the store asks for them. No plaintext, no ciphertext, no secret.
 */
function leave(event: APIGatewayProxyEventV2, trail: Trail, startedMs: number, answer: Answer, error: unknown): void {
  const { operation, keyId, store, metadata } = trail
  const { requestId, http } = event.requestContext
  const isSuccess = answer.statusCode === 200
  const fields = {
    traceId: requestId,
    operation,
    domain: store?.domain,
    keyStore: store?.id,
    key: keyId,
    outcome: isSuccess ? 'success' : error === undefined ? 'MethodNotAllowed' : nameOf(error),
    status: answer.statusCode,
    ms: Math.round((performance.now() - startedMs) * 100) / 100,
    ip: http.sourceIp,
    audit: !isSuccess || store?.audited === true ? true : undefined,
    kmsRequestId: textOf(metadata?.kmsRequestId),
    kmsOperation: textOf(metadata?.kmsOperation),
    awsPrincipalArn: textOf(metadata?.awsPrincipalArn),
    kmsKeyArn: textOf(metadata?.kmsKeyArn),
    awsSourceVpc: textOf(metadata?.awsSourceVpc),
    awsSourceVpce: textOf(metadata?.awsSourceVpce),
    kmsViaService: textOf(metadata?.kmsViaService),
  } satisfies LogFields & OwnFields<typeof XKS_ACCESS_LOG>
  const isOurs = answer.statusCode >= 500 && answer.statusCode !== XKS_ERRORS.UnsupportedOperationException.status
  if (!isOurs) log('info', MESSAGE, fields)
  else log('error', MESSAGE, { ...fields, ...errorFields(error) })
}

const MESSAGE = XKS_ACCESS_LOG.message
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The data plane of external key stores: POST …/xks-proxy-endpoints/{id}/kms/xks/v1/…, signed by the cloud. */
export async function handler(event: APIGatewayProxyEventV2): Promise<Answer> {
  const startedMs = performance.now()
  const trail: Trail = {}
  let answer: Answer
  let failure: unknown
  try {
    const { timeEpoch: epochMs } = event.requestContext
    answer = await perform(event, trail, { monoMs: startedMs, epochMs, untilMs: startedMs + ANSWER_WITHIN_MS })
  } catch (error) {
    failure = error
    answer = refused(error, nameOf(error))
  }
  leave(event, trail, startedMs, answer, failure)
  return answer
}
