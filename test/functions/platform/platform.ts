import { expect } from 'vitest'
import { call, type Answered, type Service } from '../../support/service.ts'

export const CREDENTIALS = '/v1/audit/platform-credentials'
export const TOKEN = '/platform/auth/oauth/v1/token'
export const INSTANCES = '/platform/api/v1/service_instances'
export const EXPORTS = '/platform/api/v1/audit-log-exports'

export interface Credential {
  readonly id: string
  readonly client_id: string
  readonly client_secret: string
}

/** Calls of the platform's endpoints. */
export class Platform {
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  /** A credential of the domain that an administrator is logged in to. */
  async credential(admin: string, name: string): Promise<Credential> {
    const { status, body } = await this.#service.call('POST', CREDENTIALS, { token: admin, body: { name } })
    expect(status, JSON.stringify(body)).toBe(201)
    return body as Credential
  }

  /** A request for a token, as a form. */
  form(fields: Readonly<Record<string, string>> | string, headers: Record<string, string> = {}): Promise<Answered> {
    return call(this.#service.deployment.baseUrl, 'POST', TOKEN, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  }

  tryToken({ client_id, client_secret }: Pick<Credential, 'client_id' | 'client_secret'>): Promise<Answered> {
    return this.form({ grant_type: 'client_credentials', client_id, client_secret })
  }

  async token(credential: Credential): Promise<string> {
    const { status, body } = await this.tryToken(credential)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.access_token as string
  }

  call(method: string, path: string, token?: string, body?: unknown): Promise<Answered> {
    return call(this.#service.deployment.baseUrl, method, path, { token, body })
  }
}
