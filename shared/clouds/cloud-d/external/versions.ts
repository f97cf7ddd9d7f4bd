import { commonFields, resourceUri, uuid } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import type { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { cloudDKeys } from '../keys/store.ts'
import { cloudDVersions, type StoredCloudDVersion } from '../versions/store.ts'
import type { ExternalKey } from './external.ts'

/** The version of a local key that an external key uses. */
export interface SourceVersion {
  readonly id: string
  readonly name: string
  readonly version: number
}

type Staging = Pick<Context, 'caller' | 'changes' | 'now' | 'once'>

/** A version of an external key over a version of a local key. The cloud names it by the id of the record. */
export function externalVersion(
  domain: string,
  keyId: string,
  { id: local_key_id, name, version }: SourceVersion,
  { id, now }: { readonly id: string; readonly now: Date },
): StoredCloudDVersion {
  const at = now.toISOString()
  return {
    ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'cloud-d-key-version', id), now),
    parent_key_id: keyId,
    ...{ state: 'ENABLED', gone: false, deleted: false, key_material_origin: 'keymgr' },
    ...{ local_key_id, local_key_name: name, local_key_version: version },
    param: { version_id: id, lifecycle_state: 'ENABLED', origin: 'EXTERNAL', time_created: at },
  }
}

/** The key after a version was added. */
export function keyWith(key: ExternalKey, version: StoredCloudDVersion, now: Date): ExternalKey {
  const { param, local_key_id, local_key_name } = version
  const at = now.toISOString()
  return {
    ...key,
    ...{ local_key_id, local_key_name },
    version_count: key.version_count + 1,
    ...{ rotated_at: at, updatedAt: at },
    cloud_d_params: { ...key.cloud_d_params, current_key_version: param.version_id },
  }
}

/** The id of the version that a request adds to an external key: the same each time that it is staged. */
export const versionIdOf = ({ now, once }: Pick<Staging, 'now' | 'once'>, keyId: string): Promise<string> =>
  once(`version of the external key ${keyId}`, () => Promise.resolve(uuid(now)))

/** Stages a new version of an external key. @returns it, and the key with it */
export async function stageVersion(
  context: Staging,
  stored: Stored<ExternalKey>,
  source: SourceVersion,
): Promise<{ readonly key: Stored<ExternalKey>; readonly version: StoredCloudDVersion }> {
  const { caller, changes, now } = context
  const id = await versionIdOf(context, stored.item.id)
  return newVersionOf(changes, caller.domain.id, stored, source, { id, now })
}

/** The same for work without a caller. */
export function newVersionOf(
  changes: Changes,
  domain: string,
  stored: Stored<ExternalKey>,
  source: SourceVersion,
  { now, id = uuid(now) }: { readonly now: Date; readonly id?: string },
): { readonly key: Stored<ExternalKey>; readonly version: StoredCloudDVersion } {
  const { item: key, rev } = stored
  const version = externalVersion(domain, key.id, source, { id, now })
  const after = keyWith(key, version, now)
  changes.create(cloudDVersions, domain, version)
  changes.update(cloudDKeys, domain, stored, after)
  return { key: { item: after, rev: rev + 1 }, version }
}
