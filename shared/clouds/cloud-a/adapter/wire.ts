import type {
  AliasListEntry,
  GetKeyRotationStatusResponse,
  KeyMetadata,
  RotationsListEntry,
  Tag,
} from '@aws-sdk/client-kms'
import { defined } from '../../../base/fields.ts'
import { jsonOf } from '../../../base/json.ts'
import { CloudAParam } from '../keys/model.ts'
import { timeRead } from '../../../cloud/adapter/dates.ts'
import { formed } from './errors.ts'
import type { CloudARotation } from './types.ts'

export const ALIAS_PREFIX = 'alias/'

/** The cloud's complete description of one key; parts that we may not read are absent. */
export interface KeyReplies {
  readonly metadata: KeyMetadata
  readonly aliases: readonly string[]
  readonly tags?: readonly Tag[] | undefined
  /** JSON text */
  readonly policy?: string | undefined
  readonly rotation?: GetKeyRotationStatusResponse | undefined
}

/** The cloud's words that have a neutral form. */
const ORIGINS: Readonly<Record<string, string>> = { AWS_KMS: 'CLOUD_A_KMS', AWS_CLOUDHSM: 'CLOUD_A_HSM' }
const MANAGERS: Readonly<Record<string, string>> = { AWS: 'CLOUD_A' }

const neutral = (words: Readonly<Record<string, string>>, word: string | undefined): string | undefined =>
  word === undefined ? undefined : (words[word] ?? word)
const inOrder = (words: readonly string[] | undefined): string[] | undefined => words && [...words].sort()
const by =
  <T>(key: (value: T) => string | undefined) =>
  (a: T, b: T): number =>
    (key(a) ?? '') < (key(b) ?? '') ? -1 : 1

/** An alias as the interface spells it. */
export const shortAlias = ({ AliasName = '' }: AliasListEntry): string => AliasName.slice(ALIAS_PREFIX.length)

function replicasOf({ MultiRegionConfiguration: shape }: KeyMetadata): CloudAParam['MultiRegionConfiguration'] {
  if (shape === undefined) return undefined
  const { MultiRegionKeyType, PrimaryKey, ReplicaKeys } = shape
  return defined({
    MultiRegionKeyType,
    PrimaryKey: PrimaryKey && defined(PrimaryKey),
    ReplicaKeys: ReplicaKeys && [...ReplicaKeys].sort(by(({ Region }) => Region)).map(defined),
  })
}

/**
 * The interface's description of a key: fields in the order of its schema, lists sorted, times in UTC.
 * @throws Refusal CLOUD_UNREADABLE for a reply without the fields that every key has
 */
export function paramOf({ metadata, aliases, tags = [], policy, rotation }: KeyReplies): CloudAParam {
  return formed(
    CloudAParam,
    defined({
      AccountId: metadata.AWSAccountId,
      Arn: metadata.Arn,
      KeyID: metadata.KeyId,
      CustomerMasterKeySpec: metadata.KeySpec,
      KeyUsage: metadata.KeyUsage,
      KeyState: metadata.KeyState,
      Enabled: metadata.Enabled ?? false,
      KeyManager: neutral(MANAGERS, metadata.KeyManager),
      Origin: neutral(ORIGINS, metadata.Origin),
      Description: metadata.Description,
      CreationDate: timeRead(metadata.CreationDate),
      DeletionDate: timeRead(metadata.DeletionDate),
      ValidTo: timeRead(metadata.ValidTo),
      ExpirationModel: metadata.ExpirationModel,
      EncryptionAlgorithms: inOrder(metadata.EncryptionAlgorithms),
      SigningAlgorithms: inOrder(metadata.SigningAlgorithms),
      MacAlgorithms: inOrder(metadata.MacAlgorithms),
      KeyAgreementAlgorithms: inOrder(metadata.KeyAgreementAlgorithms),
      MultiRegion: metadata.MultiRegion,
      MultiRegionConfiguration: replicasOf(metadata),
      XksKeyConfiguration: metadata.XksKeyConfiguration,
      CurrentKeyMaterialId: metadata.CurrentKeyMaterialId,
      CustomKeyStoreId: metadata.CustomKeyStoreId,
      Policy: policy === undefined ? undefined : jsonOf(policy),
      Alias: inOrder(aliases),
      Tags: [...tags].sort(by(({ TagKey }) => TagKey)),
      KeyRotationEnabled: rotation?.KeyRotationEnabled,
      RotationPeriodInDays: rotation?.RotationPeriodInDays,
      NextRotationDate: timeRead(rotation?.NextRotationDate),
      OnDemandRotationStartDate: timeRead(rotation?.OnDemandRotationStartDate),
    }),
  )
}

export const rotationOf = (entry: RotationsListEntry): CloudARotation =>
  defined({
    KeyMaterialId: entry.KeyMaterialId,
    KeyMaterialState: entry.KeyMaterialState,
    KeyMaterialDescription: entry.KeyMaterialDescription,
    ImportState: entry.ImportState,
    RotationType: entry.RotationType,
    RotationDate: timeRead(entry.RotationDate),
    ExpirationModel: entry.ExpirationModel,
    ValidTo: timeRead(entry.ValidTo),
  })

const PEM_LINE = /.{1,64}/g

/** SubjectPublicKeyInfo as PEM (RFC 7468 §13), of any algorithm, even if our runtime does not know it. */
export const publicPem = (der: Uint8Array): string =>
  [
    '-----BEGIN PUBLIC KEY-----',
    ...(Buffer.from(der).toString('base64').match(PEM_LINE) ?? []),
    '-----END PUBLIC KEY-----',
    '',
  ].join('\n')
