import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudAKey, RotateCloudAKey } from '../keys/model.ts'
import { CreateKeyVersion } from '../../../vault/keys/model.ts'
import { cloudAKeys, type StoredCloudAKey } from '../keys/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { newVersion } from '../../../vault/keys/new-version.ts'
import { findKeyFor, noLongerThere } from '../keys/find-key.ts'
import { presentKey, tellOf } from '../keys/records.ts'
import { hostedParamsOf } from './hosted-params.ts'

/** Ours: the interface gives every detail of a rotation to a key that is replaced; this one stays. */
const OF_REPLACED = [
  'source_key_id',
  'disable_encrypt',
  'disable_encrypt_on_all_accounts',
  'description',
  'key_expiration',
  'valid_to',
  'retain_alias',
] as const

/** @throws Refusal RULE_BROKEN */
function assertSaysNothing(body: RotateCloudAKey): void {
  const errors = OF_REPLACED.filter((field) => body[field] !== undefined).map((field) => ({
    pointer: `#/${field}`,
    detail: 'is not for hosted keys, which stay what they are',
  }))
  if (errors.length > 0)
    throw new Refusal(
      'RULE_BROKEN',
      'A hosted key is rotated by a new version of the key behind it, without details.',
      {
        errors,
      },
    )
}

/** @throws Refusal STATE_CONFLICT */
export function assertAlive({ gone, cloud_a_param: { KeyState } }: StoredCloudAKey): void {
  if (gone) throw noLongerThere()
  if (KeyState === 'PendingDeletion')
    throw new Refusal('STATE_CONFLICT', `A key in the state ${KeyState} cannot be rotated.`)
}

/**
 * A new version of the local key behind a hosted one: what the cloud encrypts from now on is encrypted with it, and what
 * was encrypted says by which version. The record stays, and names the new one. Ours: since the local key may have other
 * users, this takes whoever may change it, besides the right to rotate.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT also unless the local key is Active, RULE_BROKEN
 */
export async function rotateHostedKey(context: Context, id: string, body: RotateCloudAKey): Promise<Stored<CloudAKey>> {
  const { caller, changes, now } = context
  const { stored, kms } = await findKeyFor(context, id, 'keyrotate')
  const { source_key_id: source } = hostedParamsOf(stored.item)
  assertAlive(stored.item)
  assertSaysNothing(body)
  const { id: versionId } = await newVersion({ ...context, ifMatch: undefined }, source, CreateKeyVersion.parse({}))
  const at = now.toISOString()
  const after: StoredCloudAKey = {
    ...stored.item,
    local_key_id: versionId,
    rotated_at: at,
    rotation_status: 'ACTIVE',
    updatedAt: at,
  }
  changes.update(cloudAKeys, caller.domain.id, stored, after)
  tellOf(context, after, stored.item)
  return presentKey({ item: after, rev: stored.rev + 1 }, kms.item)
}
