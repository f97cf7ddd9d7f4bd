import { randomUUID } from 'node:crypto'
import { OutboundFault, type Outbound, type OutboundAnswer } from '../../toolkit/outbound.ts'
import type { Issued } from '../../toolkit/x509.ts'
import { isObject, type Body } from '../wire/body.ts'
import { bytesIn, flagIn, numberIn, textIn, versionIn, versionsIn, wordIn, type StoreVersion } from './answers.ts'
import { malformed, StoreFault } from './store-fault.ts'

/** How the platform calls a customer-held key store. */
export interface StoreAddress {
  readonly url: string
  /** Client certificate; default: none. */
  readonly client?: Issued | undefined
  /** Members of `request_metadata`; default: none at all. */
  readonly metadata?: Body | undefined
}

export interface StoreKeyMetadata {
  readonly keyId: string
  readonly versionId: string
  readonly state: string
  readonly operations: readonly string[]
  readonly spec: (typeof KEY_SPECS)[number]
}

/** Encrypted data; the answer to an encryption as it arrived can be sent back. */
export interface Sealed {
  readonly ciphertext: Buffer
  readonly iv: Buffer
  readonly tag: Buffer
  readonly aad?: Buffer | undefined
  readonly versionId: string
}

export interface Message {
  readonly algorithm: string
  readonly type?: 'RAW' | 'DIGEST'
  readonly message: Buffer
  readonly versionId?: string
}

/** Every call of the platform to a key store. Each checks the answer. @throws StoreFault */
export interface StoreClient {
  /** Sends any body to a suffix, and checks nothing. */
  readonly send: (suffix: string, body: unknown) => Promise<OutboundAnswer>
  readonly metadata: () => Promise<{ readonly id: string; readonly tenantId: string; readonly state: string }>
  readonly keyMetadata: (key: string) => Promise<StoreKeyMetadata>
  readonly versions: (key: string, asked?: Body) => Promise<{ total: number; versions: readonly StoreVersion[] }>
  readonly publicKey: (key: string, versionId?: string) => Promise<{ pem: string; versionId: string }>
  readonly encrypt: (key: string, plaintext: Buffer, aad?: Buffer, versionId?: string) => Promise<Sealed>
  readonly decrypt: (key: string, sealed: Sealed) => Promise<Buffer>
  readonly randomBytes: (key: string, length: number) => Promise<Sealed & { readonly plaintext: Buffer }>
  readonly asymmetricEncrypt: (
    key: string,
    algorithm: string,
    plaintext: Buffer,
  ) => Promise<{ readonly ciphertext: Buffer; readonly versionId: string }>
  readonly asymmetricDecrypt: (
    key: string,
    algorithm: string,
    sealed: { readonly ciphertext: Buffer; readonly versionId: string },
  ) => Promise<Buffer>
  readonly sign: (key: string, message: Message) => Promise<{ readonly signature: Buffer; readonly versionId: string }>
  readonly verify: (key: string, message: Message & { readonly signature: Buffer }) => Promise<boolean>
}

export const KEY_SPECS = ['AES_256', 'RSA_3072', 'RSA_4096'] as const
const KEY_STATES = ['Enabled', 'Disabled', 'Archived'] as const
const TIMEOUT_MS = 10_000
const IV_BYTES = 12
const TAG_BYTES = 16

const base64 = (bytes: Buffer): string => bytes.toString('base64')
const withVersion = (versionId: string | undefined) => (versionId === undefined ? {} : { key_version_id: versionId })
const withAad = (aad: Buffer | undefined) => (aad === undefined ? {} : { aad: base64(aad) })

export function openStoreClient(outbound: Outbound, { url, client, metadata }: StoreAddress): StoreClient {
  const send = async (suffix: string, body: unknown): Promise<OutboundAnswer> => {
    try {
      return await outbound.send({
        ...{ method: 'POST', url: `${url}${suffix}`, timeoutMs: TIMEOUT_MS, client, body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json', accept: 'application/json' },
      })
    } catch (error) {
      if (error instanceof OutboundFault) throw new StoreFault(error.problem, String(error.cause))
      throw error
    }
  }
  const ask = async (suffix: string, body: Body = {}): Promise<Body> => {
    const known = metadata && { request_metadata: { sap_request_id: randomUUID(), ...metadata } }
    return answerOf(await send(suffix, { ...known, ...body }))
  }
  const onKey = (key: string, operation: string, body: Body) => ask(`/keys/${key}/${operation}`, body)
  return {
    send,
    metadata: async () => {
      const answer = await ask('/get-metadata')
      const state = wordIn(answer, 'state', ['ACTIVE'])
      return { id: textIn(answer, 'keystore_id'), tenantId: textIn(answer, 'sap_tenant_id'), state }
    },
    keyMetadata: async (key) => keyMetadataIn(await onKey(key, 'get-metadata', {}), key),
    versions: async (key, asked = {}) => {
      const answer = await onKey(key, 'get-versions-metadata', asked)
      const versions = versionsIn(answer)
      const [skip, limit, total] = ['skip', 'limit', 'total'].map((name) => numberIn(answer, name))
      if (skip !== (asked.skip ?? 0) || limit !== (asked.limit ?? 10)) throw malformed('another page')
      return { total: total ?? 0, versions }
    },
    publicKey: async (key, versionId) => {
      const answer = await onKey(key, 'get-public-key', withVersion(versionId))
      return { pem: textIn(answer, 'public_key'), versionId: versionIn(answer, versionId) }
    },
    encrypt: async (key, plaintext, aad, versionId) => {
      const body = { plaintext: base64(plaintext), ...withAad(aad), ...withVersion(versionId) }
      const answer = await onKey(key, 'symmetric-encrypt', body)
      if ((answer.aad ?? undefined) !== (aad?.length ? base64(aad) : undefined)) throw malformed('aad is another one')
      return { ...sealedIn(answer, plaintext.length, versionId), aad }
    },
    decrypt: async (key, sealed) => {
      const answer = await onKey(key, 'symmetric-decrypt', unsealing(sealed))
      versionIn(answer, sealed.versionId)
      return bytesIn(answer, 'plaintext', sealed.ciphertext.length)
    },
    randomBytes: async (key, length) => {
      const answer = await onKey(key, 'generate-random-bytes', { length })
      return { ...sealedIn(answer, length), plaintext: bytesIn(answer, 'plaintext', length) }
    },
    asymmetricEncrypt: async (key, algorithm, plaintext) => {
      const answer = await onKey(key, 'asymmetric-encrypt', { plaintext: base64(plaintext), algorithm })
      wordIn(answer, 'algorithm', [algorithm])
      return { ciphertext: bytesIn(answer, 'ciphertext'), versionId: versionIn(answer) }
    },
    asymmetricDecrypt: async (key, algorithm, { ciphertext, versionId }) => {
      const body = { ciphertext: base64(ciphertext), algorithm, ...withVersion(versionId) }
      const answer = await onKey(key, 'asymmetric-decrypt', body)
      versionIn(answer, versionId)
      return bytesIn(answer, 'plaintext')
    },
    sign: async (key, message) => {
      const answer = await onKey(key, 'asymmetric-sign', messageBody(message))
      wordIn(answer, 'algorithm', [message.algorithm])
      return { signature: bytesIn(answer, 'signature'), versionId: versionIn(answer, message.versionId) }
    },
    verify: async (key, { signature, ...message }) => {
      const answer = await onKey(key, 'asymmetric-verify', { ...messageBody(message), signature: base64(signature) })
      versionIn(answer, message.versionId)
      return flagIn(answer, 'signature_valid')
    },
  }
}

const messageBody = ({ algorithm, type, message, versionId }: Message): Body => ({
  ...{ algorithm, message: base64(message), ...withVersion(versionId) },
  ...(type !== undefined && { message_type: type }),
})

const unsealing = ({ ciphertext, iv, tag, aad, versionId }: Sealed): Body => ({
  ...{ ciphertext: base64(ciphertext), iv: base64(iv), tag: base64(tag) },
  ...withAad(aad),
  ...withVersion(versionId),
})

const sealedIn = (answer: Body, length: number, versionId?: string): Sealed => ({
  ciphertext: bytesIn(answer, 'ciphertext', length),
  iv: bytesIn(answer, 'iv', IV_BYTES),
  tag: bytesIn(answer, 'tag', TAG_BYTES),
  versionId: versionIn(answer, versionId),
})

function keyMetadataIn(answer: Body, key: string): StoreKeyMetadata {
  const { key_ops: operations } = answer
  if (textIn(answer, 'key_id') !== key) throw malformed('key_id is another one')
  if (!Array.isArray(operations) || operations.length === 0) throw malformed('key_ops is no list')
  return {
    keyId: key,
    versionId: versionIn(answer),
    state: wordIn(answer, 'state', KEY_STATES),
    operations: operations.map(String),
    spec: wordIn(answer, 'key_spec', KEY_SPECS),
  }
}

/** The object in an answer with status 200 that must not be stored. @throws StoreFault */
function answerOf({ status, headers, text }: OutboundAnswer): Body {
  if (status !== 200) throw new StoreFault('refused', `status ${status}`, { status, text })
  if (!/\bno-store\b/.test(headers['cache-control'] ?? '')) throw malformed('the answer may be cached')
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // thrown below
  }
  throw malformed('the answer is no JSON object')
}
