import { Refusal, type Reason } from '../base/errors.ts'

type Headers = Readonly<Record<string, string>>

export interface ErrorRow {
  readonly status: number
  /** sent when the refusal has no message of its own: printable ASCII */
  readonly text: string
  readonly headers?: Headers
}

/** The errors of a protocol under its own names. Callers read both the name and the status, so the two must agree. */
export interface ErrorTable<Name extends string> {
  readonly rows: Readonly<Record<Name, ErrorRow>>
  /** names for the reasons of the domain; every other error is a fault of the service */
  readonly reasons: Readonly<Partial<Record<Reason, Name>>>
  readonly unknownPath: Name
  readonly wrongMethod: Name
  readonly fault: Name
  /** the body of a refusal. @param requestId with which the service's own records can be found */
  readonly body: (name: Name, message: string, requestId: string) => object
}

const AGAIN = { 'retry-after': '1' }

/** Rows of protocols whose errors have names of their own choice. */
export const USUAL_ROWS = {
  BAD_REQUEST: { status: 400, text: 'The request is not valid.' },
  NOT_FOUND: { status: 404, text: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'This method is not answered here.' },
  TOO_LARGE: { status: 413, text: 'The body is too large.' },
  FAULT: { status: 500, text: 'The key manager failed.' },
  UNAVAILABLE: {
    status: 503,
    text: 'What the key manager depends on did not answer in time.',
    headers: AGAIN,
  },
} as const

/** The row of a quota. @param subject of the quota, at the start of a sentence */
export const quotaRow = (subject: string) => ({
  status: 429,
  text: `${subject} is called more often than its quota allows.`,
  headers: AGAIN,
})

/** The parts of an error table that only use these names. */
export const USUAL_NAMES = {
  reasons: {
    NOT_FOUND: 'NOT_FOUND',
    // An owner deactivates a local key or removes a usage to end its use.
    STATE_CONFLICT: 'FORBIDDEN',
    USAGE_DENIED: 'FORBIDDEN',
    CIPHERTEXT_INVALID: 'BAD_REQUEST',
    USED_UP: 'TOO_MANY_REQUESTS', // temporary: a new version follows
    TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
    UNAVAILABLE: 'UNAVAILABLE',
  },
  unknownPath: 'NOT_FOUND',
  wrongMethod: 'METHOD_NOT_ALLOWED',
  fault: 'FAULT',
} as const

/** Problem details, without members that only the management API has. @see RFC 9457 §3 */
export const problemBody = (name: string, status: number, detail: string) => ({
  type: `urn:keymgr:problem:${name.toLowerCase().replaceAll('_', '-')}`,
  status,
  detail,
})

/** A refusal under a name of the protocol. `message`: sent to the caller, so nothing secret; empty for the text of its row. */
export class ProtocolRefusal<Name extends string> extends Error {
  override readonly name = 'ProtocolRefusal'
  readonly errorName: Name
  readonly headers: Headers

  /** @param headers of the answer, in addition to those of the row */
  constructor(errorName: Name, message = '', headers: Headers = {}) {
    super(message)
    this.errorName = errorName
    this.headers = headers
  }
}

/** The name that a protocol has for an error. */
function errorNameOf<Name extends string>({ reasons, fault }: ErrorTable<Name>, error: unknown): Name {
  if (error instanceof ProtocolRefusal) return error.errorName as Name // a data plane throws names of its own table only
  return (error instanceof Refusal ? reasons[error.reason] : undefined) ?? fault
}

/** An error as sent to the caller. Messages of domain errors are not sent to callers of a protocol. */
export function refusalOf<Name extends string>(table: ErrorTable<Name>, error: unknown, requestId: string) {
  const name = errorNameOf(table, error)
  const { status, text, headers } = table.rows[name]
  const own = error instanceof ProtocolRefusal ? error : undefined
  return {
    name,
    status,
    headers: { ...headers, ...own?.headers },
    body: table.body(name, own?.message || text, requestId),
  }
}
