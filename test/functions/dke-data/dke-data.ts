import { constants, createPublicKey, publicEncrypt, randomBytes, type KeyObject } from 'node:crypto'
import { expect } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import type { DocsuiteSimulator } from '../../../infra/simulators/docsuite/simulator.ts'
import { DataPlaneTests, type PlaneAnswer } from '../../support/data-plane.ts'
import type { Answered } from '../../support/service.ts'
import { useVault } from '../vault/vault.ts'

export const ENDPOINTS = '/v1/keymgr/docsuite/dke/endpoints'
export const TENANTS = '/v1/keymgr/docsuite/dke/auth-tenants'
export const HOST = 'dke.example.test'
export const AUDIENCE = `https://${HOST}`
export const ADA = 'ada@shop.example.test'
export const BOB = 'bob@shop.example.test'
export const EVE = 'eve@bank.example.test'

/** Differences between a decryption and a valid one by Ada. */
export interface CallOptions {
  readonly upn?: string
  readonly claims?: object
  /** replaces the valid token; `null` sends none */
  readonly token?: string | null
  readonly alg?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly host?: string
}

const OAEP_256 = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** The public key in an endpoint's answer. */
export const keyIn = ({ key: { n, e } }: any): KeyObject => {
  const exponent = Buffer.from((e as number).toString(16).padStart(6, '0'), 'hex')
  const jwk = {
    kty: 'RSA',
    n: Buffer.from(n as string, 'base64').toString('base64url'),
    e: exponent.toString('base64url'),
  }
  return createPublicKey({ key: jwk, format: 'jwk' })
}
export const encrypted = (key: KeyObject, bytes: Buffer, options: object = OAEP_256): string =>
  publicEncrypt({ key, ...options }, bytes).toString('base64')

/** A deployment with the document suite, and the calls of administrators, authors and readers. */
export class DkeTests extends DataPlaneTests {
  protected readonly plane = 'dke-data'
  protected readonly host = HOST

  get suite(): DocsuiteSimulator {
    return this.vault.service.deployment.docsuite
  }

  tenantOf(upn: string): string {
    return this.suite.directory.people.find((person) => person.upn === upn)?.tenant ?? ''
  }

  tryCreate(body: object = {}): Promise<Answered> {
    const name = `d-${randomBytes(6).toString('hex')}`
    const auth_tenants = [this.tenantOf(ADA)]
    return this.vault.admin.call('POST', ENDPOINTS, { name, key_uri_hostname: HOST, auth_tenants, ...body })
  }

  /** Creates an endpoint; default: for all people of Ada's tenant. */
  async create(body: object = {}): Promise<any> {
    const { status, body: endpoint } = await this.tryCreate(body)
    expect(status, JSON.stringify(endpoint)).toBe(201)
    return endpoint
  }

  act(id: string, action: string, body?: object): Promise<Answered> {
    return this.vault.admin.call('POST', `${ENDPOINTS}/${id}/${action}`, body)
  }

  publicKey({ key_uri: uri }: any): Promise<PlaneAnswer> {
    return this.send('GET', new URL(uri as string).pathname)
  }

  async bearer({ upn = ADA, claims = {}, token }: CallOptions): Promise<object> {
    if (token === null) return {}
    return { authorization: `Bearer ${token ?? (await this.suite.tokenOf(upn, AUDIENCE, claims))}` }
  }

  /** Decrypts as Ada. @param kid as in documents */
  async decrypt(kid: string, value: unknown, options: CallOptions = {}): Promise<PlaneAnswer> {
    const headers = { ...(await this.bearer(options)), ...options.headers, ...(options.host && { host: options.host }) }
    return this.send('POST', `${new URL(kid).pathname}/decrypt`, { alg: options.alg ?? 'RSA-OAEP-256', value }, headers)
  }

  /** A document of an endpoint: its key, encrypted as by an author's client. */
  async protect(
    endpoint: any,
    bytes: Buffer = randomBytes(44),
  ): Promise<{ kid: string; value: string; bytes: Buffer }> {
    const { body, status } = await this.publicKey(endpoint)
    expect(status, JSON.stringify(body)).toBe(200)
    return { kid: body.key.kid, value: encrypted(keyIn(body), bytes), bytes }
  }

  /** The status of decrypting a new document of the endpoint. */
  async opens(endpoint: any, options: CallOptions = {}): Promise<number> {
    const { kid, value } = await this.protect(endpoint)
    return (await this.decrypt(kid, value, options)).status
  }
}

/** A refusal in the form of the protocol. */
export const refused = (status: number): object =>
  expect.objectContaining({
    status,
    body: { type: expect.stringMatching(/^urn:keymgr:problem:/), status, detail: expect.any(String) },
  })

/** The tests of one file; `options` as in `useService`. */
export function useDke(options?: Partial<DeploymentOptions>): () => DkeTests {
  const vault = useVault(options)
  let tests: DkeTests | undefined
  return () => (tests ??= new DkeTests(vault()))
}
