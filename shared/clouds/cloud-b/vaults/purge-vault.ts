import * as z from 'zod'
import { assertMayEach } from '../../../cloud/containers/going-records.ts'
import { sweptEntity, sweptWork } from '../../../cloud/containers/swept-work.ts'
import type { Context } from '../../../http/context.ts'
import { Changes } from '../../../store/changes.ts'
import type { Entity } from '../../../store/entity.ts'
import { ITEMS_A_TIME, removing } from '../../../store/remove-some.ts'
import { cloudBCertificates } from '../certificates/store.ts'
import { versionsIn } from '../items/item.ts'
import { backupBytes, cloudBBackups } from '../backups/store.ts'
import { cloudBKeys } from '../keys/store.ts'
import { cloudBSecrets } from '../secrets/store.ts'

const DUE = 'purge-vault'

/** Records of keys, secrets and certificates to remove because their vault was removed. */
export const vaultPurges = sweptEntity('cloud-b-vault-purge', DUE, { vault_id: z.string() })

/** Removes some records of a kind in a vault. @returns whether there were any */
const removalOf =
  <T, R>(entity: Entity<T, R>, family: (vaultId: string) => string) =>
  async (domain: string, vaultId: string, now: Date): Promise<boolean> => {
    const members = await entity.membersAfter(domain, family(vaultId), undefined, ITEMS_A_TIME)
    const changes = new Changes()
    const ids = members.map(({ id }) => id)
    for (const stored of await entity.getMany(domain, ids, 'salvage')) changes.remove(entity, domain, stored)
    await changes.commit(now)
    return members.length > 0
  }

const itemsOf = <T, R>(entity: Entity<T, R>, family: (vaultId: string) => string) => ({
  removeSome: removalOf(entity, family),
  removeAll: removing(entity, 'all'),
})

/** The kinds of records that are removed with a vault. */
export const VAULT_ITEMS = [
  itemsOf(cloudBKeys, versionsIn),
  itemsOf(cloudBBackups, versionsIn),
  itemsOf(backupBytes, versionsIn),
  itemsOf(cloudBSecrets, versionsIn),
  itemsOf(cloudBCertificates, versionsIn),
] as const

export const vaultPurge = sweptWork(DUE, vaultPurges, async (domain, { vault_id }, { now, hasTime }) => {
  for (const { removeSome } of VAULT_ITEMS)
    do {
      if (!hasTime()) return false
    } while (await removeSome(domain, vault_id, now))
  return true
})

/** Stages the removal of the records in a vault. @throws Refusal ACTION_DENIED when policies deny the deletion of one of them */
export async function planVaultPurge(context: Context, vaultId: string): Promise<void> {
  const family = versionsIn(vaultId)
  await assertMayEach(context, { entity: cloudBKeys, family, action: 'DeleteCloudBKey' })
  await assertMayEach(context, { entity: cloudBSecrets, family, action: 'RemoveCloudBSecret' })
  await assertMayEach(context, { entity: cloudBCertificates, family, action: 'RemoveCloudBCertificate' })
  for (const [noun, action] of Object.entries(BACKUP_DELETIONS))
    await assertMayEach(context, { entity: cloudBBackups, family, concerned: (one) => one.noun === noun, action })
  vaultPurge.plan(context, { vault_id: vaultId })
}

const BACKUP_DELETIONS = {
  key: 'DeleteCloudBKeyBackup',
  secret: 'DeleteCloudBSecretBackup',
  certificate: 'DeleteCloudBCertificateBackup',
} as const
