import { randomBytes } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import { cloudIssuer, type CloudIssuer } from '../../support/cloud-issuer.ts'
import { mint, type Issuer, type IssuerKey } from '../../support/issuer.ts'
import { logRecords, type LineCount } from '../../support/log-records.ts'
import { ownsProcess } from '../../support/own-process.ts'
import { raw } from '../../support/raw.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Vault } from '../vault/vault.ts'

export const ENDPOINTS = '/v1/keymgr/ekm/endpoints'
export const HOST = 'ekm.example.test'
export const EMAIL = 'service-1234@gcp-sa-ekms.iam.gserviceaccount.com'
export const BASIC = { basic: { clients: [EMAIL] } }

/** Answer of the data plane. */
export interface EkmAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly body: any
}

/** Differences between a call and a valid one. */
export interface CallOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** replaces the valid token; `null` sends none */
  readonly token?: string | null
  /** claims that replace those of a valid token */
  readonly claims?: object
}

/** A deployment with its own issuer, and the calls of administrators and of the cloud. */
export class EkmTests {
  readonly vault: Vault
  readonly issuer: Issuer
  readonly key: IssuerKey

  constructor(vault: Vault, issuer: Issuer, key: IssuerKey) {
    this.vault = vault
    this.issuer = issuer
    this.key = key
  }

  get now(): Date {
    return this.vault.service.deployment.clock.now()
  }

  /** Claims of a valid token. */
  claims(more: object = {}): object {
    const seconds = Math.floor(this.now.getTime() / 1_000)
    const iss = this.issuer.name
    return {
      iss,
      aud: `https://${HOST}`,
      iat: seconds,
      exp: seconds + 3_600,
      email: EMAIL,
      email_verified: true,
      ...more,
    }
  }

  token(more: object = {}): string {
    return mint(this.key, this.claims(more))
  }

  /** Requests an endpoint. */
  tryCreate(body: object = {}): Promise<Answered> {
    const name = `e-${randomBytes(6).toString('hex')}`
    return this.vault.admin.call('POST', ENDPOINTS, { name, keyURIHostname: HOST, policy: BASIC, ...body })
  }

  /** Creates an endpoint; default: symmetric, with a policy that allows the cloud's calls. */
  async create(body: object = {}): Promise<any> {
    const { status, body: endpoint } = await this.tryCreate(body)
    expect(status, JSON.stringify(endpoint)).toBe(201)
    return endpoint
  }

  /** A local key that is suitable for an endpoint. */
  localKey(body: object = {}): Promise<any> {
    const name = `k-${randomBytes(6).toString('hex')}`
    return this.vault.admin.create({ name, algorithm: 'aes', unexportable: true, undeletable: true, ...body })
  }

  act(id: string, action: string, body?: object): Promise<Answered> {
    return this.vault.admin.call('POST', `${ENDPOINTS}/${id}/${action}`, body)
  }

  /** Advances the clock by five seconds, so that cached data of endpoints is read again. */
  letPass(): void {
    this.vault.advance(5_001)
  }

  /** One request to an address below the host's root, as from the cloud. */
  async send(path: string, body: unknown, options: CallOptions = {}): Promise<EkmAnswer> {
    const { method = 'POST', headers, token = this.token(options.claims) } = options
    const {
      status,
      headers: answered,
      bytes,
    } = await raw(this.vault.service.deployment.baseUrl, {
      method,
      target: path,
      headers: {
        host: HOST,
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: method === 'GET' ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = bytes.toString()
    return { status, headers: answered, text, body: text === '' ? undefined : JSON.parse(text) }
  }

  call({ key_path: path }: any, verb: string, body: unknown = {}, options: CallOptions = {}): Promise<EkmAnswer> {
    return this.send(`${path as string}:${verb}`, body, options)
  }

  /** The body of a call that must succeed. */
  async ok(endpoint: any, verb: string, body: unknown = {}, options: CallOptions = {}): Promise<any> {
    const answered = await this.call(endpoint, verb, body, options)
    expect(answered.status, answered.text).toBe(200)
    return answered.body
  }

  async wrap(endpoint: any, plaintext: Buffer, more: object = {}): Promise<Buffer> {
    const { wrappedBlob } = await this.ok(endpoint, 'wrap', { plaintext: plaintext.toString('base64'), ...more })
    return Buffer.from(wrappedBlob as string, 'base64')
  }

  unwrap(endpoint: any, blob: Buffer, more: object = {}): Promise<EkmAnswer> {
    return this.call(endpoint, 'unwrap', { wrappedBlob: blob.toString('base64'), ...more })
  }

  /** A new instance of the data plane, as after a crash. */
  freshInstance(): Promise<void> {
    return this.vault.service.deployment.kill('ekm-data')
  }

  /** Waits for this number of log lines of the data plane with these fields. */
  lines(count: LineCount, fields: object): Promise<any[]> {
    return logRecords(this.vault.service.deployment, 'ekm-data', count, fields)
  }
}

/** A refusal in the form of the protocol. */
export const refused = (code: number, status: string): object =>
  expect.objectContaining({ status: code, body: { error: { code, message: expect.any(String), status } } })

/** The tests of one file; `options` as in `useService`. */
export function useEkm(options?: Partial<DeploymentOptions>): () => EkmTests {
  const environment: Record<string, string> = { ...options?.environment }
  let tests: EkmTests | undefined
  let cloud: CloudIssuer | undefined
  beforeAll(async () => {
    cloud = await cloudIssuer()
    Object.assign(environment, cloud.environment)
  })
  const vault = useVault(ownsProcess() ? { ...options, environment } : options) // the shared deployment trusts it already
  return () => {
    if (cloud === undefined) throw new Error('The issuer starts with the tests')
    return (tests ??= new EkmTests(vault(), cloud.issuer, cloud.key))
  }
}
