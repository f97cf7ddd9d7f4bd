import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { joinRotation, leaveRotation } from '../../../cloud/keys/join-rotation.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertVersionable } from '../versions/new-version.ts'
import { keyKind } from './kind.ts'
import type { CloudCKey, EnableCloudCAutoRotation } from './model.ts'

/**
 * Adds a key to the job configuration that is to rotate it, and removes it from a former one. Each rotation creates a
 * version with material from the cloud, or from a new local key.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN for a configuration of another kind or an algorithm of another
 * purpose, STATE_CONFLICT for a key that cannot be rotated so
 */
export async function enableAutoRotation(
  context: Context,
  id: string,
  body: EnableCloudCAutoRotation,
): Promise<Stored<CloudCKey>> {
  const found = await findKeyFor(keyKind, context, id, 'keyupdate')
  const { auto_rotate_key_source: source, auto_rotate_algorithm: algorithm } = body
  const wanted = { isNative: source === 'native', algorithm, pointer: '#/auto_rotate_algorithm' }
  assertVersionable(found.stored.item, wanted)
  return joinRotation(keyKind, context, found, body)
}

/**
 * Removes the key from its job configuration. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it has none
 */
export const disableAutoRotation = async (context: Context, id: string): Promise<Stored<CloudCKey>> =>
  leaveRotation(keyKind, context, await findKeyFor(keyKind, context, id, 'keyupdate'))
