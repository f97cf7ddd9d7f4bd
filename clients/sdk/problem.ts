/** The body of a refusal. @see RFC 9457 */
export interface Problem {
  readonly status: number
  readonly title: string
  readonly detail: string
  /** kind of refusal, as a number and as words */
  readonly code?: number | undefined
  readonly codeDesc?: string | undefined
  /** identifies the call in the logs of the service */
  readonly traceId?: string | undefined
  readonly errors?: readonly BrokenField[] | undefined
}

/** One invalid field: `pointer` points into the body, `parameter` names a path, query or header parameter. */
export interface BrokenField {
  readonly pointer?: string
  readonly parameter?: string
  readonly detail: string
}

const KINDS = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'denied',
  404: 'not-found',
  405: 'unsupported',
  409: 'conflict',
  412: 'stale',
  413: 'too-large',
  415: 'unsupported',
  422: 'invalid',
  429: 'throttled',
  431: 'too-large',
  500: 'fault',
  501: 'unsupported',
  502: 'cloud-refused',
  503: 'unavailable',
  504: 'too-slow',
} as const

/** Every kind of refusal. An unlisted status counts as `invalid` below 500 and as `fault` from 500. */
export type ProblemKind = (typeof KINDS)[keyof typeof KINDS]

const kindOf = (status: number): ProblemKind =>
  (KINDS as Partial<Record<number, ProblemKind>>)[status] ?? (status < 500 ? 'invalid' : 'fault')

/** The detail, and a line for each invalid field that the detail does not mention. */
function sentencesOf({ detail, errors = [] }: Problem): string {
  const untold = errors.filter((error) => !detail.includes(error.detail))
  const lines = untold.map(({ pointer, parameter, detail: rule }) => `${pointer ?? parameter ?? ''} ${rule}`.trim())
  return [detail, ...lines].join('\n')
}

/** A call that the service refused. `message` has a sentence for each invalid field. */
export class ProblemError extends Error implements Problem {
  override readonly name = 'ProblemError'
  readonly kind: ProblemKind
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly code: number | undefined
  readonly codeDesc: string | undefined
  readonly traceId: string | undefined
  readonly errors: readonly BrokenField[]
  readonly headers: Headers
  /** number of attempts: after more than one, an earlier one may have taken effect without an answer */
  readonly attempts: number

  constructor(problem: Problem, headers: Headers = new Headers(), attempts = 1) {
    super(sentencesOf(problem))
    this.kind = kindOf(problem.status)
    this.status = problem.status
    this.title = problem.title
    this.detail = problem.detail
    this.code = problem.code
    this.codeDesc = problem.codeDesc
    this.traceId = problem.traceId
    this.errors = problem.errors ?? []
    this.headers = headers
    this.attempts = attempts
  }
}

/** A call without an answer: no connection, a broken connection, or no answer in time. The reason is `cause`. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly attempts: number

  constructor(message: string, attempts: number, options?: ErrorOptions) {
    super(message, options)
    this.attempts = attempts
  }
}

/** Whether `error` is a refusal of the service, of any kind or of one of these. */
export const isProblem = (error: unknown, ...kinds: readonly ProblemKind[]): error is ProblemError =>
  error instanceof ProblemError && (kinds.length === 0 || kinds.includes(error.kind))

export const isUnreachable = (error: unknown): error is UnreachableError => error instanceof UnreachableError

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOr = (value: unknown, other: string): string => (typeof value === 'string' && value !== '' ? value : other)

const isBrokenField = (value: unknown): value is BrokenField => isRecord(value) && typeof value.detail === 'string'

/**
 * The problem in a body. Other forms (of the gateway, of OAuth, of the protocols of clouds) are read too, if they
 * contain a text.
 */
export function problemOf(status: number, body: unknown): Problem {
  const said = isRecord(body) ? body : {}
  const title = textOr(said.title, `HTTP ${status}`)
  const detail = textOr(said.detail ?? said.error_description ?? said.message ?? said.errorMessage, title)
  return {
    status,
    title,
    detail,
    ...(typeof said.code === 'number' && { code: said.code }),
    ...(typeof said.codeDesc === 'string' && { codeDesc: said.codeDesc }),
    ...(typeof said.traceId === 'string' && { traceId: said.traceId }),
    ...(Array.isArray(said.errors) && { errors: said.errors.filter(isBrokenField) }),
  }
}
