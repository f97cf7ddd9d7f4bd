import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { joinRotation, leaveRotation } from '../../../cloud/keys/join-rotation.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { localFor } from '../adapter/specs.ts'
import { mayFor } from '../versions/new-version.ts'
import { isExternalKey } from '../external/external.ts'
import { keyKind } from './kind.ts'
import type { StoredCloudDKey } from './store.ts'
import type { CloudDKey, EnableCloudDAutoRotation } from './model.ts'

/**
 * Adds a key to the job configuration that is to rotate it, and removes it from a former one. Each rotation adds a
 * version with the cloud's own material or from a new local key; an external key gets a new version of its local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN for a configuration of another kind, or a kind
 * of key
 *   that the cloud does not import
 */
export async function enableAutoRotation(
  context: Context,
  id: string,
  body: EnableCloudDAutoRotation,
): Promise<Stored<CloudDKey>> {
  const isNative = body.auto_rotate_key_source === 'native'
  const may = (key: StoredCloudDKey): string => (isExternalKey(key) ? 'hyokkeyrotate' : mayFor(isNative))
  const found = await findKeyFor(keyKind, context, id, may)
  const { item: key } = found.stored
  if (isExternalKey(key)) return joinRotation(keyKind, context, found, body)
  keyKind.assertManaged(key)
  if (!isNative) localFor(key.cloud_d_params)
  return joinRotation(keyKind, context, found, body)
}

/**
 * Removes the key from its job configuration. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it has none
 */
export const disableAutoRotation = async (context: Context, id: string): Promise<Stored<CloudDKey>> =>
  leaveRotation(
    keyKind,
    context,
    await findKeyFor(keyKind, context, id, (key) => (isExternalKey(key) ? 'hyokkeyupdate' : 'keyupdate')),
  )
