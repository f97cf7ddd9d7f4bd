import { afterAll, beforeAll, expect } from 'vitest'
import { startDeployment, type Deployment, type DeploymentOptions } from '../../infra/local/deployment.ts'
import { BUNDLES } from './build.ts'
import { recorder } from './recorder.ts'

export const ADMIN_PASSWORD = 'Correct-Horse-7'

/** An answer: status, headers, and the body, parsed where it is JSON. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  // Answers are looked at field by field in assertions, which fail on what is not there.
  readonly body: any
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One request over real HTTP. `body` is sent as JSON, a string as it stands. */
export async function call(base: string, method: string, path: string, options: CallOptions = {}): Promise<Answered> {
  const { token, body, headers } = options
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
}

/** A service of one's own, and the calls a caller of it makes. */
export class Service {
  readonly deployment: Deployment

  constructor(deployment: Deployment) {
    this.deployment = deployment
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<Answered> {
    return call(`${this.deployment.baseUrl}/api`, method, path, options)
  }

  /** A token; the administrator's of the root domain when nothing else is said. */
  async logIn(name = 'admin', password = ADMIN_PASSWORD, more: object = {}): Promise<string> {
    const { status, body } = await this.call('POST', '/v1/auth/tokens', { body: { name, password, ...more } })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.jwt as string
  }

  /** A user with these groups, made by `token`'s administrator, logged in. */
  async userIn(
    token: string,
    username: string,
    groups: readonly string[],
    domain?: string,
  ): Promise<{ token: string; userId: string }> {
    const password = `Pass-word-${username.length}x`
    const made = await this.call('POST', '/v1/usermgmt/users', { token, body: { username, password } })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const userId = made.body.user_id as string
    for (const group of groups) {
      const joined = await this.call('POST', `/v1/usermgmt/groups/${encodeURIComponent(group)}/users/${userId}`, {
        token,
      })
      expect(joined.status, JSON.stringify(joined.body)).toBe(200)
    }
    return { token: await this.logIn(username, password, domain === undefined ? {} : { domain }), userId }
  }
}

/** A whole deployment on loopback for the tests of one file: real bundles, real table, real HTTP. */
export function useService(options: Partial<DeploymentOptions> = {}): () => Service {
  let service: Service | undefined
  beforeAll(async () => {
    const deployment = await startDeployment({
      bundles: BUNDLES,
      inMemory: true,
      adminPassword: ADMIN_PASSWORD,
      observe: recorder(),
      ...options,
      environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000', ...options.environment },
    })
    service = new Service(deployment)
  })
  afterAll(() => service?.deployment.stop())
  return () => {
    if (service === undefined) throw new Error('The service starts with the tests')
    return service
  }
}
