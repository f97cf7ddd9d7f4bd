import { createHash, createHmac } from 'node:crypto'
import { ALGORITHM_MEMBERS, specRow, type KeyUsage } from './key-specs.ts'
import type { Grant } from '../grants/grants.ts'
import { arnOf, partitionOfRegion } from '../accounts/regions.ts'

export type KeyState =
  | 'Creating'
  | 'Disabled'
  | 'Enabled'
  | 'PendingDeletion'
  | 'PendingImport'
  | 'PendingReplicaDeletion'
  | 'Unavailable'
  | 'Updating'

/** One version of key material. Times are in milliseconds throughout. */
export interface Material {
  /** 64 hex characters, always the same for the same bytes in the same key. Empty until lazy bytes are generated. */
  id: string
  /** Raw bytes or PKCS #8. Absent after expiry or deletion, and while `lazy`. */
  bytes: Buffer | undefined
  /** Generated at first use, which keeps seeding and the creation of RSA keys fast. */
  lazy: boolean
  state: 'CURRENT' | 'NON_CURRENT' | 'PENDING_ROTATION'
  /** Only of imported material. */
  expiresAt: number | undefined
  description: string | undefined
  rotatedAt: number | undefined
  rotationType: 'AUTOMATIC' | 'ON_DEMAND' | undefined
}

/** The custom key store of a key. */
export interface KeyPlace {
  readonly id: string
  /** Only in a store that is a hardware cluster. */
  readonly clusterId?: string
  /** The key's id at the proxy; only in an external store. */
  readonly xksKeyId?: string
  /** State of the store at the last read of the key. */
  connected: boolean
}

/** A key of one account and region. A multi-region key has one of these per region, all with the same id. */
export interface HeldKey {
  readonly id: string
  readonly account: string
  readonly region: string
  readonly createdAt: number
  readonly spec: string
  readonly usage: KeyUsage
  readonly origin: 'AWS_KMS' | 'EXTERNAL' | 'AWS_CLOUDHSM' | 'EXTERNAL_KEY_STORE'
  /** Custom key store of the key, if any. */
  readonly keyStore: KeyPlace | undefined
  readonly manager: 'CUSTOMER' | 'AWS'
  description: string
  enabled: boolean
  /** JSON text; `undefined` means the default policy. */
  policy: string | undefined
  tags: Map<string, string>
  /** By id. */
  readonly grants: Map<string, Grant>
  /** Names of the aliases of this key. */
  readonly aliases: Set<string>
  /** Oldest first. Empty before the first import. */
  materials: Material[]
  deletionAt: number | undefined
  /** Waiting period of a primary key, which begins when its last replica is deleted. */
  replicaWaitDays: number | undefined
  rotation: { readonly periodDays: number; nextAt: number } | undefined
  /** A rotation on demand in progress. */
  rotating: { readonly startedAt: number; readsLeft: number } | undefined
  onDemandRotations: number
  /** `regions` lists all its regions, including the primary's. */
  multiRegion: { readonly primary: string; readonly regions: readonly string[] } | undefined
  transit: { readonly state: 'Creating' | 'Updating'; readonly since: number; readsLeft: number } | undefined
  /** Number of reads that do not find it yet. */
  hiddenReads: number
}

export const newKey = (
  key: Pick<HeldKey, 'id' | 'account' | 'region' | 'createdAt' | 'spec' | 'usage' | 'origin'> & Partial<HeldKey>,
): HeldKey => ({
  manager: 'CUSTOMER',
  keyStore: undefined,
  description: '',
  enabled: true,
  policy: undefined,
  tags: new Map(),
  grants: new Map(),
  aliases: new Set(),
  materials: [],
  deletionAt: undefined,
  replicaWaitDays: undefined,
  rotation: undefined,
  rotating: undefined,
  onDemandRotations: 0,
  multiRegion: undefined,
  transit: undefined,
  hiddenReads: 0,
  ...key,
})

export const newMaterial = (material: Partial<Material>): Material => ({
  id: '',
  bytes: undefined,
  lazy: false,
  state: 'CURRENT',
  expiresAt: undefined,
  description: undefined,
  rotatedAt: undefined,
  rotationType: undefined,
  ...material,
})

export const keyArn = (key: Pick<HeldKey, 'id' | 'account' | 'region'>): string =>
  arnOf('kms', key.region, key.account, `key/${key.id}`)

export const isSymmetric = (key: HeldKey): boolean => specRow(key.spec).family === 'symmetric'

/** Whether answers show the generations of a key: of symmetric keys outside of key stores. */
export const showsMaterial = (key: HeldKey): boolean => isSymmetric(key) && key.keyStore === undefined

export const isThere = ({ bytes, lazy }: Material): boolean => lazy || bytes !== undefined

export const currentMaterial = (key: HeldKey): Material | undefined =>
  key.materials.find(({ state }) => state === 'CURRENT')

/** Material that cannot be deleted from the key's history. Material that waits for a rotation can be. */
export const lastingMaterials = (key: HeldKey): Material[] =>
  key.materials.filter(({ state }) => state !== 'PENDING_ROTATION')

/** Whether the key has all its lasting material: any of it may have encrypted something. */
const isComplete = (key: HeldKey): boolean => {
  const lasting = lastingMaterials(key)
  return lasting.length > 0 && lasting.every(isThere)
}

export function stateOf(key: HeldKey): KeyState {
  if (key.deletionAt !== undefined) return 'PendingDeletion'
  if (key.replicaWaitDays !== undefined) return 'PendingReplicaDeletion'
  if (key.transit !== undefined) return key.transit.state
  if (!isComplete(key)) return 'PendingImport'
  if (key.keyStore?.connected === false) return 'Unavailable'
  return key.enabled ? 'Enabled' : 'Disabled'
}

/** The same for the same key and bytes. */
export const materialId = (keyId: string, bytes: Buffer): string =>
  createHash('sha256').update(keyId).update(bytes).digest('hex')

/**
 * Generates bytes of lazy symmetric and HMAC material. They are derived, so they are the same after a restart without
 * being stored. Private keys cannot be derived and are generated on demand (`state.ts`).
 */
export function deriveLazy(key: HeldKey, secret: Buffer): void {
  const row = specRow(key.spec)
  const length = row.family === 'symmetric' ? partitionOfRegion(key.region).symmetricBytes : row.bytes
  if (length === undefined) return
  key.materials.forEach((material, index) => {
    if (!material.lazy) return
    const derived = createHmac('sha512', secret).update(`${key.account} ${key.id} ${index}`).digest()
    material.bytes = derived.subarray(0, length)
    material.id = materialId(key.id, material.bytes)
    material.lazy = false
  })
}

const seconds = (milliseconds: number) => milliseconds / 1000

/** `KeyMetadata` with its optional members. Lazy material that can be derived must exist before. */
export function describeKey(key: HeldKey): object {
  const state = stateOf(key)
  const current = currentMaterial(key)
  return {
    AWSAccountId: key.account,
    KeyId: key.id,
    Arn: keyArn(key),
    CreationDate: seconds(key.createdAt),
    Enabled: state === 'Enabled',
    Description: key.description,
    KeyUsage: key.usage,
    KeyState: state,
    Origin: key.origin,
    KeyManager: key.manager,
    CustomerMasterKeySpec: key.spec,
    KeySpec: key.spec,
    [ALGORITHM_MEMBERS[key.usage]]: specRow(key.spec).usages[key.usage],
    MultiRegion: key.multiRegion !== undefined,
    ...(key.deletionAt !== undefined && { DeletionDate: seconds(key.deletionAt) }),
    ...(key.replicaWaitDays !== undefined && { PendingDeletionWindowInDays: key.replicaWaitDays }),
    ...(key.origin === 'EXTERNAL' && expiry(key)),
    ...(showsMaterial(key) && current !== undefined && { CurrentKeyMaterialId: current.id }),
    ...multiRegionPart(key),
    ...keyStorePart(key),
  }
}

/** Expiry; omitted while the key has no material. */
function expiry(key: HeldKey): object {
  const there = lastingMaterials(key).filter(isThere)
  if (there.length === 0) return {}
  const ends = there.flatMap(({ expiresAt }) => expiresAt ?? [])
  if (ends.length === 0) return { ExpirationModel: 'KEY_MATERIAL_DOES_NOT_EXPIRE' }
  return { ExpirationModel: 'KEY_MATERIAL_EXPIRES', ValidTo: seconds(Math.min(...ends)) }
}

function keyStorePart({ keyStore }: HeldKey): object {
  if (keyStore === undefined) return {}
  const { id, clusterId, xksKeyId } = keyStore
  return {
    CustomKeyStoreId: id,
    ...(clusterId !== undefined && { CloudHsmClusterId: clusterId }),
    ...(xksKeyId !== undefined && { XksKeyConfiguration: { Id: xksKeyId } }),
  }
}

function multiRegionPart(key: HeldKey): object {
  if (key.multiRegion === undefined) return {}
  const { primary, regions } = key.multiRegion
  const there = (region: string) => ({ Arn: keyArn({ ...key, region }), Region: region })
  return {
    MultiRegionConfiguration: {
      MultiRegionKeyType: key.region === primary ? 'PRIMARY' : 'REPLICA',
      PrimaryKey: there(primary),
      ReplicaKeys: regions.filter((region) => region !== primary).map(there),
    },
  }
}
