import { assertNotGiven, Refusal } from '../../../base/errors.ts'
import { findKeyFor, type Found } from '../../../cloud/keys/find-key.ts'
import { changeKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import type { Stored } from '../../../store/entity.ts'
import { keyKind, type CloudDTypes } from '../keys/kind.ts'
import type { CloudDKey, UpdateCloudDKey } from '../keys/model.ts'
import type { StoredCloudDKey } from '../keys/store.ts'
import { assertExternalKey, type ExternalKey } from './external.ts'
import { withNewPolicy } from './policy.ts'

type Act = (context: Context, id: string) => Promise<Stored<CloudDKey>>

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for a key at the cloud */
async function externalFor(
  context: Context,
  id: string,
  action: string,
): Promise<{ readonly found: Found<CloudDTypes>; readonly key: ExternalKey }> {
  const found = await findKeyFor(keyKind, context, id, action)
  assertIfMatch(context, found.stored)
  const { item: key } = found.stored
  assertExternalKey(key)
  return { found, key }
}

const blocking =
  (blocked: boolean): Act =>
  async (context, id) => {
    const { found, key } = await externalFor(context, id, 'hyokkeyblockunblock')
    const { hyok_key_params: params, cloud_d_params: cloud } = key
    if (params.blocked === blocked) throw conflict(`The key is ${blocked ? 'blocked already' : 'not blocked'}.`)
    return changeKey(keyKind, context, found, (before) => ({
      ...before,
      hyok_key_params: { ...params, blocked },
      cloud_d_params: { ...cloud, lifecycle_state: blocked ? 'DISABLED' : 'ENABLED' },
    }))
  }

/**
 * Blocks an external key: within five seconds every instance refuses its use.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export const blockKey = blocking(true)
/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless it is blocked */
export const unblockKey = blocking(false)

/**
 * Records that no key of the cloud refers to this one any more, which cannot be seen from here. Ours: the key must be
 * blocked, so that no caller depends on it; after unblocking, a call for its metadata links it again.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 */
export const unlinkKey: Act = async (context, id) => {
  const { found, key } = await externalFor(context, id, 'hyokkeyblockunblock')
  const { hyok_key_params: params } = key
  if (!params.linked_state) throw conflict('The key is not linked.')
  if (!params.blocked) throw conflict('The key is in use at the cloud: block it first.')
  return changeKey(keyKind, context, found, (before) => ({
    ...before,
    hyok_key_params: { ...params, linked_state: false },
  }))
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, RULE_BROKEN */
export async function updateExternalKey(
  context: Context,
  id: string,
  { name, display_name: shown = name, policy, ...others }: UpdateCloudDKey,
): Promise<Stored<CloudDKey>> {
  const { found } = await externalFor(context, id, 'hyokkeyupdate')
  assertNotGiven(others, Object.keys(others), {
    message: 'An external key has a name and a policy, and no tags.',
    detail: 'does not apply to an external key',
  })
  const changed = await withNewPolicy<StoredCloudDKey>(found.stored.item, policy)
  const { cloud_d_params: cloud } = changed
  return changeKey(keyKind, context, found, () => ({
    ...changed,
    cloud_d_params: { ...cloud, ...(shown !== undefined && { display_name: shown }) },
  }))
}

/** @throws Refusal STATE_CONFLICT while the cloud refers to the key */
export function assertUnlinked({ hyok_key_params: params }: ExternalKey): void {
  if (params.linked_state) throw conflict('The key is linked to the cloud: delete its key there, and unlink it.')
}
