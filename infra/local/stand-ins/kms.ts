import { randomBytes } from 'node:crypto'
import { LOCAL_ACCOUNT } from './account.ts'
import { authorize } from './authorize.ts'
import { serveJson, type JsonAction } from '../../simulators/toolkit/aws/json-service.ts'
import { blob, integer, optionalChoice, optionalInteger, text, texts } from '../../simulators/toolkit/aws/input.ts'
import type { Input } from '../../simulators/toolkit/aws/input.ts'
import { ServiceError, validation } from '../../simulators/toolkit/service-error.ts'
import { openBlob, readBlob, sealBlob, type EncryptionContext } from '../../simulators/toolkit/aws/kms-blob.ts'
import type { RootKey } from './root-key.ts'

type KeyState = 'Enabled' | 'Disabled' | 'PendingDeletion'

export interface Kms {
  readonly endpoint: string
  readonly keyArn: (id: string) => string
  /** Changes the state of a key, as an administrator of the real service could at any time. */
  readonly setState: (id: string, state: KeyState) => void
  readonly stop: () => Promise<void>
}

interface HeldKey extends RootKey {
  state: KeyState
}

/** Limits from the API reference of the real service. */
const PLAINTEXT = { max: 4096 }
const BLOB = { max: 6144 }
const COUNT = { min: 1, max: 1024 }
const KEY_ID = { max: 2048 }
const DATA_KEY_BYTES = { AES_128: 16, AES_256: 32 } as const
const ALGORITHM = 'SYMMETRIC_DEFAULT'
const ARN_PREFIX = `arn:aws:kms:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}:`

/**
 * A stand-in for KMS over its wire protocol, with real cryptography, for symmetric keys only.
 * @param options.aliases `alias/<name>` to key id
 */
export async function startKms(options: {
  keys: readonly RootKey[]
  aliases?: Readonly<Record<string, string>>
}): Promise<Kms> {
  const keys = new Map<string, HeldKey>(options.keys.map((key) => [key.id, { ...key, state: 'Enabled' }]))
  const actions = kmsActions(keys, new Map(Object.entries(options.aliases ?? {})))
  const service = await serveJson('TrentService', actions, { authorize })
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
    const CiphertextBlob = seal(key, plaintext, texts(input, 'EncryptionContext'))
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
      requireAlgorithm(input, 'EncryptionAlgorithm')
      const CiphertextBlob = seal(key, blob(input, 'Plaintext', PLAINTEXT), texts(input, 'EncryptionContext'))
      stopDryRun(input)
      return { CiphertextBlob, KeyId: keyArn(key.id), EncryptionAlgorithm: ALGORITHM }
    },
    Decrypt: (input) => {
      requireAlgorithm(input, 'EncryptionAlgorithm')
      const { key, plaintext } = open(input, 'KeyId', 'EncryptionContext')
      stopDryRun(input)
      return { KeyId: keyArn(key.id), Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: ALGORITHM }
    },
    ReEncrypt: (input) => {
      requireAlgorithm(input, 'SourceEncryptionAlgorithm')
      requireAlgorithm(input, 'DestinationEncryptionAlgorithm')
      const destination = usable(find(input, 'DestinationKeyId'))
      const { key: source, plaintext } = open(input, 'SourceKeyId', 'SourceEncryptionContext')
      const CiphertextBlob = seal(destination, plaintext, texts(input, 'DestinationEncryptionContext'))
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
    GenerateRandom: (input) => ({ Plaintext: randomBytes(integer(input, 'NumberOfBytes', COUNT)).toString('base64') }),
  }
}

/** By id, `alias/<name>`, or the ARN of either. */
function findKey(keys: Map<string, HeldKey>, aliases: Map<string, string>, input: Input, field: string): HeldKey {
  const given = text(input, field, KEY_ID)
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
  const ciphertext = blob(input, 'CiphertextBlob', BLOB)
  const context = texts(input, contextField)
  const sealedBy = readBlob(ciphertext)
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
  const plaintext = material && openBlob(material, ciphertext, context)
  if (plaintext === undefined) throw new ServiceError('InvalidCiphertextException', '')
  return { key, plaintext }
}

function dataKeyBytes(input: Input): number {
  const spec = optionalChoice(input, 'KeySpec', ['AES_256', 'AES_128'])
  const count = optionalInteger(input, 'NumberOfBytes', COUNT)
  if (spec !== undefined && count === undefined) return DATA_KEY_BYTES[spec]
  if (spec === undefined && count !== undefined) return count
  throw validation('Please specify either number of bytes or key spec.')
}

function requireAlgorithm(input: Input, field: string): void {
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
