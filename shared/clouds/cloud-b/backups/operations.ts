import * as z from 'zod'
import { Uuid } from '../../../http/common-fields.ts'
import type { Route } from '../../../http/operation.ts'
import { routesOf, routesOn } from '../../../resource/routes.ts'
import { beginningJob } from '../../../work/bulk/cloud-jobs.ts'
import { CloudBCertificate } from '../certificates/model.ts'
import { certificateKind } from '../certificates/certificates.ts'
import type { ItemKind, ItemTypes } from '../items/item.ts'
import { keyKind } from '../keys/kind.ts'
import { secretKind } from '../secrets/secrets.ts'
import { CloudBKey } from '../keys/model.ts'
import { CloudBSecret } from '../secrets/model.ts'
import { restoringCertificates, restoringKeys, restoringSecrets } from './backed.ts'
import { disableBackupJob, enableBackupJob } from './backup-job.ts'
import { cancelBackupJob, createBackupJob, deleteBackupJob, getBackupJob, listBackupJobs } from './bulk-jobs.ts'
import { backupVerbs } from './change-backups.ts'
import {
  BackupBulkJob,
  BackupBulkJobQuery,
  BackupQuery,
  BackupWords,
  CloudBBackup,
  CreateBackupBulkJob,
  EnableBackupJob,
  RestoreItem,
} from './model.ts'
import type { Restoring } from './restore.ts'

const BASE = '/v1/keymgr/cloud-b'
const users = { reads: 'keymgr-users', changes: 'keymgr-users' } as const
const BackupPath = z.strictObject({ id: Uuid, backup_id: Uuid })

/** The routes to back up and restore keys, secrets or certificates. @param answers schema of an item as shown */
function backupsOn<T extends ItemTypes>(
  kind: ItemKind<T>,
  { restore }: Pick<Restoring<T>, 'restore'>,
  answers: z.ZodType<unknown, T['shown']>,
): readonly Route[] {
  const { noun } = kind
  const title = `Cloud-b ${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
  const at = `${BASE}/${noun}s`
  const verbs = backupVerbs(kind)
  const on = routesOn({ at, answers, ...users })
  const onBackups = routesOf({
    at: `${at}/{id}/backups`,
    one: `${at}/{id}/backups/{backup_id}`,
    path: BackupPath,
    idsOf: ({ id, backup_id }): readonly [string, string] => [id, backup_id],
    answers: CloudBBackup,
    ...users,
  })
  return [
    on.listWithin('backups', `List ${title} Backups`, BackupQuery, CloudBBackup, verbs.list),
    on.succeed('backups', `Create ${title} Backup`, BackupWords, verbs.take, CloudBBackup), // contains all versions
    onBackups.get(`Get ${title} Backup`, verbs.get),
    onBackups.update(`Update ${title} Backup`, BackupWords, verbs.update),
    onBackups.remove(`Delete ${title} Backup`, verbs.remove),
    on.act('delete-backup', `Delete Newest ${title} Backup`, verbs.removeNewest),
    on.act('restore', `Restore ${title}`, restore, RestoreItem),
  ]
}

const onKeys = routesOn({ at: `${BASE}/keys`, answers: CloudBKey, ...users })
const onJobs = routesOn({ at: `${BASE}/bulkjobs`, answers: BackupBulkJob, ...users })

export const backupRoutes: readonly Route[] = [
  ...backupsOn(keyKind, restoringKeys, CloudBKey),
  // Ours: without backups of their own, secrets and certificates could not be restored.
  ...backupsOn(secretKind, restoringSecrets, CloudBSecret),
  ...backupsOn(certificateKind, restoringCertificates, CloudBCertificate),
  onKeys.act('enable-backup-job', 'Enable Cloud-b Key Backup Job', enableBackupJob, EnableBackupJob),
  onKeys.act('disable-backup-job', 'Disable Cloud-b Key Backup Job', disableBackupJob),
  onJobs.list('List Cloud-b Bulk Jobs', BackupBulkJobQuery, listBackupJobs), // newest first
  beginningJob(onJobs.create('Create Cloud-b Bulk Job', CreateBackupBulkJob, createBackupJob), 'backups'),
  onJobs.get('Get Cloud-b Bulk Job', getBackupJob),
  onJobs.act('cancel', 'Cancel Cloud-b Bulk Job', cancelBackupJob),
  onJobs.remove('Delete Cloud-b Bulk Job', deleteBackupJob),
]
