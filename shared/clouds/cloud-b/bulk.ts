import { notThere } from '../../base/errors.ts'
import { assertMay } from '../../cloud/containers/acl.ts'
import type { Context } from '../../http/context.ts'
import type { BulkRow } from '../../work/bulk/bulk-row.ts'
import { DELETE } from './backups/bulk-jobs.ts'
import { dropBackup } from './backups/change-backups.ts'
import type { BackupBulkJob } from './backups/model.ts'
import { cloudBBackups } from './backups/store.ts'
import { keyKind } from './keys/kind.ts'
import { cloudBVaults } from './vaults/store.ts'

/** Deletes one backup, in any state of its key. @throws Refusal NOT_FOUND, ACTION_DENIED */
async function deleteOne(context: Context, id: string): Promise<void> {
  const domain = context.caller.domain.id
  const backup = await cloudBBackups.get(domain, id)
  const vault = backup && (await cloudBVaults.get(domain, backup.item.vault_id))
  if (backup === undefined || vault === undefined) throw notThere('The backup is gone already.')
  assertMay(context.caller, vault.item, DELETE)
  await dropBackup(keyKind, context, backup)
}

export const CLOUD_B_BULK: Readonly<Record<BackupBulkJob['operation'], BulkRow>> = {
  'delete-key-backups': {
    summary: 'Delete Cloud-b Key Backup',
    single: { action: 'DeleteCloudBKeyBackup', may: 'keymgr-users' },
    act: deleteOne,
  },
}
