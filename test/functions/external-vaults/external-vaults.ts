import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import type { CloudDSimulator, Domain, DomainToken } from '../../../infra/simulators/cloud-d/simulator.ts'
import { DataPlaneTests, type PlaneAnswer } from '../../support/data-plane.ts'
import type { Answered } from '../../support/service.ts'
import { CLOUD_D } from '../cloud-d/cloud-d.ts'
import { useVault } from '../vault/vault.ts'

export const HOST = 'ekm.keymgr.test'
export const AUDIENCE = `https://${HOST}/`
export const TENANCY_ID = 'ocid1.tenancy.oc1..elsewhere'

/** A call with differences from a valid one. */
export interface CallOptions {
  readonly method?: 'GET' | 'POST'
  readonly body?: unknown
  /** replaces the valid token; `null` sends none */
  readonly token?: string | null
  readonly asked?: Partial<DomainToken>
  readonly headers?: Readonly<Record<string, string>>
}

const unique = (prefix: string): string => `${prefix}-${randomBytes(6).toString('hex')}`

/** A deployment with cloud-d, and the calls of its administrators and of the cloud. */
export class ExternalTests extends DataPlaneTests {
  protected readonly plane = 'external-vaults'
  protected readonly host = HOST
  #issuer: Promise<any> | undefined

  get cloud(): CloudDSimulator {
    return this.vault.service.deployment.cloudD
  }

  get domain(): Domain {
    const found = this.cloud.domains.find(({ tenancy }) => tenancy.name === 'shop')
    if (found === undefined) throw new Error('The cloud has no domain of the shop')
    return found
  }

  client(name = 'external-vaults'): { id: string; secret: string } {
    const found = this.domain.tenancy.applications.find((one) => one.name === name)
    if (found === undefined) throw new Error(`The domain has no application ${name}`)
    return { id: found.clientId, secret: found.clientSecret }
  }

  ok(method: string, path: string, body?: unknown): Promise<any> {
    return this.vault.admin.ok(method, `${CLOUD_D}${path}`, body)
  }
  ask(method: string, path: string, body?: unknown): Promise<Answered> {
    return this.vault.admin.call(method, `${CLOUD_D}${path}`, body)
  }

  /** The issuer of the shop's tokens, with its protected key set. */
  issuer(): Promise<any> {
    return (this.#issuer ??= this.newIssuer())
  }
  newIssuer(): Promise<any> {
    const { id: client_id, secret: client_secret } = this.client('key-set-reader')
    const openid_config_url = `${this.domain.url}/.well-known/openid-configuration`
    const body = { jwks_uri_protected: true, client_id, client_secret, openid_config_url }
    return this.ok('POST', '/issuers', { name: unique('issuer'), ...body })
  }

  async vaultBody(more: object = {}): Promise<object> {
    return {
      vault_name: unique('vault'),
      client_application_id: this.client().id,
      issuer_id: (await this.issuer()).id,
      endpoint_url_hostname: HOST,
      tenancy: 'elsewhere',
      ...more,
    }
  }

  /** Creates an external vault in a tenancy without connection. */
  async newVault(more: object = {}): Promise<any> {
    const { resources } = await this.ok('GET', '/tenancy?tenancy=elsewhere')
    if (resources.length === 0) await this.ok('POST', '/add-tenancy', { tenancy: 'elsewhere', tenancy_id: TENANCY_ID })
    return this.ok('POST', '/create-external-vault', await this.vaultBody(more))
  }

  localKey(more: object = {}): Promise<any> {
    return this.vault.admin.create({ name: unique('source'), algorithm: 'aes', size: 256, ...more })
  }

  /** Creates an external key, by default over a new local key. */
  async newKey(vault: any, more: object = {}): Promise<any> {
    const source_key_identifier = 'source_key_identifier' in more ? undefined : (await this.localKey()).name
    return this.ok('POST', '/create-external-key', {
      ...{ vault: vault.id, name: unique('key'), source_key_identifier },
      ...more,
    })
  }

  token(asked: Partial<DomainToken> = {}): Promise<string> {
    return this.domain.tokenOf({ clientId: this.client().id, audience: AUDIENCE, ...asked })
  }

  /** Calls a vault like the cloud. @param path below the vault's address */
  async callVault(vault: any, path: string, options: CallOptions = {}): Promise<PlaneAnswer> {
    const { body, token = await this.token(options.asked), headers = {} } = options
    const { pathname } = new URL(vault.external_vault_params.endpoint_url as string)
    const method = options.method ?? (path.endsWith('/metadata') ? 'GET' : 'POST')
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
    return this.send(method, `${pathname}${path}`, body, { ...authorization, ...headers })
  }

  encrypt(vault: any, key: any, body: object = {}, options: CallOptions = {}): Promise<PlaneAnswer> {
    const plaintext = Buffer.from('a data key').toString('base64')
    return this.callVault(vault, `/keys/${key.id}/encrypt`, { body: { plaintext, ...body }, ...options })
  }

  decrypt(vault: any, key: any, blob: object, options: CallOptions = {}): Promise<PlaneAnswer> {
    return this.callVault(vault, `/keys/${key.id}/decrypt`, { body: blob, ...options })
  }

  /** The blob of an encryption that must succeed. */
  async encrypted(vault: any, key: any, body: object = {}): Promise<any> {
    const { status, body: blob } = await this.encrypt(vault, key, body)
    expect(status, JSON.stringify(blob)).toBe(200)
    return blob
  }
}

/** A refusal in the form of the protocol. */
export const refusal = (status: number): object =>
  expect.objectContaining({ status, body: { code: String(status), message: expect.any(String) } })

/** The tests of one file; `options` as in `useService`. */
export function useExternal(options?: Partial<DeploymentOptions>): () => ExternalTests {
  const vault = useVault(options)
  let tests: ExternalTests | undefined
  return () => (tests ??= new ExternalTests(vault()))
}
