import { randomBytes } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import type { DeploymentOptions } from '../../../../infra/local/deployment.ts'
import { SecretBytes } from '../../../../shared/crypto/secret-bytes.ts'
import { ROOT_DOMAIN_ID } from '../../../../shared/base/ids.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { cloudAKeys } from '../../../../shared/clouds/cloud-a/keys/store.ts'
import {
  customKeyStores,
  proxyEndpoints,
  PROXY_ENDPOINTS_DOMAIN,
  type StoredCustomKeyStore,
} from '../../../../shared/clouds/cloud-a/key-stores/store.ts'
import {
  credentialFor,
  hostedKeyRecord,
  keyStoreRecord,
  proxyPathOf,
  type Credential,
} from '../../../support/key-stores.ts'
import { logRecords, type LineCount } from '../../../support/log-records.ts'
import { jsonOf, raw } from '../../../support/raw.ts'
import { sign, stampOf, type ToSign } from '../../../support/xks-signing.ts'
import { useVault, type Vault } from '../../vault/vault.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

export const REGION = 'eu-west-1'
export const HOST = 'xks.example.test'

/** A store whose keys are hosted here, with the values that tests need. */
export interface TestStore {
  readonly id: string
  readonly path: string
  readonly region: string
  readonly credential: Credential
}

export interface XksAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly body: any
}

/** Differences between a request and a valid one. */
export interface XksOptions {
  readonly method?: string
  /** replaces the body */
  readonly body?: unknown
  /** additional unsigned headers, or replacements of signed ones */
  readonly headers?: Readonly<Record<string, string>>
  readonly signing?: Partial<ToSign>
  readonly credential?: Credential
  /** target of the request, if it differs from the signed one */
  readonly sentTo?: string
}

export const METADATA = {
  kmsRequestId: '4112f4d6-db54-4af4-ae30-c55a22a8dfae',
  kmsOperation: 'Encrypt',
  awsPrincipalArn: 'arn:aws:iam::111122223333:role/app',
  kmsKeyArn: 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
}

export type Operation = 'health' | 'metadata' | 'encrypt' | 'decrypt'

export const addressOf = (store: TestStore, operation: Operation, keyId = ''): string =>
  operation === 'health' ? `${store.path}/health` : `${store.path}/keys/${keyId}/${operation}`

/** A busy machine may pass the limit of 250 ms. The cloud asks again as well. */
const ASKED_AGAIN = 20

/** A deployment, and a store of this process on the same table, as for the management functions. */
export class XksTests {
  readonly vault: Vault

  constructor(vault: Vault) {
    this.vault = vault
    pointProcessAt(vault.service.deployment.environmentOf('triggers'))
  }

  get now(): Date {
    return this.vault.service.deployment.clock.now()
  }

  /** Creates an AES-256 local key; returns the id of its first version. */
  async localKey(body: object = {}): Promise<any> {
    const made = { name: `k-${randomBytes(6).toString('hex')}`, algorithm: 'aes', size: 256, ...body }
    return this.vault.admin.create(made)
  }

  /** Like `localKey`, with bytes that the test knows. */
  async importedKey(bytes: Buffer, body: object = {}): Promise<any> {
    return this.localKey({ material: bytes.toString('base64'), format: 'raw', encoding: 'base64', ...body })
  }

  credential(secret?: string): ReturnType<typeof credentialFor> {
    return credentialFor(ROOT_DOMAIN_ID, this.now, secret)
  }

  async store({ secret, ...options }: { local?: object; audited?: boolean; secret?: string } = {}): Promise<TestStore> {
    const { known, stored } = await this.credential(secret)
    const bytes = randomBytes(32)
    const { id } = await this.importedKey(bytes)
    const record = keyStoreRecord(ROOT_DOMAIN_ID, this.now, {
      region: REGION,
      credentials: [stored],
      health: { id: id as string, bytes: SecretBytes.from(bytes) },
      ...options,
    })
    const changes = new Changes()
    changes.create(customKeyStores, ROOT_DOMAIN_ID, record)
    changes.create(proxyEndpoints, PROXY_ENDPOINTS_DOMAIN, { id: record.id, domain: ROOT_DOMAIN_ID })
    await changes.commit(this.now)
    return { id: record.id, path: proxyPathOf(record.id), region: REGION, credential: known }
  }

  /** Creates a key of the store with this local key behind it; returns its id on the wire. */
  async hostedKey(store: TestStore, sourceKeyId: string, more: { local_key_name?: string } = {}): Promise<string> {
    const record = { ...hostedKeyRecord(ROOT_DOMAIN_ID, this.now, store, sourceKeyId), ...more }
    const changes = new Changes()
    changes.create(cloudAKeys, ROOT_DOMAIN_ID, record)
    await changes.commit(this.now)
    return record.id
  }

  /** Creates a key of the store with a new local key. */
  async key(store: TestStore, body: object = {}): Promise<{ id: string; source: any }> {
    const source = await this.localKey(body)
    return { id: await this.hostedKey(store, source.id as string), source }
  }

  async storedStore({ id }: TestStore): Promise<StoredCustomKeyStore | undefined> {
    return (await customKeyStores.get(ROOT_DOMAIN_ID, id))?.item
  }

  async changeStore({ id }: TestStore, change: (stored: StoredCustomKeyStore) => StoredCustomKeyStore): Promise<void> {
    const stored = await customKeyStores.get(ROOT_DOMAIN_ID, id)
    if (stored === undefined) throw new Error('The store is not there')
    const changes = new Changes()
    changes.update(customKeyStores, ROOT_DOMAIN_ID, stored, change(stored.item))
    await changes.commit(this.now)
  }

  block(store: TestStore, blocked: boolean): Promise<void> {
    return this.changeStore(store, (stored) => ({
      ...stored,
      ...(stored.local_hosted_params && { local_hosted_params: { ...stored.local_hosted_params, blocked } }),
    }))
  }

  async blockKey(keyId: string, blocked: boolean): Promise<void> {
    const stored = await cloudAKeys.get(ROOT_DOMAIN_ID, keyId)
    const hosted = stored?.item.local_hosted_params
    if (stored === undefined || hosted === undefined) throw new Error('The key is not there')
    const changes = new Changes()
    changes.update(cloudAKeys, ROOT_DOMAIN_ID, stored, {
      ...stored.item,
      local_hosted_params: { ...hosted, blocked },
    })
    await changes.commit(this.now)
  }

  async removeStore({ id }: TestStore): Promise<void> {
    const [stored, endpoint] = await Promise.all([
      customKeyStores.get(ROOT_DOMAIN_ID, id),
      proxyEndpoints.get(PROXY_ENDPOINTS_DOMAIN, id),
    ])
    if (stored === undefined || endpoint === undefined) throw new Error('The store is not there')
    const changes = new Changes()
    changes.remove(customKeyStores, ROOT_DOMAIN_ID, stored)
    changes.remove(proxyEndpoints, PROXY_ENDPOINTS_DOMAIN, endpoint)
    await changes.commit(this.now)
  }

  /** Advances the clock by five seconds, so that cached data of stores and keys is read again. */
  letPass(): void {
    this.vault.advance(5_001)
  }

  /** One request to an address, signed as by the cloud. */
  async send(store: TestStore, path: string, options: XksOptions = {}): Promise<XksAnswer> {
    const { method = 'POST', body: given = { requestMetadata: METADATA }, headers, signing, sentTo } = options
    const body = typeof given === 'string' || Buffer.isBuffer(given) ? given : JSON.stringify(given)
    const { accessKeyId, secret } = options.credential ?? store.credential
    const stamp = stampOf(this.now)
    const { region } = store
    const signed = sign({ method, path, body, host: HOST, accessKeyId, secret, region, stamp, ...signing })
    const {
      status,
      headers: answered,
      bytes,
    } = await raw(this.vault.service.deployment.baseUrl, {
      method,
      target: sentTo ?? path,
      headers: { 'content-type': 'application/json', ...signed.headers, ...headers },
      body: method === 'GET' || method === 'HEAD' ? undefined : body,
    })
    const text = bytes.toString()
    return {
      status,
      headers: answered,
      text,
      body: text === '' ? undefined : jsonOf({ status, headers: answered, bytes }),
    }
  }

  /** Headers of a request signed at the present time. */
  signedHeaders(given: Omit<ToSign, 'host' | 'stamp'>): Record<string, string> {
    return sign({ host: HOST, stamp: stampOf(this.now), ...given }).headers
  }

  /** The event of a valid request, for calls without the front door. */
  eventOf(store: TestStore, operation: Operation, keyId: string, fields: object): object {
    const path = addressOf(store, operation, keyId)
    const body = JSON.stringify({ requestMetadata: METADATA, ...fields })
    const { accessKeyId, secret } = store.credential
    const headers = this.signedHeaders({ path, body, accessKeyId, secret, region: store.region })
    const http = { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' }
    const requestContext = { http, requestId: 'of-a-test', timeEpoch: this.now.getTime() }
    return {
      rawPath: path,
      rawQueryString: '',
      headers: { ...headers, 'content-type': 'application/json' },
      requestContext,
      body,
      isBase64Encoded: false,
    }
  }

  /**
   * A new instance of the function, as after a crash. On a busy machine its first call may exceed the cloud's limit; it
   * is repeated, as the cloud does.
   */
  async freshInstance(store: TestStore, keyId: string): Promise<void> {
    await this.vault.service.deployment.kill('xks')
    await this.warm(store, keyId)
  }

  async warm(store: TestStore, keyId: string): Promise<void> {
    await expect.poll(async () => (await this.call(store, 'metadata', keyId)).status).toBe(200)
  }

  call(
    store: TestStore,
    operation: Operation,
    keyId = '',
    fields: object = {},
    options: XksOptions = {},
  ): Promise<XksAnswer> {
    const body = { requestMetadata: METADATA, ...fields }
    return this.send(store, addressOf(store, operation, keyId), { body, ...options })
  }

  /** The body of a call that must succeed. */
  async ok(store: TestStore, operation: Operation, keyId = '', fields: object = {}): Promise<any> {
    const ask = () => this.call(store, operation, keyId, fields)
    let { status, body } = await ask()
    for (let again = 0; status === 503 && again < ASKED_AGAIN; again++) ({ status, body } = await ask())
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }

  encrypt(store: TestStore, keyId: string, plaintext: Buffer, more: object = {}): Promise<any> {
    return this.ok(store, 'encrypt', keyId, {
      plaintext: plaintext.toString('base64'),
      encryptionAlgorithm: 'AES_GCM',
      ...more,
    })
  }

  /** Waits for this number of log lines of the data plane with these fields. */
  lines(count: LineCount, fields: object): Promise<any[]> {
    return logRecords(this.vault.service.deployment, 'xks', count, fields)
  }
}

export const refusal = (status: number, errorName: string): object =>
  expect.objectContaining({ status, body: expect.objectContaining({ errorName }) as unknown })

/** Fields of a Decrypt request for an answer of Encrypt. */
export const toDecrypt = ({ ciphertextDataIntegrityValue: _, ...parts }: any, more: object = {}): object => ({
  ...parts,
  encryptionAlgorithm: 'AES_GCM',
  ...more,
})

/** The tests of one file; `options` as in `useService`. */
export function useXks(options?: Partial<DeploymentOptions>): () => XksTests {
  const vault = useVault(options)
  let tests: XksTests | undefined
  beforeAll(() => {
    tests = new XksTests(vault())
  })
  return () => {
    if (tests === undefined) throw new Error('The deployment starts with the tests')
    return tests
  }
}
