import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { DeploymentOptions } from '../../../infra/local/deployment.ts'
import { authority, type Certified } from '../../support/certificates.ts'
import { requestOverTls } from '../../support/mutual-tls.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

export const STORES = '/v1/keymgr/datacust/ekm/keystores'
export const KEYS = '/v1/keymgr/datacust/ekm/keys'
export const HOST = 'keystores.example.test'

const someName = (kind: string): string => `${kind}-${randomBytes(6).toString('hex')}`

/** The authority of the platform's client certificates. */
export const platform = authority('Platform Cloud Root')

/** A key store as administrators see it, and the certificate that the platform presents to it. */
export interface KnownStore {
  readonly store: any
  readonly certified: Certified
}

/** A refusal in the common form. */
export const refused = (status: number): object =>
  expect.objectContaining({ status, body: expect.objectContaining({ status, codeDesc: expect.any(String) }) })

/** The calls of administrators, and those of the platform with its client certificate. */
export class DatacustTests {
  readonly vault: Vault

  constructor(vault: Vault) {
    this.vault = vault
  }

  tryStore(body: object = {}, who: Holder = this.vault.admin): Promise<Answered> {
    const { cert } = platform.issue('sample')
    const sap_tenant_id = randomUUID()
    const name = someName('s')
    return who.call('POST', STORES, { name, sap_tenant_id, certificate: cert, keystore_url_hostname: HOST, ...body })
  }

  async store(body: object = {}, certified: Certified = platform.issue('platform client')): Promise<KnownStore> {
    const { status, body: store } = await this.tryStore({ certificate: certified.cert, ...body })
    expect(status, JSON.stringify(store)).toBe(201)
    return { store, certified }
  }

  /** A local key that can be an external one; default: AES. */
  localKey(body: object = {}): Promise<any> {
    return this.vault.admin.create({ name: someName('k'), algorithm: 'aes', size: 256, usageMask: 12, ...body })
  }

  rsaKey(body: object = {}): Promise<any> {
    return this.localKey({ algorithm: 'rsa', size: 3_072, usageMask: 15, ...body })
  }

  tryKey(body: object, who: Holder = this.vault.admin): Promise<Answered> {
    return who.call('POST', KEYS, { name: someName('x'), ...body })
  }

  /** An external key of a store; default: over a new AES key. */
  async key({ store }: KnownStore, body: object = {}): Promise<any> {
    const source = 'source_key_identifier' in body ? undefined : await this.localKey()
    const { status, body: key } = await this.tryKey({
      keystore_id: store.id,
      ...(source && { source_key_identifier: source.id }),
      ...body,
    })
    expect(status, JSON.stringify(key)).toBe(201)
    return key
  }

  act(at: string, { id }: any, action: string, body?: object): Promise<Answered> {
    return this.vault.admin.call('POST', `${at}/${id as string}/${action}`, body)
  }

  async acts(at: string, of: any, action: string, body?: object): Promise<any> {
    const { status, body: record } = await this.act(at, of, action, body)
    expect([200, 201], JSON.stringify(record)).toContain(status)
    return record
  }

  /** A call of the platform with the store's certificate. @param suffix below the store's address */
  send(
    { store, certified }: KnownStore,
    suffix: string,
    body: object = {},
    given?: Certified | null,
  ): Promise<Answered> {
    const request_metadata = { sap_tenant_id: store.sap_tenant_id }
    return this.raw(store, suffix, { request_metadata, ...body }, given === undefined ? certified : given)
  }

  raw(store: any, suffix: string, body: object, identity: Certified | null): Promise<Answered> {
    const { pathname } = new URL(store.keystore_url as string)
    return requestOverTls(this.vault.service, identity ?? undefined, 'POST', `${pathname}/${suffix}`, { body })
  }

  /** A call on a key. */
  call(of: KnownStore, { id }: any, call: string, body: object = {}): Promise<Answered> {
    return this.send(of, `keys/${id as string}/${call}`, body)
  }

  async calls(of: KnownStore, key: any, call: string, body: object = {}): Promise<any> {
    const answered = await this.call(of, key, call, body)
    expect(answered.status, JSON.stringify(answered.body)).toBe(200)
    return answered.body
  }
}

/** The tests of one file; `options` as in `useService`. */
export function useDatacust(options?: Partial<DeploymentOptions>): () => DatacustTests {
  const vault = useVault(options)
  let tests: DatacustTests | undefined
  return () => (tests ??= new DatacustTests(vault()))
}

export const base64 = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64')
export const bytesOf = (text: unknown): Buffer => Buffer.from(String(text), 'base64')
