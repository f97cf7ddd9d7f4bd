import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda'
import type { Actor, Caller, Subject } from '../context.ts'
import type { Trace } from '../../base/network/trace.ts'
import type { Claim, RulesOfCaller } from './claim.ts'
import type { Gate } from './gate.ts'
import { ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME } from '../../base/ids.ts'

/** One request on its way through the middleware. Each step reads the results of the steps before it. */
export interface Call {
  readonly traceId: string
  /** `requestContext.timeEpoch`: the only clock of a request */
  readonly now: Date
  readonly clientIp: string
  /** PEM, from the front door's TLS connection */
  readonly clientCertificate: string | undefined
  readonly startedAt: number
  caller: Caller
  /** decisions of policies */
  gate: Gate
  path: unknown
  query: unknown
  body: unknown
  /** a dry run: nothing changes, and the answer lists the changes of a real call */
  isDryRun: boolean
  subject: Subject | undefined
  /** the approval that it uses */
  claim: Claim | undefined
  /** whether an effect that a refusal would not undo may have begun */
  hasBegunEffects: boolean
  /** approval rules for its caller; absent where no rule applies */
  rules: RulesOfCaller | undefined
  /** set by a log-in, whose body contains the identity */
  actor: Actor | undefined
  /** header fields that report the remaining calls */
  limits: Readonly<Record<string, string>>
  /** summary of the operation */
  operation: string | undefined
  /** template of the path, once the operation is known */
  route: string | undefined
  /** the caller's trace, or a new one if spans are collected */
  readonly trace: Trace | undefined
  /** what every later refusal of this request adds to its message */
  remark: string | undefined
  /** results that survive a lost race within this request */
  readonly done: Map<string, Promise<unknown>>
}

export type HttpEvent = APIGatewayProxyEventV2 & { call: Call }

/** The argument that middy passes to each step. */
export interface Step {
  readonly event: HttpEvent
  readonly context: LambdaContext
  response: Answer | undefined
  error: Error | null
}

/** A response in the gateway's payload format 2.0. */
export interface Answer {
  statusCode: number
  headers: Record<string, string>
  body: string
  /** values of `Set-Cookie` headers */
  cookies?: string[]
  isBase64Encoded?: boolean
}

export type HttpHandler = (event: APIGatewayProxyEventV2, context: LambdaContext) => Promise<Answer>

export const ANONYMOUS: Caller = {
  sub: '',
  username: '',
  domain: { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME },
  homeDomainId: ROOT_DOMAIN_ID,
  groups: [],
  sessionId: undefined,
}

export const json = (statusCode: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...headers },
  body: body === undefined ? '' : JSON.stringify(body),
})

export const text = (statusCode: number, body: string, media: string): Answer => ({
  statusCode,
  headers: { 'content-type': `${media}; charset=utf-8` },
  body,
})

/** @param body in base64 */
export const bytes = (statusCode: number, body: string, media: string): Answer => ({
  statusCode,
  headers: { 'content-type': media },
  body,
  isBase64Encoded: true,
})
