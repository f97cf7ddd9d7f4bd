import { createPublicKey, hash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import type { IssuerName, WorkspaceSimulator } from '../../../infra/simulators/workspace/simulator.ts'
import { DataPlaneTests, type PlaneAnswer } from '../../support/data-plane.ts'
import type { Answered } from '../../support/service.ts'
import { useVault } from '../vault/vault.ts'

export const ENDPOINTS = '/v1/keymgr/WorkspaceCSE/endpoints'
export const ISSUERS = '/v1/keymgr/WorkspaceCSE/issuers'
export const HOST = 'kacls.example.test'
export const AUDIENCE = 'workspace-client'
export const ADA = 'ada@shop.example.test'
export const BOB = 'bob@shop.example.test'
export const KEY_PAIR = '//gmail.googleapis.com/gmail/users/ada%40shop.example.test/settings/cse/keypairs/first'
export const RESOURCE = '//googleapis.com/drive/files/first'

/** Answer of the data plane. */
export type KaclsAnswer = PlaneAnswer

/** Differences between a call and a valid one by Ada in her drive. `null` removes the member. */
export interface CallOptions {
  readonly email?: string
  /** claims that replace those of the identity provider's token */
  readonly who?: object
  /** claims that replace those of the suite's token */
  readonly what?: object
  readonly issuer?: IssuerName
  /** replace the valid tokens; `null` sends none */
  readonly authentication?: unknown
  readonly authorization?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly reason?: unknown
}

/** A deployment with the workspace suite, and the calls of administrators and of the suite's pages. */
export class KaclsTests extends DataPlaneTests {
  protected readonly plane = 'kacls'
  protected readonly host = HOST
  #issuer: Promise<string> | undefined

  get suite(): WorkspaceSimulator {
    return this.vault.service.deployment.workspace
  }

  /** The id of the company's identity provider, which is registered once. */
  issuer(): Promise<string> {
    this.#issuer ??= this.vault.admin
      .ok('POST', ISSUERS, { name: 'company', openidConfigurationURL: this.suite.openidConfigurationUrl })
      .then(({ id }: any) => id as string)
    return this.#issuer
  }

  async tryCreate(body: object = {}): Promise<Answered> {
    await this.issuer()
    const name = `w-${randomBytes(6).toString('hex')}`
    const usual = { name, endpoint_url_hostname: HOST, authenticationAud: [AUDIENCE] }
    return this.vault.admin.call('POST', ENDPOINTS, { ...usual, ...body })
  }

  /** Creates an endpoint; default: for the users of the company's identity provider. */
  async create(body: object = {}): Promise<any> {
    const { status, body: endpoint } = await this.tryCreate(body)
    expect(status, JSON.stringify(endpoint)).toBe(201)
    return endpoint
  }

  act(id: string, action: string, body?: object): Promise<Answered> {
    return this.vault.admin.call('POST', `${ENDPOINTS}/${id}/${action}`, body)
  }

  /** Wraps an administrator's private key. */
  wrapPrivateKey({ id }: any, body: object, headers?: Record<string, string>): Promise<Answered> {
    return this.vault.admin.call('POST', `${ENDPOINTS}/${id as string}/wrapprivatekey`, body, headers)
  }

  /** The blob of a wrapped private key in PEM. */
  async wrappedPrivateKey(endpoint: any, private_key: string, more: object = {}): Promise<string> {
    const { status, body } = await this.wrapPrivateKey(endpoint, { private_key, ...more })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.wrapped_private_key as string
  }

  put(id: string, part: string, body: unknown): Promise<any> {
    return this.vault.admin.ok('PUT', `${ENDPOINTS}/${id}/${part}`, JSON.stringify(body))
  }

  /** Sets the Rego perimeter for all following calls. */
  async setPerimeter({ id }: any, text: string): Promise<void> {
    await this.put(id as string, 'perimeters', text)
    this.letPass()
  }

  change({ id }: any, body: object): Promise<any> {
    return this.vault.admin.ok('PATCH', `${ENDPOINTS}/${id as string}`, body)
  }

  /** The address of a call of the endpoint. */
  at({ endpoint_url: url }: any, call: string): string {
    return `${new URL(url as string).pathname}/${call}`
  }

  get(endpoint: any, call: string, headers: object = {}): Promise<PlaneAnswer> {
    return this.send('GET', this.at(endpoint, call), undefined, headers)
  }

  authentication({ email = ADA, who = {} }: CallOptions = {}): Promise<string> {
    return this.suite.authenticationOf(email, { audience: AUDIENCE, claims: who })
  }

  authorization({ endpoint_url: kacls_url }: any, options: CallOptions = {}): Promise<string> {
    const { email = ADA, what = {}, issuer = 'drive' } = options
    const usual =
      issuer === 'migration' ? { kacls_url, resource_name: RESOURCE } : { kacls_url, email, resource_name: RESOURCE }
    return this.suite.authorizationOf({ issuer, claims: { ...usual, ...what } })
  }

  /** A call with all members that it needs besides its tokens. @param tokens that the call accepts */
  async call(
    endpoint: any,
    call: string,
    members: object,
    options: CallOptions = {},
    tokens: readonly ('authentication' | 'authorization')[] = ['authentication', 'authorization'],
  ): Promise<PlaneAnswer> {
    const body: Record<string, unknown> = { reason: 'test', ...members }
    if (tokens.includes('authentication'))
      body.authentication =
        options.authentication === undefined ? await this.authentication(options) : options.authentication
    if (tokens.includes('authorization'))
      body.authorization =
        options.authorization === undefined ? await this.authorization(endpoint, options) : options.authorization
    if ('reason' in options) body.reason = options.reason
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    return this.send('POST', this.at(endpoint, call), given, options.headers)
  }

  wrap(endpoint: any, key: Buffer | string = randomBytes(32), options: CallOptions = {}): Promise<PlaneAnswer> {
    return this.call(endpoint, 'wrap', { key: typeof key === 'string' ? key : key.toString('base64') }, options)
  }

  /** The blob of a key that Ada wrapped. */
  async wrapped(endpoint: any, key: Buffer = randomBytes(32), options: CallOptions = {}): Promise<string> {
    const { status, body } = await this.wrap(endpoint, key, options)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.wrapped_key as string
  }

  unwrap(endpoint: any, wrapped_key: unknown, options: CallOptions = {}): Promise<PlaneAnswer> {
    const what = { role: 'reader', ...options.what }
    return this.call(endpoint, 'unwrap', { wrapped_key }, { ...options, what })
  }

  /** A call with a private key in the mail application, whose token contains the hash of the public key. */
  mail(
    endpoint: any,
    call: 'privatekeysign' | 'privatekeydecrypt',
    spki_hash: string,
    members: object,
    options: CallOptions = {},
  ): Promise<PlaneAnswer> {
    const role = call === 'privatekeysign' ? 'signer' : 'decrypter'
    const what = { role, resource_name: KEY_PAIR, spki_hash, spki_hash_algorithm: 'SHA-256', ...options.what }
    return this.call(endpoint, call, members, { issuer: 'gmail', ...options, what })
  }

  /** A call without a token of the suite. */
  privileged(endpoint: any, call: string, members: object, options: CallOptions = {}): Promise<PlaneAnswer> {
    return this.call(endpoint, call, { resource_name: RESOURCE, ...members }, options, ['authentication'])
  }

  /** A call of the suite's migration. */
  migration(
    endpoint: any,
    call: string,
    role: string,
    members: object,
    options: CallOptions = {},
  ): Promise<PlaneAnswer> {
    const what = { role, ...options.what }
    return this.call(endpoint, call, members, { issuer: 'migration', ...options, what }, ['authorization'])
  }
}

/** The suite's name of a public key: the hash of its SubjectPublicKeyInfo. */
export const spkiHashOf = (privateKey: string): string =>
  hash('sha256', createPublicKey(privateKey).export({ format: 'der', type: 'spki' }), 'base64')

/** A refusal in the form of the protocol. */
export const refused = (status: number): object =>
  expect.objectContaining({
    status,
    body: { code: status, message: expect.any(String), details: expect.stringMatching(/^request /) },
  })

/** The tests of one file; `options` as in `useService`. */
export function useKacls(options?: Partial<DeploymentOptions>): () => KaclsTests {
  const vault = useVault(options)
  let tests: KaclsTests | undefined
  return () => (tests ??= new KaclsTests(vault()))
}
