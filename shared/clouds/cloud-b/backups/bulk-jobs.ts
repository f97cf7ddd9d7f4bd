import { Refusal, type BrokenField } from '../../../base/errors.ts'
import { assertMay, may } from '../../../cloud/containers/acl.ts'
import { containersPermitting } from '../../../cloud/containers/permitting.ts'
import type { Context } from '../../../http/context.ts'
import { listed } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { cloudJobs } from '../../../work/bulk/cloud-jobs.ts'
import { VIEW } from '../items/item.ts'
import { cloudBVaults } from '../vaults/store.ts'
import { NAME } from '../name.ts'
import { BackupBulkJob, BULK_BACKUPS_MOST, type CreateBackupBulkJob } from './model.ts'
import { backupsIn, cloudBBackups, type StoredBackup } from './store.ts'

/** Permission of a vault that deleting the backups of its keys requires. */
export const DELETE = 'keybackupdelete'

const jobs = cloudJobs(NAME, (job) => BackupBulkJob.parse({ ...job, backups: job.keys }))
export const { get: getBackupJob, list: listBackupJobs, cancel: cancelBackupJob, remove: deleteBackupJob } = jobs

/**
 * Backups that a body names. @throws Refusal NOT_FOUND pointing at every backup that the caller cannot see,
 * ACTION_DENIED
 */
async function named({ caller }: Context, ids: readonly string[]): Promise<StoredBackup[]> {
  const domain = caller.domain.id
  const found = new Map((await cloudBBackups.getMany(domain, ids)).map(({ item }) => [item.id, item]))
  const vaultIds = [...new Set([...found.values()].map(({ vault_id }) => vault_id))]
  const vaults = new Map((await cloudBVaults.getMany(domain, vaultIds)).map(({ item }) => [item.id, item]))
  const seen = ids.map((id) => {
    const backup = found.get(id)
    const vault = backup && vaults.get(backup.vault_id)
    return backup?.noun === 'key' && vault && may(caller, vault, VIEW) ? { backup, vault } : undefined
  })
  const errors = seen.flatMap((one, at): BrokenField[] =>
    one === undefined ? [{ pointer: `#/backups/${at}`, detail: 'is not there' }] : [],
  )
  if (errors.length > 0) throw new Refusal('NOT_FOUND', 'Not every backup is there.', { errors })
  const there = seen.filter((one) => one !== undefined)
  for (const { vault } of there) assertMay(caller, vault, DELETE)
  return there.map(({ backup }) => backup)
}

/**
 * Backups of keys within a time range, in vaults where the caller may delete them.
 * @throws Refusal RULE_BROKEN for too many, and for none
 */
async function between(
  { caller }: Context,
  { created_after: createdAfter, created_before: createdBefore }: CreateBackupBulkJob,
): Promise<StoredBackup[]> {
  const vaults = await containersPermitting(cloudBVaults, caller, [DELETE], 'backups')
  const query = { skip: 0, limit: BULK_BACKUPS_MOST, createdAfter, createdBefore }
  const { total, resources } = await listed(cloudBBackups, caller.domain.id, query, {
    served: vaults.map(({ id }) => backupsIn('key', id)),
    narrowBy: 'created_after and created_before',
    present: ({ item }: Stored<StoredBackup>) => item,
  })
  if (total === 0 || total > BULK_BACKUPS_MOST)
    throw new Refusal(
      'RULE_BROKEN',
      `${total} backups are from this time: a job takes 1 to ${BULK_BACKUPS_MOST}. Say created_after and created_before so.`,
    )
  return resources
}

/**
 * Creates a job that deletes many backups of keys in the caller's name, after the request. @throws Refusal NOT_FOUND,
 * ACTION_DENIED, RULE_BROKEN
 */
export async function createBackupJob(context: Context, body: CreateBackupBulkJob): Promise<Stored<BackupBulkJob>> {
  const backups = body.backups === undefined ? await between(context, body) : await named(context, body.backups)
  return jobs.create(context, {
    operation: body.operation,
    members: backups.map((backup) => ({ id: backup.id, record: backup })),
    container_ids: [...new Set(backups.map(({ vault_id }) => vault_id))],
  })
}
