import { isGiven } from '../../../base/json.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { patched, without } from '../../../base/fields.ts'
import { actionsOn, refreshing, type KeyAction } from '../../../cloud/keys/act-on-key.ts'
import { findKeyFor } from '../../../cloud/keys/find-key.ts'
import { findVersion } from '../../../cloud/keys/versions/find-version.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudCBinding } from '../adapter/types.ts'
import { CLOUD_C_ALGORITHMS, KEY_LABEL } from '../param.ts'
import { cloudC } from '../adapter.ts'
import { keyKind, type CloudCTypes } from './kind.ts'
import type { CloudCKey, SetCloudCKeyPolicy, UpdateCloudCKey } from './model.ts'
import type { StoredCloudCKey } from './store.ts'

const ENCRYPTING = 'ENCRYPT_DECRYPT'

/** An update of a key, with the number of the primary instead of its id. */
interface Change extends Omit<UpdateCloudCKey, 'primary_version_id'> {
  readonly primary?: string
}

/** @throws Refusal RULE_BROKEN for a change that this kind of key does not support */
function assertTakes(
  { cloud_c_params: { purpose, next_rotation_time: due, import_only, labels } }: StoredCloudCKey,
  change: Change,
) {
  const { rotation_period, next_rotation_time, primary, version_template_algorithm: algorithm } = change
  const mark = change.labels?.[KEY_LABEL]
  if (mark !== undefined && mark !== labels[KEY_LABEL])
    throw ruleBroken('labels', `must leave ${KEY_LABEL} as it is, which is the service's`)
  if (purpose !== ENCRYPTING && primary !== undefined)
    throw ruleBroken('primary_version_id', `is for keys of purpose ${ENCRYPTING}, which alone have a primary`)
  if (typeof rotation_period === 'string' || typeof next_rotation_time === 'string') {
    const field = typeof rotation_period === 'string' ? 'rotation_period' : 'next_rotation_time'
    if (purpose !== ENCRYPTING) throw ruleBroken(field, `is for keys of purpose ${ENCRYPTING}`)
    if (import_only) throw ruleBroken(field, 'is not for keys that take only imported versions')
  }
  if (typeof rotation_period === 'string' && !isGiven(next_rotation_time === undefined ? due : next_rotation_time))
    throw ruleBroken('rotation_period', 'needs next_rotation_time')
  const known: Readonly<Record<string, readonly string[]>> = CLOUD_C_ALGORITHMS
  if (algorithm !== undefined && known[purpose]?.includes(algorithm) !== true)
    throw ruleBroken('version_template_algorithm', `must be one of ${(known[purpose] ?? []).join(', ')}`)
}

const update: KeyAction<CloudCTypes, Change> = {
  may: 'keyupdate',
  check: assertTakes,
  call: async (place, key, { primary, labels, ...change }) => {
    const ref = keyKind.refOf(key)
    const isOther = labels !== undefined || Object.values(change).some((value) => value !== undefined)
    if (isOther)
      await cloudC.updateKey(place, ref, { ...change, ...(labels !== undefined && { labels: labels ?? {} }) })
    if (primary !== undefined) await cloudC.setPrimary(place, ref, primary)
  },
}
const bindingOf = ({ role, members, condition }: SetCloudCKeyPolicy['bindings'][number]): CloudCBinding => ({
  role,
  members,
  ...(condition && { condition: patched<Record<string, string>>({}, condition) }),
})
const setPolicy: KeyAction<CloudCTypes, SetCloudCKeyPolicy> = {
  may: 'keyupdate',
  call: (place, key, { bindings, etag }) =>
    cloudC.setPolicy(place, keyKind.refOf(key), { bindings: bindings.map(bindingOf), etag }),
}

const deletion: KeyAction<CloudCTypes, Readonly<Record<string, never>>> = {
  may: 'keydestroy',
  call: (place, key) => cloudC.deleteKey(place, keyKind.refOf(key)),
}

/** Verbs of one key: a few calls that are safe to repeat. */
export const {
  saga: actingOnCloudCKey,
  act,
  doing,
} = actionsOn(keyKind, 'act-on-cloud-c-key', {
  update,
  policy: setPolicy,
  refresh: refreshing,
  delete: deletion,
})

/**
 * Changes labels, the cloud's own rotation, the primary, or the template of later versions.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, RULE_BROKEN, and refusals of the cloud
 */
export async function updateKey(context: Context, keyId: string, body: UpdateCloudCKey): Promise<Stored<CloudCKey>> {
  const { primary_version_id: named } = body
  const change = without(body, 'primary_version_id')
  if (named === undefined) return act(context, 'update', keyId, change)
  await findKeyFor(keyKind, context, keyId, update.may)
  const field = { pointer: '#/primary_version_id', detail: 'is no version of the key' }
  const { item } = await findVersion(keyKind, context, keyId, named, field)
  return act(context, 'update', keyId, { ...change, primary: item.cloud_c_params.version })
}

/**
 * Removes a key without versions from the cloud. Ours: its record stays, marked as gone.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, and refusals of the cloud
 */
export async function deleteKey(context: Context, keyId: string): Promise<void> {
  await act(context, 'delete', keyId, {})
}
