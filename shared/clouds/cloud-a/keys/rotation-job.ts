import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { EnableRotationJob } from './bodies.ts'
import type { CloudAKey } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertMayChange } from '../../../vault/keys/policies/access.ts'
import { findKey } from '../../../vault/keys/lists/find-key.ts'
import { assertAlive } from '../hosted-keys/rotate-hosted-key.ts'
import { findKeyAnywhere, findKeyFor } from '../../../cloud/keys/find-key.ts'
import { joinRotation, leaveRotation } from '../../../cloud/keys/join-rotation.ts'
import { keyKind } from './kind.ts'
import { assertRotatable } from './rotate-key.ts'

/**
 * Adds a key to the job configuration that is to rotate it, and removes it from a former one. The settings for the
 * replaced key are stored with it, and each successor inherits them.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN for a configuration of another kind, STATE_CONFLICT and
 * NOT_SUPPORTED for a key that cannot be rotated
 */
export async function enableRotationJob(
  context: Context,
  id: string,
  body: EnableRotationJob,
): Promise<Stored<CloudAKey>> {
  const found = await findKeyFor(keyKind, context, id, 'keyrotate')
  const { item: key } = found.stored
  if (key.local_hosted_params === undefined) assertRotatable(key)
  else {
    assertAlive(key)
    // As for a rotation by hand, because the run acts for another user.
    assertMayChange(context.caller, (await findKey(context, key.local_hosted_params.source_key_id)).item)
    if (Object.values(body).includes(true))
      throw new Refusal('RULE_BROKEN', 'A hosted key is rotated by a new version: there is no old key to disable.')
  }
  return joinRotation(keyKind, context, found, body)
}

/**
 * Removes a key from the job configuration that rotates it. Ours: also in an archived container, since it only stops
 * something.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it has none
 */
export const disableRotationJob = async (context: Context, id: string): Promise<Stored<CloudAKey>> =>
  leaveRotation(keyKind, context, await findKeyAnywhere(keyKind, context, id, 'keyrotate'))
