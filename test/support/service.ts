import { afterAll, beforeAll, expect } from 'vitest'
import type { Deployment, DeploymentOptions } from '../../infra/local/deployment.ts'
import { ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME } from '../../shared/base/ids.ts'
import { assertOwnProcess, ownsProcess } from './own-process.ts'
import { ADMIN_PASSWORD, sharedDeployment, startTestDeployment } from './test-deployment.ts'

export { ADMIN_PASSWORD }

/** An answer: status, headers, and the body, parsed where it is JSON. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  // Untyped: assertions read answers field by field, and fail on missing ones.
  readonly body: any
}

export interface CallOptions {
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One request over real HTTP. `body` is sent as JSON, a string unchanged. */
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

const ROOT = { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME } as const

/** The password of a user that a test makes. */
export const passwordOf = (username: string): string => `Pass-word-${username.length}x`

/** A domain of a deployment, and the calls of a user of the domain. */
export class Service {
  readonly deployment: Deployment
  readonly domain: { readonly id: string; readonly name: string }

  constructor(deployment: Deployment, domain: Service['domain'] = ROOT) {
    this.deployment = deployment
    this.domain = domain
  }

  get isRoot(): boolean {
    return this.domain.id === ROOT.id
  }

  /** The deployment's root domain. If it is shared, a test must use unique names in it. */
  get root(): Service {
    return new Service(this.deployment)
  }

  /** Member of a log-in request that names the domain. */
  get domainField(): { readonly domain?: string } {
    return this.isRoot ? {} : { domain: this.domain.name }
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<Answered> {
    return call(`${this.deployment.baseUrl}/api`, method, path, options)
  }

  /** A token, by default of the administrator. */
  async logIn(name = 'admin', password = ADMIN_PASSWORD, more: object = {}): Promise<string> {
    const asked = { name, password, ...this.domainField, ...more }
    const { status, body } = await this.call('POST', '/v1/auth/tokens', { body: asked })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.jwt as string
  }

  /** Creates a user with these groups, as the administrator of `token`, and logs the user in. */
  async userIn(
    token: string,
    username: string,
    groups: readonly string[],
    domain?: string,
  ): Promise<{ token: string; userId: string }> {
    const password = passwordOf(username)
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

let domains = 0

/** A new domain of the shared deployment, at the present time. The root domain's administrator administers it. */
async function newDomain(): Promise<Service> {
  const root = new Service(await sharedDeployment())
  root.deployment.clock.set(new Date()) // an earlier file may have moved it
  const token = await root.logIn()
  const { body: self } = await root.call('GET', '/v1/auth/self/user', { token })
  const body = { name: `file-${++domains}`, admins: [self.user_id], allow_user_management: true }
  const { status, body: made } = await root.call('POST', '/v1/domains', { token, body })
  expect(status, JSON.stringify(made)).toBe(201)
  return new Service(root.deployment, { id: made.id as string, name: body.name })
}

/**
 * The service for the tests of one file. Files that share a process share a deployment, in which each has a separate
 * domain. A file with a process of its own has its own deployment with these settings, and uses its root domain.
 */
export function useService(options?: Partial<DeploymentOptions>): () => Service {
  if (options !== undefined) assertOwnProcess('its deployment has settings of its own')
  let service: Service | undefined
  beforeAll(async () => {
    service = ownsProcess() ? new Service(await startTestDeployment(options)) : await newDomain()
  })
  afterAll(async () => {
    if (ownsProcess()) await service?.deployment.stop()
  })
  return () => {
    if (service === undefined) throw new Error('The service starts with the tests')
    return service
  }
}
