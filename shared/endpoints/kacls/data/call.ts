import type { Fields } from '../../../base/json.ts'
import type { Moment } from '../../../base/moment.ts'
import type { DataRequest, Verb } from '../../../serving/pipeline.ts'
import type { KACLS_ACCESS_LOG } from '../access-log.ts'
import type { CallName } from '../calls.ts'
import type { KaclsAddress } from './address.ts'
import type { Authentication, AuthenticationKind } from './authentication.ts'
import type { Authorization, AuthorizationKind } from './authorization.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

export type KaclsRequest = DataRequest<KaclsAddress, typeof KACLS_ACCESS_LOG.fields>
export type KaclsRecord = KaclsRequest['record']

/** A caller whose tokens are valid, with the members of its request. */
export interface KaclsCaller {
  readonly endpoint: ServedEndpoint
  /** absent if the call accepts no such token */
  readonly authentication: Authentication | undefined
  readonly authorization: Authorization | undefined
  /** the members of the body, as parsed by the verb */
  readonly message: unknown
}

/** A call that the endpoint serves. */
export interface KaclsCall extends KaclsCaller {
  readonly operation: CallName
  readonly record: KaclsRecord
  readonly now: Moment
  readonly requestId: string
}

/** Tokens that a call requires in its body. */
export interface Tokens {
  readonly authentication?: readonly AuthenticationKind[]
  readonly authorization?: AuthorizationKind
  /** roles of the authorization; default: any role of an application */
  readonly roles?: readonly string[]
}

export interface KaclsVerb<Key = unknown> extends Verb<KaclsCall, unknown, Key> {
  readonly tokens: Tokens
  /** Parses the members of a body, and checks only their form. @throws KaclsRefusal BAD_REQUEST */
  readonly message: (fields: Fields) => unknown
}

interface VerbParts<Message, Key> {
  readonly tokens: Tokens
  readonly message: (fields: Fields) => Message
  readonly key: (call: KaclsCall, message: Message) => Key | Promise<Key>
  readonly use: (call: KaclsCall, message: Message, key: Key) => object | Promise<object>
  readonly headers?: Readonly<Record<string, string>>
}

/** A verb from typed parts: the pipeline passes the result of each part to the next. */
export const verb = <Message, Key>(parts: VerbParts<Message, Key>): KaclsVerb<Key> => ({
  tokens: parts.tokens,
  message: parts.message,
  read: ({ message }) => message,
  key: (call, message) => parts.key(call, message as Message),
  use: (call, message, key) => parts.use(call, message as Message, key),
  ...(parts.headers && { headers: parts.headers }),
})
