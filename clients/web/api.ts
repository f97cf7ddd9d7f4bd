/** The body of a refusal. @see RFC 9457 */
export interface Problem {
  readonly status: number
  /** identifies the kind of refusal */
  readonly type?: string
  readonly detail: string
  readonly errors?: readonly { readonly pointer?: string; readonly detail: string }[]
}

/** A call that was refused or not answered. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'detail' in value && typeof value.detail === 'string'

async function answerOf(asked: Promise<Response>): Promise<Response> {
  try {
    return await asked
  } catch {
    throw new Refused({ status: 0, detail: 'The service does not answer. Try again.' })
  }
}

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly body?: unknown
  readonly token?: string | undefined
  /** neither sends the session cookie nor takes one */
  readonly withoutCookies?: boolean
}

/** Calls the service of this page. @param path below `/api` @throws Refused */
export async function call<T>(path: string, { method = 'GET', body, token, withoutCookies }: Asked = {}): Promise<T> {
  const headers = new Headers()
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  const credentials = withoutCookies === true ? 'omit' : 'same-origin'
  const init: RequestInit = { method, headers, credentials, cache: 'no-store' }
  if (body !== undefined) init.body = JSON.stringify(body)
  const response = await answerOf(fetch(`/api${path}`, init))
  const text = await response.text()
  const answer: unknown = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) {
    const detail = 'The service does not answer as it should. Try again.'
    throw new Refused(isProblem(answer) ? answer : { status: response.status, detail })
  }
  return answer as T // type of the described answer
}
