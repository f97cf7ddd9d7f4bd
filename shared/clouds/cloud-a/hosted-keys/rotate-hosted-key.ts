import type { Context } from '../../../http/context.ts'
import { assertNotGiven, Refusal } from '../../../base/errors.ts'
import type { RotateCloudAKey } from '../keys/bodies.ts'
import type { CloudAKey } from '../keys/model.ts'
import { CreateKeyVersion } from '../../../vault/keys/model.ts'
import type { StoredCloudAKey } from '../keys/store.ts'
import type { Stored } from '../../../store/entity.ts'
import { newVersion } from '../../../vault/keys/lifecycle/new-version.ts'
import { findKeyFor, noLongerThere } from '../../../cloud/keys/find-key.ts'
import { changeKey } from '../../../cloud/keys/record-key.ts'
import { keyKind } from '../keys/kind.ts'
import { hostedParamsOf } from './hosted-params.ts'

/** Ours: these details of a rotation apply only to a replaced key, and a hosted key is not replaced. */
const OF_REPLACED = [
  'source_key_id',
  'disable_encrypt',
  'disable_encrypt_on_all_accounts',
  'description',
  'key_expiration',
  'valid_to',
  'retain_alias',
] as const

/** @throws Refusal STATE_CONFLICT */
export function assertAlive({ gone, cloud_a_param: { KeyState } }: StoredCloudAKey): void {
  if (gone) throw noLongerThere()
  if (KeyState === 'PendingDeletion')
    throw new Refusal('STATE_CONFLICT', `A key in the state ${KeyState} cannot be rotated.`)
}

/**
 * Creates a new version of the local key behind a hosted key. The cloud encrypts with it from now on, and ciphertexts
 * name their version. The record stays, and refers to the new version. Ours: since the local key may have other users,
 * the caller also needs the permission to change it, besides the right to rotate.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT also unless the local key is Active, RULE_BROKEN
 */
export async function rotateHostedKey(context: Context, id: string, body: RotateCloudAKey): Promise<Stored<CloudAKey>> {
  const found = await findKeyFor(keyKind, context, id, 'keyrotate')
  const { stored } = found
  const { source_key_id: source } = hostedParamsOf(stored.item)
  assertAlive(stored.item)
  assertNotGiven(body, OF_REPLACED, {
    message: 'A hosted key is rotated by a new version of the key behind it, without details.',
    detail: 'is not for hosted keys, which stay what they are',
  })
  const { id: versionId } = await newVersion({ ...context, ifMatch: undefined }, source, CreateKeyVersion.parse({}))
  return changeKey(keyKind, context, found, (key): StoredCloudAKey => ({
    ...key,
    local_key_id: versionId,
    rotated_at: context.now.toISOString(),
    rotation_status: 'ACTIVE',
  }))
}
