import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { joinConfig } from '../../work/schedule/configs/attachments.ts'
import type { Found } from './find-key.ts'
import type { KeyKind, KeyTypes } from './kind.ts'
import { changeKey } from './record-key.ts'

/**
 * Adds a key to the job configuration that is to rotate it, and removes it from a former one.
 * @param labels the configuration, and how the key is rotated
 * @throws Refusal NOT_FOUND, RULE_BROKEN for a configuration of another operation or cloud
 */
export async function joinRotation<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  found: Found<T>,
  labels: NonNullable<T['key']['labels']>,
): Promise<Stored<T['shown']>> {
  await joinConfig(context, labels.job_config_id, { operation: 'keymgr_key_rotation', cloud: kind.service })
  return changeKey(kind, context, found, (key) => ({ ...key, labels }))
}

/**
 * Removes a key from the job configuration that rotates it.
 * @param instead the configuration of its container, which rotates it from now on
 * @throws Refusal STATE_CONFLICT when it has none
 */
export function leaveRotation<T extends KeyTypes>(
  kind: KeyKind<T>,
  context: Context,
  found: Found<T>,
  instead?: T['key']['labels'],
): Stored<T['shown']> {
  if (found.stored.item.labels === undefined) throw new Refusal('STATE_CONFLICT', 'No job rotates this key.')
  const left = (key: T['key']): T['key'] => without(key, 'labels') // the labels are optional
  return changeKey(kind, context, found, (key) => ({ ...left(key), ...(instead && { labels: instead }) }))
}
