import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, expect } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import { itemKey } from '../../../shared/store/layout.ts'
import { ADMIN_PASSWORD, passwordOf, useService, type Answered, type Service } from '../../support/service.ts'

export const KEYS = '/v1/vault/keys2'
export const pathOf = (reference: string, tail = ''): string => `${KEYS}/${encodeURIComponent(reference)}${tail}`

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** Less than the 300 seconds of a token's lifetime. */
const TOKEN_USED_MS = 200_000

/** A user of keys, who logs in again when the deployment's clock has passed the token's lifetime. */
export class Holder {
  readonly service: Service
  readonly #logIn: () => Promise<string>
  #token = ''
  #since = -Infinity

  constructor(service: Service, logIn: () => Promise<string>) {
    this.service = service
    this.#logIn = logIn
  }

  async token(): Promise<string> {
    const now = this.service.deployment.clock.now().getTime()
    if (now - this.#since > TOKEN_USED_MS) {
      this.#token = await this.#logIn()
      this.#since = now
    }
    return this.#token
  }

  async call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answered> {
    return this.service.call(method, path, { token: await this.token(), body, ...(headers && { headers }) })
  }

  /** The body of a call that must succeed. */
  async ok(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<any> {
    const answered = await this.call(method, path, body, headers)
    expect([200, 201], `${method} ${path}: ${JSON.stringify(answered.body)}`).toContain(answered.status)
    return answered.body
  }

  create(body: object = {}, query = ''): Promise<any> {
    return this.ok('POST', `${KEYS}${query}`, body)
  }
  get(reference: string, query = ''): Promise<any> {
    return this.ok('GET', `${pathOf(reference)}${query}`)
  }
  update(reference: string, body: object, query = ''): Promise<any> {
    return this.ok('PATCH', `${pathOf(reference)}${query}`, body)
  }
  /** POST to one of a key's operations: `versions`, `export`, `revoke`. */
  act(reference: string, verb: string, body?: object, query = ''): Promise<any> {
    return this.ok('POST', pathOf(reference, `/${verb}${query}`), body)
  }
  tryAct(reference: string, verb: string, body?: object, query = ''): Promise<Answered> {
    return this.call('POST', pathOf(reference, `/${verb}${query}`), body)
  }
  remove(reference: string, query = ''): Promise<any> {
    return this.ok('DELETE', `${pathOf(reference)}${query}`)
  }
  list(query = ''): Promise<any> {
    return this.ok('GET', `${KEYS}${query}`)
  }
  /** Names of the keys that a query finds, in its order. */
  async names(query: string): Promise<string[]> {
    const { total, resources } = await this.list(`${query}${query.includes('limit=') ? '' : '&limit=1000'}`)
    if (!query.includes('limit=') && !query.includes('skip=')) expect(total).toBe(resources.length)
    return resources.map(({ name, version }: any) => (version === 0 ? name : `${name} v${version}`))
  }
}

export interface Vault {
  readonly service: Service
  readonly admin: Holder
  /** A user of the domain with these groups. */
  readonly user: (username: string, groups: readonly string[]) => Promise<{ holder: Holder; sub: string }>
  /** The time `milliseconds` from now on the deployment's clock. */
  readonly at: (milliseconds: number) => string
  readonly advance: (milliseconds: number) => void
  readonly sweep: () => Promise<any>
  /** A stored item, by default of a key version of the domain. */
  readonly stored: (id: string, kind?: string, domain?: string) => Promise<any>
  /** Audit records of these calls, oldest first. */
  readonly records: (query: string) => Promise<any[]>
}

/** A domain and its administrator, for the tests of one file; `options` as in `useService`. */
export function useVault(options?: Partial<DeploymentOptions>): () => Vault {
  const service = useService(options)
  let vault: Vault | undefined
  beforeAll(() => {
    vault = vaultOf(service())
  })
  return () => {
    if (vault === undefined) throw new Error('The vault opens with the tests')
    return vault
  }
}

/** The calls of a service's administrator and users. */
export function vaultOf(service: Service): Vault {
  const { deployment } = service
  const admin = new Holder(service, () => service.logIn('admin', ADMIN_PASSWORD))
  const table = new DynamoDBClient({
    endpoint: deployment.table.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  return {
    service,
    admin,
    user: async (username, groups) => {
      const { userId } = await service.userIn(await admin.token(), username, groups)
      const password = passwordOf(username)
      return { holder: new Holder(service, () => service.logIn(username, password)), sub: userId }
    },
    at: (milliseconds) => new Date(deployment.clock.now().getTime() + milliseconds).toISOString(),
    advance: (milliseconds) => deployment.clock.advance(milliseconds),
    sweep: () => deployment.fire('sweep-due'),
    stored: async (id, kind = 'local-key', domain = service.domain.id) => {
      const { pk, sk } = itemKey(domain, kind, id)
      const { Item } = await table.send(
        new GetItemCommand({
          TableName: deployment.table.name,
          Key: { pk: { S: pk }, sk: { S: sk } },
          ConsistentRead: true,
        }),
      )
      return Item === undefined ? undefined : JSON.parse(Item.data?.S ?? '')
    },
    records: async (query) =>
      (await admin.ok('GET', `/v1/audit/records?limit=1000&sort=createdAt&${query}`)).resources as any[],
  }
}

/** Expects a refusal with this status, product code, and exactly these fields. */
export function expectRefused({ status, body }: Answered, wanted: number, code: number, ...fields: string[]): void {
  const said = JSON.stringify(body)
  expect(status, said).toBe(wanted)
  expect(body.code, said).toBe(code)
  const named = (body.errors ?? []).map(({ pointer, parameter }: any) => pointer ?? parameter)
  for (const field of fields) expect(named, said).toContain(field)
}
