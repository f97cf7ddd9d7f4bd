import { Refusal } from '../../../base/errors.ts'
import { defined, without } from '../../../base/fields.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { changeKey } from '../../../cloud/keys/record-key.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { joinConfig } from '../../../work/schedule/configs/attachments.ts'
import { familyPage, hasJoined, skipped } from '../../../work/schedule/job-operations/joined.ts'
import type { SubJobPlan } from '../../../work/schedule/job-operations/operation.ts'
import { joinedTo } from '../../../work/schedule/job-operations/rotated.ts'
import type { JobVerbs } from '../../../work/work-row.ts'
import { BACKUP_COST } from '../adapter/quotas.ts'
import { keyKind } from '../keys/kind.ts'
import type { CloudBKey } from '../keys/model.ts'
import { assertTakesJob } from '../keys/rotation-job.ts'
import { cloudBKeys } from '../keys/store.ts'
import { NAME } from '../name.ts'
import { takeBackup } from './change-backups.ts'
import type { EnableBackupJob } from './model.ts'

const UPDATE = 'keyupdate'

/**
 * Adds a key to the job configuration that is to back it up, and removes it from a former one.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT for a former version, and for a deleted key
 */
export async function enableBackupJob(
  context: Context,
  id: string,
  { backup_job_config_id: config }: EnableBackupJob,
): Promise<Stored<CloudBKey>> {
  const found = await findKeyFor(keyKind, context, id, UPDATE)
  assertTakesJob(found.stored.item)
  await joinConfig(context, config, { operation: 'key-backup', cloud: NAME, field: 'backup_job_config_id' })
  return changeKey(keyKind, context, found, (key) => ({ ...key, backup_job_config_id: config }))
}

/**
 * Removes a key from the job configuration that backs it up. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT
 * when it has none
 */
export async function disableBackupJob(context: Context, id: string): Promise<Stored<CloudBKey>> {
  const found = await findKeyFor(keyKind, context, id, UPDATE)
  if (found.stored.item.backup_job_config_id === undefined)
    throw new Refusal('STATE_CONFLICT', 'No job backs this key up.')
  return changeKey(keyKind, context, found, (key) => without(key, 'backup_job_config_id'))
}

/** Takes a backup of each live key that joined the configuration. */
export const keyBackup: JobVerbs = {
  hasAttached: (domain, config) => hasJoined(cloudBKeys, domain, config),
  check: () => Promise.resolve(),
  find: async ({ domain, config }, cursor) => {
    const { records, last } = await familyPage(cloudBKeys, domain, joinedTo(config), cursor)
    const plans = records
      .filter(({ gone, status }) => !gone && status === 'ACTIVE')
      .map(({ id, key_name, key_vault, key_vault_id }): SubJobPlan => ({
        cloud: NAME,
        resource_type: 'key',
        resource_id: id,
        resource_name: key_name,
        container: key_vault,
        quotaGroup: key_vault_id,
        ...BACKUP_COST,
      }))
    return { plans, ...defined({ cursor: last }) }
  },
  act: async (context, { resource_id: id }, { job_config_id: config }) => {
    const key = await cloudBKeys.get(context.caller.domain.id, id)
    if (key?.item.backup_job_config_id !== config) return skipped('The key has left the configuration.')
    const { item } = await takeBackup(keyKind, context, id)
    return { end: 'done', result: item.id }
  },
}
