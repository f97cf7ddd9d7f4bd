import { type NewVersion } from '../../../cloud/keys/model.ts'
import { addingVersion, addVersionTo, type AddingVersion } from '../../../cloud/keys/versions/add-version.ts'
import { findKey } from '../../../cloud/keys/find-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyForCloud, shapeOf } from '../../../vault/keys/material/leave.ts'
import { assertMaterialFits, localFor } from '../adapter/specs.ts'
import { isExternalKey } from '../external/external.ts'
import { addExternalVersion } from '../external/rotate-key.ts'
import { keyKind, type CloudDTypes } from '../keys/kind.ts'
import type { CloudDVersion } from './model.ts'

/** Creates a version, which the key uses from then on. */
export const addingCloudDVersion = addingVersion<CloudDTypes, AddingVersion>(keyKind, 'add-cloud-d-version', {
  specOf: () => ({}),
  use: () => Promise.resolve(),
})

/** The permission that adding a version requires. */
export const mayFor = (isNative: boolean): string => (isNative ? 'keyrotatetonative' : 'keyrotatetobyok')

/**
 * Adds a version at the cloud, or to an external key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN, UNEXPORTABLE, and the cloud's own
 */
export async function addVersion(context: Context, key_id: string, body: NewVersion): Promise<Stored<CloudDVersion>> {
  const { item } = (await findKey(keyKind, context, key_id)).stored
  return isExternalKey(item) ? addExternalVersion(context, key_id, body) : addAtCloud(context, key_id, body)
}

const addAtCloud = (
  context: Context,
  key_id: string,
  { source_key_identifier: named }: NewVersion,
): Promise<Stored<CloudDVersion>> =>
  addVersionTo(keyKind, addingCloudDVersion, context, key_id, mayFor(named === undefined), async (key) => {
    keyKind.assertManaged(key)
    if (named === undefined) return { key_id }
    const pointer = '#/source_key_identifier'
    const local = await findKeyForCloud(context, named, pointer)
    assertMaterialFits(key.cloud_d_params, shapeOf(local), pointer)
    return { key_id, local_key_id: local.id }
  })

/** Adds the version of a scheduled rotation: with the cloud's own material, or from a new local key. */
export const rotate = (context: Context, key_id: string, isNative: boolean): Promise<Stored<CloudDVersion>> =>
  addVersionTo(keyKind, addingCloudDVersion, context, key_id, mayFor(isNative), (key) => {
    keyKind.assertManaged(key)
    return { key_id, ...(!isNative && { new_local_key: localFor(key.cloud_d_params) }) }
  })
