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
