import { takesBackupsOnSync } from '../../cloud/settings/store.ts'
import { takeBackup } from './backups/change-backups.ts'
import { cloudBBackups } from './backups/store.ts'
import { certificateKind } from './certificates/certificates.ts'
import { synchronizedItems } from './items/synchronized-items.ts'
import { keyKind } from './keys/kind.ts'
import type { StoredCloudBKey } from './keys/store.ts'
import { secretKind } from './secrets/secrets.ts'

const withoutBackups = synchronizedItems(keyKind)

/** Ours: a backup is due when the newest one lacks the latest version; all versions are in one backup. */
async function isBackupDue(domain: string, key: StoredCloudBKey): Promise<boolean> {
  const { gone, status, is_latest, cloud_b_param, backup, version } = key
  if (gone || status !== 'ACTIVE' || !is_latest || cloud_b_param.managed === true) return false
  const newest = backup === undefined ? undefined : await cloudBBackups.get(domain, backup)
  return newest?.item.key_version !== version
}

export const synchronizedKeys: typeof withoutBackups = {
  ...withoutBackups,
  backups: {
    summary: 'Create Cloud-b Key Backup',
    single: { action: 'CreateCloudBKeyBackup', may: 'keymgr-users' },
    isUsual: takesBackupsOnSync,
    isDue: isBackupDue,
    take: (context, { id }) => takeBackup(keyKind, context, id),
  },
}
export const synchronizedSecrets = synchronizedItems(secretKind)
export const synchronizedCertificates = synchronizedItems(certificateKind)
