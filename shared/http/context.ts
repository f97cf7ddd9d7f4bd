import type { Changes } from '../store/changes.ts'
import type { SessionCookie } from './answer/session-cookie.ts'

/** The caller, from the claims of a valid token. */
export interface Caller {
  /** `local|<uuid>` of a user, the id of a registered client; empty for a caller without token */
  readonly sub: string
  readonly username: string
  readonly domain: { readonly id: string; readonly name: string }
  /** domain that owns the user; differs from `domain` for a root user named in a child's `admins` */
  readonly homeDomainId: string
  readonly groups: readonly string[]
  /** ids of the groups, in the same order; absent for callers of the service itself and in old records */
  readonly groupIds?: readonly string[] | undefined
  /** id of the refresh token of this log-in */
  readonly sessionId: string | undefined
  /** of a registered client */
  readonly client?: { readonly id: string; readonly name: string } | undefined
  /** ids of the approval rules that the call's approval meets */
  readonly approvedRules?: readonly string[] | undefined
  /** `client_id` of a public client, from the user's log-in: it is not proven, so it grants no right */
  readonly publicClientId?: string | undefined
}

/** The actor in an audit record. */
export type Actor = Pick<Caller, 'sub' | 'username' | 'domain' | 'client' | 'publicClientId'>

/** The resource of a request, for its audit record; `before` and `after` contain no secrets. */
export interface Subject {
  readonly uri: string
  readonly name: string
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
  /** the record before the call, with the fields in answers: policies use it, but it is not recorded */
  readonly record?: object
}

/** The existing record of a subject; absent if it is being created. */
export const asFound = (before: object): Pick<Subject, 'record'> => ('id' in before ? { record: before } : {})

/** A record that a call is about to create in a cloud: the type in its URI, and its id. */
export interface ToBeMade {
  readonly type: string
  readonly id: string
}

/** Everything that an operation receives about its request. */
export interface Context {
  readonly now: Date
  readonly traceId: string
  readonly clientIp: string
  /** PEM of the connection's certificate, from any issuer: only the host with mutual TLS provides it */
  readonly clientCertificate: string | undefined
  readonly sessionCookie: SessionCookie
  readonly caller: Caller
  /** the `If-Match` header, if sent */
  readonly ifMatch: string | undefined
  /** Changes of this request, committed after the operation has answered. */
  readonly changes: Changes
  /** Changes that are committed even if the request is refused, such as the count of failed log-ins. */
  readonly despiteRefusal: Changes
  /** Runs expensive work once per request, even if the operation runs again after a lost race. */
  readonly once: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** Adds a sentence to every later refusal of this request, about an effect that it had nevertheless. */
  readonly remark: (sentence: string) => void
  /**
   * Identifies the request by caller, address, body and `Idempotency-Key`, without revealing them. One read at most.
   */
  readonly fingerprint: () => Promise<string>
  /** whether it has an `Idempotency-Key` */
  readonly hasIdempotencyKey: boolean
  /** `<Verb> <Resource>`, from the operation's declaration */
  readonly summary: string
  /**
   * Adds work to run after the commit and before the answer. The sweeper would do the same work later, so a failure is
   * only logged.
   */
  readonly afterCommit: (work: () => Promise<unknown>) => void
  /** Names the subject of this request's audit record. @throws Refusal ACTION_DENIED when a policy denies the call on it */
  readonly about: (subject: Subject) => void
  /**
   * Names an action on a further record that the call uses, such as a wrapping key. @throws Refusal ACTION_DENIED when
   * a policy denies it
   */
  readonly uses: (action: string, record: Readonly<{ uri: string }>) => void
  /**
   * Must be called before any effect that a refusal would not undo; policies are not evaluated again afterwards.
   * @throws Refusal ACTION_DENIED when a policy denies the call
   */
  readonly beforeEffects: (made?: ToBeMade) => void
  /** Names the actor in the audit record when the request itself contains the identity: a log-in. */
  readonly setActor: (actor: Actor) => void
}

export const hasGroup = ({ groups }: Caller, ...wanted: readonly string[]): boolean =>
  groups.some((group) => wanted.includes(group))
