import * as z from 'zod'
import { isGiven } from '../../../base/json.ts'
import { FreeText, Name, Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyText, listQuery } from '../../../http/lists/list-query.ts'
import { withRules } from '../../../http/rules.ts'
import { BULK_STATUSES, BulkJobFields } from '../../../work/bulk/store.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { Vault } from '../items/model.ts'

const described = { name: Name.optional(), description: FreeText.optional() }

/** A backup of a name in a vault, with all of its versions; only the cloud can read it. */
export const CloudBBackup = extended(Resource, () => ({
  ...described,
  key_id: z.string().meta({
    description:
      'the record of the version that was the latest at the time of the backup; also of secrets and certificates',
  }),
  key_version: z.string().meta({ description: 'the latest version that is in it' }),
  size: z.int().meta({ description: 'bytes' }),
}))
export type CloudBBackup = z.infer<typeof CloudBBackup>

export const BackupWords = z.strictObject(described)
export type BackupWords = z.infer<typeof BackupWords>

export const BackupQuery = listQuery(CloudBBackup, () => ({}))

export const RestoreItem = strictObject(() => ({
  key_vault: Vault,
  // Ours: without this field, only the newest backup could be restored.
  backup_id: Uuid.optional().meta({ description: 'the newest without' }),
}))
export type RestoreItem = z.infer<typeof RestoreItem>

export const EnableBackupJob = z.strictObject({ backup_job_config_id: Uuid })
export type EnableBackupJob = z.infer<typeof EnableBackupJob>

export const BACKUP_BULK_OPERATIONS = ['delete-key-backups'] as const

/** A deletion of many backups, one after the other. */
export const BackupBulkJob = extended(BulkJobFields.omit({ keys: true, days: true, policy_template_id: true }), () => ({
  operation: z.enum(BACKUP_BULK_OPERATIONS),
  backups: z.array(z.string()),
}))
export type BackupBulkJob = z.infer<typeof BackupBulkJob>

/** Ours: the same number as the members of other bulk jobs. */
export const BULK_BACKUPS_MOST = 100

export const CreateBackupBulkJob = withRules(
  strictObject(() => ({
    operation: z.enum(BACKUP_BULK_OPERATIONS),
    backups: z
      .array(Uuid)
      .min(1)
      .max(BULK_BACKUPS_MOST)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'must not name a backup twice' })
      .optional(),
    created_after: Time.optional().meta({ description: 'backups of keys in every vault where the caller may' }),
    created_before: Time.optional(),
  })),
  {
    message: 'either backups, or created_after or created_before or both',
    field: 'backups',
    broken: ({ backups, created_after, created_before }) =>
      isGiven(backups) === (isGiven(created_after) || isGiven(created_before)),
  },
)
export type CreateBackupBulkJob = z.infer<typeof CreateBackupBulkJob>

export const BackupBulkJobQuery = listQuery(BackupBulkJob, () => ({
  id: anyText().optional(),
  overall_status: anyOf(BULK_STATUSES).optional(),
  operation: anyOf(BACKUP_BULK_OPERATIONS).optional(),
}))
