import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { Refusal } from '../base/errors.ts'
import { assertTimely } from '../base/clock.ts'
import {
  countCall,
  directiveOf,
  DURATION,
  embedded,
  ERRORS,
  errorsOf,
  functionName,
  NO_OPERATION,
  statusClass,
  takeFigures,
} from '../base/figures.ts'
import { errorFields, log } from '../base/log.ts'
import type { Moment } from '../base/moment.ts'
import { shortText } from '../base/short-text.ts'
import type { AccessLog, CommonRecord, FieldTable, LogRecord } from './access-log.ts'
import { crossOriginHeaders, isPreflight, preflightHeaders, type AllowsOrigin } from './cross-origin.ts'
import { countLevel } from './levels.ts'
import { after, type MaybePromise } from './maybe-promise.ts'
import { ProtocolRefusal, refusalOf, type ErrorTable } from './protocol-errors.ts'
import { underBlocks } from './served-blocks.ts'

/** Ours: maximum logged length of a key's id; no key id of keymgr is longer. */
const KEY_CHARACTERS = 256

/** The meaning of a path. */
export interface Address {
  /** name of the operation in the access log */
  readonly operation: string
  readonly method: 'GET' | 'POST'
  /** key named in the path */
  readonly key: string | undefined
}

export interface DataRequest<A extends Address, Fields extends FieldTable> {
  readonly event: APIGatewayProxyEventV2
  readonly address: A
  readonly now: Moment
  /**
   * Access-log record of the request. A step adds a field as soon as it is known, so that a later refusal contains it.
   */
  readonly record: LogRecord<Fields>
}

/**
 * An operation on a key. Its members are methods, so that verbs with inputs and keys of different types fit one table.
 */
export interface Verb<Call, Input = unknown, Key = unknown> {
  /** Parses the verb's own fields of the body. */
  read(call: Call): Input
  /** Reads the key, and checks that it may be used now. */
  key(call: Call, input: Input): MaybePromise<Key>
  /** Uses the key. @returns the answer, sent as JSON with status 200 */
  use(call: Call, input: Input, key: Key): MaybePromise<object>
  /** headers of that answer, in addition to or instead of those of every answer */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A protocol, as the pipeline serves it. Each step refuses by throwing: a ProtocolRefusal of the table, or a Refusal.
 */
export interface DataPlane<
  Fields extends FieldTable,
  Name extends string,
  A extends Address,
  Caller,
  Resource,
  Call,
  V extends Verb<Call>,
> {
  readonly accessLog: AccessLog<Fields>
  readonly errors: ErrorTable<Name>
  /** Limit for each wait on the table or an issuer: shorter than the caller waits for the answer. */
  readonly answerWithinMs: number
  /** Headers of every answer. */
  headers(event: APIGatewayProxyEventV2): Readonly<Record<string, string>>
  /** Path. `undefined` for an unknown path. */
  parsePath(path: string): A | undefined
  /** Whether pages of an origin may call the address and read its answers. Absent if no browser calls. */
  allowsOrigin?(origin: string, address: A | undefined, now: Moment): MaybePromise<boolean>
  /** Authentication. Also reads the resource, if its settings decide how callers are authenticated. */
  authenticate(request: DataRequest<A, Fields>): MaybePromise<Caller>
  /** State. The resource, if it may serve this caller now, within its quota. */
  resource(request: DataRequest<A, Fields>, caller: Caller): MaybePromise<Resource>
  /** names by which emergency blocks call it: those of its protocol and its cloud */
  readonly clouds: readonly string[]
  /**
   * Ids by which emergency blocks name the resource and what contains it. `undefined` for a call that even a disabled
   * resource answers.
   */
  blockedBy(resource: Resource, address: A): readonly (string | undefined)[] | undefined
  verb(address: A): V
  /** Body. Parses the fields common to all verbs. */
  read(request: DataRequest<A, Fields>, resource: Resource, verb: V): Call
  /** Permission, according to the settings of the resource. */
  permit?(call: Call, verb: V): MaybePromise<void>
}

interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The parts of a request that its steps need. */
interface Received<A> {
  readonly event: APIGatewayProxyEventV2
  readonly address: A | undefined
  readonly now: Moment
}

/**
 * Runs the steps in an order that reveals nothing to an unauthorized caller. A caller learns that a resource exists
 * only after authentication, its state and faults in the body only once the resource serves that caller, and the key
 * last. Known values are not awaited: each await takes part of a warm call's time.
 */
async function perform<F extends FieldTable, N extends string, A extends Address, C, R, K, V extends Verb<K>>(
  plane: DataPlane<F, N, A, C, R, K, V>,
  { event, address, now }: Received<A>,
  record: LogRecord<F>,
): Promise<object> {
  if (address === undefined) throw new ProtocolRefusal(plane.errors.unknownPath)
  const key = address.key === undefined ? undefined : shortText(address.key, KEY_CHARACTERS)
  Object.assign(record, { operation: address.operation, key } satisfies CommonRecord)
  if (event.requestContext.http.method !== address.method)
    throw new ProtocolRefusal(plane.errors.wrongMethod, '', { allow: address.method })
  const request = { event, address, now, record }
  const authenticated = plane.authenticate(request)
  const caller = authenticated instanceof Promise ? await authenticated : authenticated
  const serving = plane.resource(request, caller)
  const resource = serving instanceof Promise ? await serving : serving
  const opening = openFor(plane, request, resource)
  if (opening instanceof Promise) await opening
  const verb = plane.verb(address)
  const call = plane.read(request, resource, verb)
  const permission = plane.permit?.(call, verb)
  if (permission instanceof Promise) await permission
  const input = verb.read(call)
  const reading = verb.key(call, input)
  return verb.use(call, input, reading instanceof Promise ? await reading : reading)
}

/** Emergency blocks. Like the state, they are checked once the resource serves the caller. @throws Refusal STATE_CONFLICT, UNAVAILABLE */
function openFor<F extends FieldTable, N extends string, A extends Address, C, R, K, V extends Verb<K>>(
  plane: DataPlane<F, N, A, C, R, K, V>,
  { address, now, record }: DataRequest<A, F>,
  resource: R,
): MaybePromise<void> {
  if (record.domain === undefined) return undefined
  const { accessLog, clouds } = plane
  return underBlocks(record.domain, now, record, accessLog, () => {
    const ids = plane.blockedBy(resource, address)
    return ids && { ids, clouds }
  })
}

/**
 * Headers of an answer. Known values are not awaited here either. @param more in addition to or instead of the plane's
 */
function headersOf<F extends FieldTable, N extends string, A extends Address, C, R, K, V extends Verb<K>>(
  plane: DataPlane<F, N, A, C, R, K, V>,
  { event, address, now }: Received<A>,
  more: Readonly<Record<string, string>> | undefined,
): MaybePromise<Readonly<Record<string, string>>> {
  const own = { ...plane.headers(event), ...more }
  if (plane.allowsOrigin === undefined) return own
  const read = crossOriginHeaders(event, (origin) => plane.allowsOrigin?.(origin, address, now) ?? false)
  return after(read, (crossOrigin) => ({ ...own, ...crossOrigin }))
}

const DECISIONS = { dimensions: [['function', 'outcome']], metrics: [DURATION] }
const OF_FUNCTION = { dimensions: [['function']], metrics: [DURATION, ERRORS] }
const OF_NO_OPERATION = directiveOf(OF_FUNCTION, DECISIONS)
const OF_OPERATION = directiveOf(OF_FUNCTION, DECISIONS, {
  dimensions: [['function', 'operation']],
  metrics: [DURATION],
})

/**
 * Writes the access-log line. A data plane cannot write to the table after it has answered, so lines with `audit`
 * become audit records: all refusals, and the successes that a step marked.
 */
function writeLine<Fields extends FieldTable>(
  accessLog: AccessLog<Fields>,
  { requestContext: { requestId, http, timeEpoch } }: APIGatewayProxyEventV2,
  record: LogRecord<FieldTable>,
  { startedMs, status, outcome }: { readonly startedMs: number; readonly status: number; readonly outcome: string },
  error: unknown,
): void {
  const ms = Math.round((performance.now() - startedMs) * 100) / 100
  const errors = errorsOf(status)
  const { operation } = record
  // Added to the record itself: the request is over, and a copy of a record took a microsecond.
  const fields = Object.assign(record, {
    traceId: requestId,
    outcome,
    status,
    ms,
    ip: http.sourceIp,
    audit: error === undefined ? record.audit : true,
    function: functionName(),
    errors,
  } as const)
  countCall(operation ?? NO_OPERATION, `${statusClass(status)} ${outcome}`, ms)
  const { message } = accessLog
  const metrics = embedded(operation === undefined ? OF_NO_OPERATION : OF_OPERATION, timeEpoch)
  if (errors === 0) log('info', message, fields, metrics)
  else log('error', message, { ...fields, ...errorFields(error) }, metrics)
  countLevel(accessLog, record, fields, timeEpoch)
  tellFigures(timeEpoch)
}

/**
 * Ours: logs the figures, because a data plane may not write them to the table: the function that turns its log lines
 * into audit records adds them.
 */
function tellFigures(epochMs: number): void {
  const counted = takeFigures(epochMs)
  if (counted) log('info', 'figures', { function: functionName(), figures: JSON.stringify(counted) })
}

/** The handler of a data plane. */
export function serve<F extends FieldTable, N extends string, A extends Address, C, R, K, V extends Verb<K>>(
  plane: DataPlane<F, N, A, C, R, K, V>,
): (event: APIGatewayProxyEventV2) => Promise<Answer> {
  const { errors, accessLog, answerWithinMs } = plane

  return async function handler(event) {
    const startedMs = performance.now()
    const record = {} as LogRecord<F>
    const now = { monoMs: startedMs, epochMs: event.requestContext.timeEpoch, untilMs: startedMs + answerWithinMs }
    const received = { event, address: plane.parsePath(event.rawPath), now }
    if (plane.allowsOrigin !== undefined && received.address !== undefined && isPreflight(event)) {
      const allows: AllowsOrigin = (origin) => plane.allowsOrigin?.(origin, received.address, now) ?? false
      return { statusCode: 204, headers: await preflightHeaders(event, allows), body: '' }
    }
    try {
      assertTimely(now.epochMs)
      const body = JSON.stringify(await perform(plane, received, record))
      writeLine(accessLog, event, record, { startedMs, status: 200, outcome: 'success' }, undefined)
      const headers = headersOf(plane, received, received.address && plane.verb(received.address).headers)
      return { statusCode: 200, headers: headers instanceof Promise ? await headers : headers, body }
    } catch (error) {
      const { name, status, headers, body } = refusalOf(errors, error, event.requestContext.requestId)
      if (error instanceof Refusal && 'refusal' in accessLog.fields) Object.assign(record, { refusal: error.reason })
      writeLine(accessLog, event, record, { startedMs, status, outcome: name }, error)
      return { statusCode: status, headers: await headersOf(plane, received, headers), body: JSON.stringify(body) }
    }
  }
}
