import type { Changes } from '../store/changes.ts'

/** Who calls: what their token says, valid at the time of the call. */
export interface Caller {
  /** `local|<uuid>`; empty for a caller without token */
  readonly sub: string
  readonly username: string
  readonly domain: { readonly id: string; readonly name: string }
  /** domain in which the user was made; another than `domain` for a root user named in a child's `admins` */
  readonly homeDomainId: string
  readonly groups: readonly string[]
  /** refresh token this log-in came with */
  readonly sessionId: string | undefined
}

/** The thing a request is about, for its audit record; `before` and `after` without secrets. */
export interface Subject {
  readonly uri: string
  readonly name: string
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** Everything a domain verb may know of the request it serves. */
export interface Context {
  readonly now: Date
  readonly traceId: string
  readonly clientIp: string
  readonly caller: Caller
  /** the `If-Match` header, where the caller sent one */
  readonly ifMatch: string | undefined
  /** What this request changes; committed when the verb has answered. */
  readonly changes: Changes
  /** What is changed even though the request is refused: a failed log-in counts. */
  readonly despiteRefusal: Changes
  /** Does something costly once a request, however often its verb is run again after losing a race. */
  readonly once: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** Tells this request from every other: the same caller, address, body and `Idempotency-Key`, if there is one. */
  readonly fingerprint: string
  /** whether it carries an `Idempotency-Key` */
  readonly hasIdempotencyKey: boolean
  /** `<Verb> <Resource>`, as the operation says of itself */
  readonly summary: string
  /**
   * Work to do once this request's changes are committed and before it is answered: what a sweeper would do later. Its
   * failure is logged and nobody else's.
   */
  readonly afterCommit: (work: () => Promise<unknown>) => void
  /** Names what the audit record of this request is about. */
  readonly about: (subject: Subject) => void
  /** Whom the audit record names when the request itself brings the identity: a log-in. */
  readonly setActor: (actor: Pick<Caller, 'sub' | 'username' | 'domain'>) => void
}

export const hasGroup = ({ groups }: Caller, ...wanted: readonly string[]): boolean =>
  groups.some((group) => wanted.includes(group))
