import { Refusal } from '../../../base/errors.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { changeKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import { assertIfMatch } from '../../../resource/if-match.ts'
import { openFor, sealFor } from '../../../keyring/domain-key.ts'
import { Changes, retryWhenStale } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { secretKind } from './kind.ts'
import type { CrmSecret } from './model.ts'
import { backupPurpose, crmBackups, type StoredCrmSecret } from './store.ts'

const noBackup = (): Refusal => new Refusal('STATE_CONFLICT', 'No backup of the tenant secret is kept.')

/** @throws Refusal STATE_CONFLICT */
export function assertBackedUp({ backup }: Pick<StoredCrmSecret, 'backup'>): void {
  if (!backup) throw noBackup()
}

/** Keeps the cloud's export of a secret, in place of a former one. */
export async function keepBackup(domain: string, secret: StoredCrmSecret, value: string, now: Date): Promise<void> {
  const { id, organization_id } = secret
  const sealed = await sealFor(domain, backupPurpose({ id }), Buffer.from(value))
  const item = { id, organization_id, sealed }
  await retryWhenStale(async () => {
    const before = await crmBackups.get(domain, id)
    const changes = new Changes()
    if (before === undefined) changes.create(crmBackups, domain, item)
    else changes.update(crmBackups, domain, before, item)
    await changes.commit(now)
  })
}

/** The kept export of a secret. @throws Refusal STATE_CONFLICT without one; CIPHERTEXT_INVALID, UNAVAILABLE */
export async function backupOf(domain: string, { id }: Pick<StoredCrmSecret, 'id'>): Promise<string> {
  const stored = await crmBackups.get(domain, id)
  if (stored === undefined) throw noBackup()
  return (await openFor(domain, backupPurpose({ id }), stored.item.sealed)).toString('utf8')
}

/**
 * Removes the backup of a destroyed secret, which is then lost for good.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT without a backup, and for a secret that is not
 *   destroyed
 */
export async function deleteBackup(context: Context, id: string): Promise<Stored<CrmSecret>> {
  const found = await findKeyFor(secretKind, context, id, 'deletebackup')
  const { item } = found.stored
  assertIfMatch(context, found.stored)
  assertBackedUp(item)
  if (!item.gone && item.crm_param.status !== 'DESTROYED')
    throw new Refusal('STATE_CONFLICT', 'Only the backup of a destroyed tenant secret is deleted.')
  const { caller, changes } = context
  const backup = await crmBackups.get(caller.domain.id, id)
  if (backup !== undefined) changes.remove(crmBackups, caller.domain.id, backup)
  return changeKey(secretKind, context, found, (secret) => ({ ...secret, backup: false }))
}
