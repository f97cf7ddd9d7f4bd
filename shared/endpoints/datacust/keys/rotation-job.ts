import { Refusal } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import type { Context } from '../../../http/context.ts'
import { changeRecord } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { joinConfig } from '../../../work/schedule/configs/attachments.ts'
import { NAME } from '../identifiers.ts'
import { storeOfKey } from './admit.ts'
import { externalKeyKind } from './kind.ts'
import type { DatacustExternalKey, JoinRotation } from './model.ts'
import { assertNotArchived } from './states.ts'

/**
 * Adds the key to the job configuration that is to rotate it, and removes it from a former one.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT for an archived key, RULE_BROKEN for a
 * configuration of another operation or cloud
 */
export async function enableRotation(
  context: Context,
  id: string,
  { job_config_id }: JoinRotation,
): Promise<Stored<DatacustExternalKey>> {
  await storeOfKey(context, id, 'keyrotate')
  return changeRecord(externalKeyKind, context, id, async (key) => {
    assertNotArchived(key)
    await joinConfig(context, job_config_id, { operation: 'keymgr_key_rotation', cloud: NAME })
    return { ...key, labels: { job_config_id } }
  })
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT without a job */
export async function disableRotation(context: Context, id: string): Promise<Stored<DatacustExternalKey>> {
  await storeOfKey(context, id, 'keyrotate')
  return changeRecord(externalKeyKind, context, id, (key) => {
    if (key.labels !== undefined) return without(key, 'labels')
    throw new Refusal('STATE_CONFLICT', `No job rotates the external key ${key.name}.`)
  })
}
