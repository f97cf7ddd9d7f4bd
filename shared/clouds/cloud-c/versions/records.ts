import { createHash } from 'node:crypto'
import type { CloudCVersionRead } from '../adapter/types.ts'
import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { CloudCVersion } from './model.ts'
import type { StoredCloudCKey } from '../keys/store.ts'
import type { StoredCloudCVersion } from './store.ts'
import type { Stored } from '../../../store/entity.ts'

/** Of the versions as the cloud describes them: other as soon as any description is. */
export const digestOf = (versions: readonly CloudCVersionRead[]): string =>
  createHash('sha256')
    .update(JSON.stringify(versions.map(({ param }) => param)))
    .digest('base64url')

export const versionUri = (domain: string, id: string): string =>
  resourceUri(domain, 'keymgr', 'cloud-c-key-version', id)

/** States of a version whose material the cloud no longer has. */
const DESTROYED: ReadonlySet<string> = new Set([
  'DESTROYED',
  'PENDING_EXTERNAL_DESTRUCTION',
  'EXTERNAL_DESTRUCTION_FAILED',
])
const IMPORTED: ReadonlySet<string> = new Set(['PENDING_IMPORT', 'IMPORT_FAILED'])

/** What we know of where a version's material is from. */
export type VersionSource = Pick<
  StoredCloudCVersion,
  'key_material_origin' | 'local_key_id' | 'local_key_name' | 'local_key_version'
>

/** Of a version that was found: ours knows nothing of its material but whether the cloud made it. */
const sourceFound = ({ param }: CloudCVersionRead): VersionSource => ({
  key_material_origin: param.import_time !== undefined || IMPORTED.has(param.state) ? 'unknown' : 'native',
})

/** Fields that follow from what the cloud says. */
const followed = ({ param }: CloudCVersionRead) => ({
  state: param.state,
  deleted: DESTROYED.has(param.state),
  gone: false,
  cloud_c_params: param,
})

/** A record that is made, or becomes another. */
export interface VersionChange {
  readonly before?: Stored<StoredCloudCVersion>
  readonly after: StoredCloudCVersion
}

function newVersion(
  domain: string,
  keyId: string,
  read: CloudCVersionRead,
  source: VersionSource | undefined,
  now: Date,
): StoredCloudCVersion {
  const id = uuid(now)
  return {
    ...commonFields(domain, id, versionUri(domain, id), now),
    parent_key_id: keyId,
    ...followed(read),
    ...(source ?? sourceFound(read)),
  }
}

function refreshed(
  version: StoredCloudCVersion,
  read: CloudCVersionRead | undefined,
  source: VersionSource | undefined,
  now: Date,
): StoredCloudCVersion {
  const updatedAt = now.toISOString()
  if (read === undefined) return version.gone ? version : { ...version, gone: true, updatedAt }
  const isSame = !version.gone && JSON.stringify(version.cloud_c_params) === JSON.stringify(read.param)
  if (isSame && source === undefined) return version
  return { ...version, ...followed(read), ...source, updatedAt }
}

/** What a key's versions come to, and what of it is not on record yet, oldest first. */
export interface VersionsRead {
  readonly changes: readonly VersionChange[]
  /** every version as it is then */
  readonly all: readonly Stored<StoredCloudCVersion>[]
}

/**
 * Holds what the cloud says of a key's versions against their records.
 * @param sources by number: where the material of versions is from that we brought in just now
 */
export function compared(
  domain: string,
  keyId: string,
  known: readonly Stored<StoredCloudCVersion>[],
  read: readonly CloudCVersionRead[],
  now: Date,
  sources: ReadonlyMap<string, VersionSource> = new Map(),
): VersionsRead {
  const unread = new Map(known.map((stored) => [stored.item.cloud_c_params.version, stored]))
  const seen = read.map((version): VersionChange => {
    const number = version.param.version
    const before = unread.get(number)
    unread.delete(number)
    const source = sources.get(number)
    return before === undefined
      ? { after: newVersion(domain, keyId, version, source, now) }
      : { before, after: refreshed(before.item, version, source, now) }
  })
  const gone = [...unread.values()].map((before) => ({
    before,
    after: refreshed(before.item, undefined, undefined, now),
  }))
  const every: VersionChange[] = [...seen, ...gone]
  return {
    changes: every.filter(({ before, after }) => before?.item !== after),
    all: every.map(({ before, after }) => ({ item: after, rev: revOf(before, after) })),
  }
}

const revOf = (before: VersionChange['before'], after: StoredCloudCVersion): number =>
  before === undefined ? 1 : before.item === after ? before.rev : before.rev + 1

/** Number of a key's primary version, where it has one. */
export const primaryOf = ({
  cloud_c_params: { primary },
}: Pick<StoredCloudCKey, 'cloud_c_params'>): string | undefined => primary?.slice(primary.lastIndexOf('/') + 1)

/** A version as shown, of its key. */
export const presentVersion = (version: StoredCloudCVersion, key: StoredCloudCKey): CloudCVersion => ({
  ...version,
  version_id: version.id,
  parent_key_name: key.cloud_c_params.name,
  is_primary: primaryOf(key) === version.cloud_c_params.version,
})
