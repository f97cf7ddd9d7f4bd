import { createHash } from 'node:crypto'
import { fieldsOf } from '../../toolkit/json-body.ts'
import type { Call } from '../wire/call.ts'
import type { ProxyConfiguration } from './key-stores.ts'
import { ProxyFault } from './proxy-faults.ts'

/** The key of a store in the cloud, with its external key. */
export interface ExternalKey {
  readonly proxy: ProxyConfiguration
  readonly xksKeyId: string
  /** ARN of the key in the cloud. */
  readonly arn: string
}

/** A proxy's answer to Encrypt; Decrypt sends it back. */
export interface ExternalCiphertext {
  readonly ciphertext: Buffer
  readonly iv: Buffer
  readonly tag: Buffer
  /** Empty if the proxy sends none. */
  readonly metadata: Buffer
}

type Answer = Readonly<Record<string, unknown>>

const IV_BYTES = [12, 16]
const TAG_BYTES = 16
const MAX_METADATA_BYTES = 20
const MAX_FLEET = 10
const MAX_USAGES = 10
const FLEET_STATES = ['ACTIVE', 'DEGRADED', 'UNAVAILABLE']
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** GetHealthStatus. @throws ProxyFault also when the proxy reports no usable key manager */
export async function checkHealth(call: Call, proxy: ProxyConfiguration): Promise<void> {
  const { requestId: kmsRequestId, operation: kmsOperation, caller } = call
  const requestMetadata = { kmsRequestId, kmsOperation }
  const body = { requestMetadata }
  const answer = await call.proxies.send({ proxy, region: caller.region, path: '/health', body })
  const { xksProxyFleetSize: size, ekmFleetDetails: fleet } = answer
  const names = ['xksProxyVendor', 'xksProxyModel', 'ekmVendor']
  must(Number.isInteger(size) && Number(size) > 0 && names.every((name) => isText(answer[name])))
  must(Array.isArray(fleet) && fleet.length >= 1 && fleet.length <= MAX_FLEET && fleet.every(isManager))
  if (fleet.every(({ healthStatus }) => healthStatus === 'UNAVAILABLE')) throw new ProxyFault('all-unavailable')
}

/** GetKeyMetadata: whether the cloud can use the key. */
export async function isUsable(call: Call, key: ExternalKey): Promise<boolean> {
  const { keySpec, keyUsage, keyStatus } = await sendFor(call, key, 'metadata', {})
  must(isText(keySpec) && (keyStatus === 'ENABLED' || keyStatus === 'DISABLED'))
  must(Array.isArray(keyUsage) && keyUsage.length <= MAX_USAGES && keyUsage.every(isText))
  return (
    keySpec === 'AES_256' && keyStatus === 'ENABLED' && keyUsage.includes('ENCRYPT') && keyUsage.includes('DECRYPT')
  )
}

/** Encrypt, with the proxy's guarantee that the same values will decrypt. @param aad omitted when empty */
export async function encryptOutside(
  call: Call,
  key: ExternalKey,
  plaintext: Buffer,
  aad: Buffer,
): Promise<ExternalCiphertext> {
  const answer = await sendFor(call, key, 'encrypt', {
    plaintext: plaintext.toString('base64'),
    encryptionAlgorithm: 'AES_GCM',
    ...unlessEmpty('additionalAuthenticatedData', aad),
    ciphertextDataIntegrityValueAlgorithm: 'SHA_256',
  })
  const ciphertext = bytesIn(answer, 'ciphertext')
  const iv = bytesIn(answer, 'initializationVector')
  const tag = bytesIn(answer, 'authenticationTag')
  const given = answer.ciphertextMetadata
  const metadata = given === undefined ? Buffer.alloc(0) : bytesIn(answer, 'ciphertextMetadata')
  must(ciphertext.length === plaintext.length && IV_BYTES.includes(iv.length) && tag.length === TAG_BYTES)
  must(metadata.length <= MAX_METADATA_BYTES)
  const integrity = createHash('sha256')
    .update(Buffer.concat([aad, metadata, iv, ciphertext, tag]))
    .digest()
  must(bytesIn(answer, 'ciphertextDataIntegrityValue').equals(integrity))
  return { ciphertext, iv, tag, metadata }
}

/** Decrypt. */
export async function decryptOutside(
  call: Call,
  key: ExternalKey,
  { ciphertext, iv, tag, metadata }: ExternalCiphertext,
  aad: Buffer,
): Promise<Buffer> {
  const answer = await sendFor(call, key, 'decrypt', {
    ciphertext: ciphertext.toString('base64'),
    initializationVector: iv.toString('base64'),
    authenticationTag: tag.toString('base64'),
    encryptionAlgorithm: 'AES_GCM',
    ...unlessEmpty('additionalAuthenticatedData', aad),
    ...unlessEmpty('ciphertextMetadata', metadata),
  })
  const plaintext = bytesIn(answer, 'plaintext')
  must(plaintext.length === ciphertext.length)
  return plaintext
}

/** The request names no VPC and no calling service: calls to the simulator never come through one. */
function sendFor(call: Call, { proxy, xksKeyId, arn }: ExternalKey, operation: string, input: object) {
  const { requestId: kmsRequestId, operation: kmsOperation, caller } = call
  const requestMetadata = { awsPrincipalArn: caller.arn, kmsRequestId, kmsOperation, kmsKeyArn: arn }
  const path = `/keys/${xksKeyId}/${operation}`
  return call.proxies.send({ proxy, region: caller.region, path, body: { requestMetadata, ...input } })
}

/** @throws ProxyFault `malformed` */
function must(holds: boolean): asserts holds {
  if (!holds) throw new ProxyFault('malformed')
}

const isText = (value: unknown): value is string => typeof value === 'string'

function isManager(value: unknown): value is { readonly healthStatus: string } {
  const { id, model, healthStatus } = fieldsOf(value)
  return isText(id) && isText(model) && isText(healthStatus) && FLEET_STATES.includes(healthStatus)
}

const unlessEmpty = (name: string, bytes: Buffer): object =>
  bytes.length === 0 ? {} : { [name]: bytes.toString('base64') }

function bytesIn(answer: Answer, name: string): Buffer {
  const value = answer[name]
  must(isText(value) && BASE64.test(value))
  return Buffer.from(value, 'base64')
}
