import { Refusal } from '../../../base/errors.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { joinRotation, leaveRotation } from '../../../cloud/keys/join-rotation.ts'
import { without } from '../../../base/fields.ts'
import { vaultKind } from '../vaults/kind.ts'
import { jobOf } from './job-of.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { assertVaultHolds, keyKind } from './kind.ts'
import type { CloudBKey, EnableRotationJob } from './model.ts'
import type { StoredCloudBKey } from './store.ts'

const UPDATE = 'keyupdate'

/** @throws Refusal STATE_CONFLICT for a former version, and for a deleted key */
export function assertTakesJob(key: StoredCloudBKey): void {
  keyKind.assertManaged(key)
  if (!key.is_latest) throw new Refusal('STATE_CONFLICT', 'The latest version of the key takes the job.')
  if (key.status !== 'ACTIVE') throw new Refusal('STATE_CONFLICT', `The key is ${key.status}: recover it first.`)
}

/**
 * Adds a key to the job configuration that is to rotate it, and removes it from a former one. Ours: the latest version
 * has the setting, and the next version inherits it.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT for a former version, and for a deleted key
 */
export async function enableRotationJob(
  context: Context,
  id: string,
  body: EnableRotationJob,
): Promise<Stored<CloudBKey>> {
  const found = await findKeyFor(keyKind, context, id, UPDATE)
  assertTakesJob(found.stored.item)
  const type = body.auto_rotate_key_type
  const { item: vault } = found.container
  if (vault.labels?.override_key_scheduler === true)
    throw new Refusal('STATE_CONFLICT', `The rotation job of the vault ${vault.name} overrides those of its keys.`)
  context.changes.rely(vaultKind.entity, context.caller.domain.id, found.container)
  if (type !== undefined) assertVaultHolds(vault, type.endsWith('-HSM'), 'auto_rotate_key_type')
  return joinRotation(keyKind, context, found, body)
}

/**
 * Removes a key from the job configuration that rotates it; then its vault's job applies.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it has none, or only its vault's
 */
export async function disableRotationJob(context: Context, id: string): Promise<Stored<CloudBKey>> {
  const found = await findKeyFor(keyKind, context, id, UPDATE)
  const { stored, container } = found
  if (stored.item.labels?.of_vault === true)
    throw new Refusal('STATE_CONFLICT', `The job of the vault ${container.item.name} rotates this key.`)
  context.changes.rely(vaultKind.entity, context.caller.domain.id, container)
  return leaveRotation(keyKind, context, found, jobOf(container.item, without(stored.item, 'labels')))
}
