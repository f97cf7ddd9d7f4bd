import type { Broken, Entity, Stored } from '../../../store/entity.ts'
import type { SagaKind } from '../../../work/sagas/saga.ts'
import type { RemoteKey, Versioning } from '../../contract.ts'
import type { StoredContainer } from '../../containers/kind.ts'
import type { CloudOf, KeyKind, KeyTypes, StoredKey } from '../kind.ts'
import { versionsOf } from './entity.ts'

/** Fields that the record of every version has. */
export interface StoredVersion {
  readonly id: string
  readonly uri: string
  readonly parent_key_id: string
  readonly state: string
  /** whether its cloud no longer lists it */
  readonly gone: boolean
  readonly deleted: boolean
  readonly key_material_origin: string
  readonly local_key_id?: string | undefined
  readonly local_key_name?: string | undefined
  readonly updatedAt: string
}

/** Fields that the record of every key with versions has. */
interface VersionedKey extends StoredKey {
  readonly key_material_origin: string
  readonly local_key_id?: string | undefined
  readonly local_key_name?: string | undefined
  readonly synced_at: string
  readonly version_count: number
  /** digest of the versions in their records; differs when the cloud describes any of them differently */
  readonly versions_digest: string
}

interface VersionRow {
  readonly name: string
  readonly gone: boolean
  readonly deleted: boolean
}

/** The types of a cloud whose keys have versions. */
export interface VersionedTypes extends KeyTypes {
  readonly key: VersionedKey
  /** the container records when it was last read completely */
  readonly container: StoredContainer & { readonly refreshed_at?: string | undefined }
  readonly version: StoredVersion
  readonly versionRow: VersionRow
  /** a version as callers see it */
  readonly versionShown: { readonly id: string }
  /** a version as its cloud describes it */
  readonly versionRead: RemoteKey<object>
  readonly versionSpec: object
  readonly whole: { readonly key: RemoteKey<object>; readonly versions: readonly RemoteKey<object>[] }
}

/** A key of such a cloud with every version. */
export interface Whole<T extends VersionedTypes> {
  readonly key: T['read']
  readonly versions: readonly T['versionRead'][]
}

export type VersioningCloud<T extends VersionedTypes> = CloudOf<T> &
  Versioning<T['place'], T['versionSpec'], T['versionRead'], T['read']>

/** The origin of a version's material, as far as this service knows. */
export interface VersionSource {
  readonly key_material_origin: 'keymgr' | 'native' | 'unknown'
  readonly local_key_id?: string
  readonly local_key_name?: string
  readonly local_key_version?: number
}

/** For a key that its cloud no longer has. */
export const NO_VERSIONS = { versions: [] } as const

/** The cloud-specific part of keys with versions. */
export interface Versions<T extends VersionedTypes> {
  readonly entity: Entity<T['version'], T['versionRow']>
  readonly cloud: VersioningCloud<T>
  /** the resource in a version's address */
  readonly resource: string
  /** the position among a key's versions that a reference denotes; `undefined` for the id of a record */
  readonly placeIn: (reference: string) => string | undefined
  /** the cloud's own name of a version within its key */
  readonly refOf: (version: T['version']) => string
  readonly rowRefOf: (row: T['versionRow']) => string
  /** the cloud's own name of the version that a key encrypts with, if any */
  readonly primaryOf: (key: T['key']) => string | undefined
  /** the recorded description of the cloud */
  readonly paramOf: (version: T['version']) => object
  /** fields of a record that derive from the cloud's description */
  readonly followed: (read: T['versionRead']) => Partial<T['version']>
  /** the origin of a found version's material, from the cloud's description */
  readonly sourceFound: (read: T['versionRead']) => VersionSource
  readonly present: (version: T['version'], key: T['key']) => T['versionShown']
  /** fields of a key's record that derive from the cloud's description */
  readonly keyFollowed: (read: T['read']) => Partial<T['key']>
  /** fields of a key's record that derive from its container */
  readonly withinContainer: (container: T['container']) => Partial<T['key']>
  /** the origin of a key without versions, from the cloud's description */
  readonly originWithoutVersions: (key: T['key']) => VersionSource['key_material_origin']
  /** the mark on a key of the saga that created it */
  readonly markOf: (read: T['read']) => string | undefined
}

/** The keys of a cloud in which keys have versions. */
export interface VersionedKind<T extends VersionedTypes> extends KeyKind<T> {
  readonly versions: Versions<T>
}

/** A kind of saga on versions, which returns a version as shown. */
export type VersionSaga<T extends VersionedTypes, Input extends object, Result> = SagaKind<
  Input,
  Result,
  T['versionShown'],
  T['versionRow']
>

/** Reads the versions that are the results of sagas finished without their caller. */
export const answeredVersions = <T extends VersionedTypes>({
  entity: keys,
  versions: { entity, present },
}: VersionedKind<T>): VersionSaga<T, object, unknown>['entity'] => ({
  id: ({ id }) => id,
  get: async (domain, id) => {
    const stored = await entity.get(domain, id)
    const key = stored && (await keys.get(domain, stored.item.parent_key_id))
    return stored && key && { item: present(stored.item, key.item), rev: stored.rev }
  },
})

/** Every version of a key, in order. Two reads, and one more for each 100. @param broken as in `getMany` */
export const storedVersions = async <T extends VersionedTypes>(
  { versions: { entity } }: VersionedKind<T>,
  domain: string,
  keyId: string,
  broken?: Broken,
): Promise<Stored<T['version']>[]> => entity.getMany(domain, await entity.members(domain, versionsOf(keyId)), broken)
