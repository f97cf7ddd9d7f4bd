import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { joinRotation, leaveRotation } from '../../../cloud/keys/join-rotation.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { localFor } from '../adapter/specs.ts'
import { keyKind } from './kind.ts'
import type { DatacustKey, EnableDatacustAutoRotation } from './model.ts'

/**
 * Adds a key to the job configuration that is to rotate it. Each rotation adds a version with the cloud's own material or
 * from a new local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN for a configuration of another kind, and for a
 * local source of an EC key
 */
export async function enableAutoRotation(
  context: Context,
  id: string,
  body: EnableDatacustAutoRotation,
): Promise<Stored<DatacustKey>> {
  const found = await findKeyFor(keyKind, context, id, 'keyrotate')
  const { item: key } = found.stored
  keyKind.assertManaged(key)
  if (body.auto_rotate_key_source === 'local') localFor(key.datacust_param)
  return joinRotation(keyKind, context, found, body)
}

/**
 * Removes the key from its job configuration. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it has none
 */
export const disableAutoRotation = async (context: Context, id: string): Promise<Stored<DatacustKey>> =>
  leaveRotation(keyKind, context, await findKeyFor(keyKind, context, id, 'keyrotate'))
