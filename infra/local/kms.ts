import { randomBytes } from 'node:crypto'
import { LOCAL_ACCOUNT } from './account.ts'
import { serveJson, type JsonAction } from '../simulators/toolkit/aws/json-service.ts'
import { ServiceError } from '../simulators/toolkit/service-error.ts'
import { openBlob, readBlob, sealBlob, type EncryptionContext } from '../simulators/toolkit/aws/kms-blob.ts'
import type { RootKey } from './root-key.ts'

type KeyState = 'Enabled' | 'Disabled' | 'PendingDeletion'

export interface Kms {
  readonly endpoint: string
  readonly keyArn: (id: string) => string
  /** Puts a key into another state, as an administrator of the real service could at any time. */
  readonly setState: (id: string, state: KeyState) => void
  readonly stop: () => Promise<void>
}

interface HeldKey extends RootKey {
  state: KeyState
}

type Input = Record<string, unknown>

/** Limits of the real service's API reference. */
const LIMITS = { plaintextBytes: 4096, blobBytes: 6144, randomBytes: 1024, keyIdLength: 2048 } as const
const DATA_KEY_BYTES: Readonly<Record<string, number>> = { AES_128: 16, AES_256: 32 }
const ALGORITHM = 'SYMMETRIC_DEFAULT'
const ARN_PREFIX = `arn:aws:kms:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}:`

const invalid = (message: string) => new ServiceError('ValidationException', message)

/**
 * A stand-in for KMS over its own wire protocol, with real cryptography, for symmetric keys only.
 * @param options.aliases `alias/<name>` to key id
 */
export async function startKms(options: {
  keys: readonly RootKey[]
  aliases?: Readonly<Record<string, string>>
}): Promise<Kms> {
  const keys = new Map<string, HeldKey>(options.keys.map((key) => [key.id, { ...key, state: 'Enabled' }]))
  const service = await serveJson('TrentService', kmsActions(keys, new Map(Object.entries(options.aliases ?? {}))))
  return {
    endpoint: service.endpoint,
    keyArn,
    setState: (id, state) => {
      const key = keys.get(id)
      if (key === undefined) throw new Error(`There is no key ${id}.`)
      key.state = state
    },
    stop: service.stop,
  }
}

const keyArn = (id: string): string => `${ARN_PREFIX}key/${id}`

function kmsActions(keys: Map<string, HeldKey>, aliases: Map<string, string>): Record<string, JsonAction> {
  const find = (input: Input, field = 'KeyId') => findKey(keys, aliases, input, field)
  const seal = (key: HeldKey, plaintext: Buffer, context: EncryptionContext) => {
    const version = key.versions.length - 1
    const material = key.versions[version]
    if (material === undefined) throw new ServiceError('KMSInternalException', 'The key has no material.', 500)
    return sealBlob({ id: key.id, version, material }, plaintext, context).toString('base64')
  }
  const open = (input: Input, keyField: string, contextField: string) =>
    openWithKey(keys, input[keyField] === undefined ? undefined : find(input, keyField), input, contextField)
  const dataKey = (input: Input) => {
    const key = usable(find(input))
    const plaintext = randomBytes(dataKeyBytes(input))
    const CiphertextBlob = seal(key, plaintext, contextOf(input, 'EncryptionContext'))
    stopDryRun(input)
    return { CiphertextBlob, Plaintext: plaintext.toString('base64'), KeyId: keyArn(key.id) }
  }
  return {
    GenerateDataKey: dataKey,
    GenerateDataKeyWithoutPlaintext: (input) => {
      const { CiphertextBlob, KeyId } = dataKey(input)
      return { CiphertextBlob, KeyId }
    },
    Encrypt: (input) => {
      const key = usable(find(input))
      algorithmOf(input, 'EncryptionAlgorithm')
      const CiphertextBlob = seal(
        key,
        bytesOf(input, 'Plaintext', LIMITS.plaintextBytes),
        contextOf(input, 'EncryptionContext'),
      )
      stopDryRun(input)
      return { CiphertextBlob, KeyId: keyArn(key.id), EncryptionAlgorithm: ALGORITHM }
    },
    Decrypt: (input) => {
      algorithmOf(input, 'EncryptionAlgorithm')
      const { key, plaintext } = open(input, 'KeyId', 'EncryptionContext')
      stopDryRun(input)
      return { KeyId: keyArn(key.id), Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: ALGORITHM }
    },
    ReEncrypt: (input) => {
      algorithmOf(input, 'SourceEncryptionAlgorithm')
      algorithmOf(input, 'DestinationEncryptionAlgorithm')
      const destination = usable(find(input, 'DestinationKeyId'))
      const { key: source, plaintext } = open(input, 'SourceKeyId', 'SourceEncryptionContext')
      const CiphertextBlob = seal(destination, plaintext, contextOf(input, 'DestinationEncryptionContext'))
      stopDryRun(input)
      return {
        CiphertextBlob,
        SourceKeyId: keyArn(source.id),
        KeyId: keyArn(destination.id),
        SourceEncryptionAlgorithm: ALGORITHM,
        DestinationEncryptionAlgorithm: ALGORITHM,
      }
    },
    DescribeKey: (input) => ({ KeyMetadata: describe(find(input)) }),
    GenerateRandom: (input) => ({ Plaintext: randomBytes(countOf(input.NumberOfBytes)).toString('base64') }),
  }
}

/** By id, `alias/<name>`, or the ARN of either. */
function findKey(keys: Map<string, HeldKey>, aliases: Map<string, string>, input: Input, field: string): HeldKey {
  const given = input[field]
  if (typeof given !== 'string' || given === '' || given.length > LIMITS.keyIdLength) {
    throw invalid(
      `1 validation error detected: Value at '${field}' must have length between 1 and ${LIMITS.keyIdLength}`,
    )
  }
  let name = given
  if (given.startsWith('arn:')) {
    if (!given.startsWith(ARN_PREFIX)) throw new ServiceError('NotFoundException', `Invalid arn ${given}`)
    name = given.slice(ARN_PREFIX.length)
    if (name.startsWith('key/')) name = name.slice('key/'.length)
  }
  const key = keys.get(name.startsWith('alias/') ? (aliases.get(name) ?? '') : name)
  if (key !== undefined) return key
  const what = name.startsWith('alias/')
    ? `Alias ${ARN_PREFIX}${name} is not found.`
    : `Key '${keyArn(name)}' does not exist`
  throw new ServiceError('NotFoundException', what)
}

function usable(key: HeldKey): HeldKey {
  if (key.state === 'Disabled') throw new ServiceError('DisabledException', `${keyArn(key.id)} is disabled.`)
  if (key.state === 'PendingDeletion') {
    throw new ServiceError('KMSInvalidStateException', `${keyArn(key.id)} is pending deletion.`)
  }
  return key
}

function openWithKey(keys: Map<string, HeldKey>, named: HeldKey | undefined, input: Input, contextField: string) {
  const blob = bytesOf(input, 'CiphertextBlob', LIMITS.blobBytes)
  const context = contextOf(input, contextField)
  const sealedBy = readBlob(blob)
  if (sealedBy === undefined) throw new ServiceError('InvalidCiphertextException', '')
  if (named !== undefined && named.id !== sealedBy.id) {
    throw new ServiceError(
      'IncorrectKeyException',
      'The key ID in the request does not identify the key of this ciphertext.',
    )
  }
  const key = keys.get(sealedBy.id)
  if (key === undefined) {
    throw new ServiceError(
      'AccessDeniedException',
      'The ciphertext refers to a key that does not exist, or is not yours to use.',
    )
  }
  usable(key)
  const material = key.versions[sealedBy.version]
  const plaintext = material && openBlob(material, blob, context)
  if (plaintext === undefined) throw new ServiceError('InvalidCiphertextException', '')
  return { key, plaintext }
}

function dataKeyBytes({ KeySpec, NumberOfBytes }: Input): number {
  if ((KeySpec === undefined) === (NumberOfBytes === undefined)) {
    throw invalid('Please specify either number of bytes or key spec.')
  }
  if (KeySpec === undefined) return countOf(NumberOfBytes)
  const bytes =
    typeof KeySpec === 'string' && Object.hasOwn(DATA_KEY_BYTES, KeySpec) ? DATA_KEY_BYTES[KeySpec] : undefined
  if (bytes === undefined) throw invalid("Value at 'keySpec' must satisfy enum value set: [AES_256, AES_128]")
  return bytes
}

function countOf(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= LIMITS.randomBytes) return value
  throw invalid(`Value at 'numberOfBytes' must be between 1 and ${LIMITS.randomBytes}`)
}

function bytesOf(input: Input, field: string, most: number): Buffer {
  const value = input[field]
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : Buffer.alloc(0)
  if (bytes.length >= 1 && bytes.length <= most) return bytes
  throw invalid(`1 validation error detected: Value at '${field}' must have length between 1 and ${most}`)
}

function contextOf(input: Input, field: string): EncryptionContext {
  const context = input[field] ?? {}
  const sound = typeof context === 'object' && Object.values(context).every((value) => typeof value === 'string')
  if (!sound || Array.isArray(context))
    throw new ServiceError('SerializationException', `${field} is a map of strings.`)
  return context as EncryptionContext
}

function algorithmOf(input: Input, field: string): void {
  if ((input[field] ?? ALGORITHM) === ALGORITHM) return
  throw new ServiceError('InvalidKeyUsageException', `${String(input[field])} does not fit a symmetric key.`)
}

function stopDryRun(input: Input): void {
  if (input.DryRun === true) {
    throw new ServiceError(
      'DryRunOperationException',
      'The request would have succeeded, but the DryRun option is set.',
    )
  }
}

const describe = ({ id, createdAt, state }: HeldKey) => ({
  AWSAccountId: LOCAL_ACCOUNT.id,
  KeyId: id,
  Arn: keyArn(id),
  CreationDate: createdAt.getTime() / 1000,
  Enabled: state === 'Enabled',
  Description: '',
  KeyUsage: 'ENCRYPT_DECRYPT',
  KeyState: state,
  Origin: 'AWS_KMS',
  KeyManager: 'CUSTOMER',
  CustomerMasterKeySpec: ALGORITHM,
  KeySpec: ALGORITHM,
  EncryptionAlgorithms: [ALGORITHM],
  MultiRegion: false,
})
