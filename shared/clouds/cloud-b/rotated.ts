import { notThere, Refusal } from '../../base/errors.ts'
import { later } from '../../base/time.ts'
import { creating } from '../../cloud/keys/creation.ts'
import { findKeyFor } from '../../cloud/keys/find-key.ts'
import { reach } from '../../cloud/keys/place.ts'
import type { Context } from '../../http/context.ts'
import type { KeyRotationParams } from '../../work/schedule/configs/params.ts'
import { durationMs } from '../../work/schedule/configs/durations.ts'
import type { Cost } from '../../work/schedule/job-operations/cost.ts'
import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { carryOut } from '../../work/sagas/saga.ts'
import { ROTATION_COSTS } from './adapter/quotas.ts'
import { localFor } from './adapter/specs.ts'
import type { CloudBKeySpec } from './adapter/types.ts'
import { planned, workOn } from './items/creation.ts'
import { keyKind, type KeyTypes } from './keys/kind.ts'
import { cloudBKeys, type CloudBKeyRow, type StoredCloudBKey } from './keys/store.ts'
import { vaultHome, withoutMark } from './items/item.ts'
import { followName } from './items/one-name.ts'
import { cloudBVaults } from './vaults/store.ts'

/** Creates the next version of a key: with material that the cloud generates, or with that of a new local key. */
export const rotatingCloudBKey = creating('rotate-cloud-b-key', keyKind)

const isNative = ({ labels }: StoredCloudBKey): boolean => labels?.auto_rotate_key_source !== 'local'

/** The next version: like the previous one, unless the key's own settings differ. */
function nextSpec(key: StoredCloudBKey, expiration: string | undefined, now: Date): Omit<CloudBKeySpec, 'mark'> {
  const { labels, key_name: name, kek_kid, cloud_b_param: param } = key
  const { kty, key_ops } = param.key
  const chosen = labels?.auto_rotate_key_type
  const ofKind =
    chosen === undefined
      ? { kty, crv: param.key.crv, key_size: key.key_size, key_ops: key_ops as CloudBKeySpec['key_ops'] } // as read
      : { kty: chosen, crv: labels?.auto_rotate_ec_name, key_size: labels?.auto_rotate_key_size }
  const exp = expiration === undefined ? {} : { exp: Math.floor(later(now, durationMs(expiration)).getTime() / 1_000) }
  const release_policy = labels?.auto_rotate_release_policy ?? param.release_policy
  return {
    name,
    ...ofKind,
    attributes: { enabled: labels?.auto_rotate_enable_key ?? true, ...exp },
    tags: withoutMark(param.tags),
    ...(key.exportable === true && { exportable: true, release_policy }),
    ...(!isNative(key) && { hsm: ofKind.kty.endsWith('-HSM'), kek_kid }),
  }
}

/**
 * The version in its present state at the cloud. Creating a version enables the key, although others may have ended its
 * use: a key that they deleted, disabled or replaced is not rotated.
 * @throws Refusal STATE_CONFLICT, and refusals of the cloud
 */
async function asOfNow(context: Context, { id, key_vault_id: vaultId, key_name: name }: StoredCloudBKey) {
  const place = await reach(keyKind, context, vaultHome(vaultId))
  await followName(keyKind, context, { vaultId, name, place })
  const stored = await keyKind.entity.get(context.caller.domain.id, id)
  if (stored === undefined) throw notThere('The key is not on record any more.')
  keyKind.assertManaged(stored.item)
  if (isLive(stored.item)) return stored.item
  const { status, is_latest } = stored.item
  const is = status !== 'ACTIVE' ? status : is_latest ? 'disabled' : 'not the latest version any more'
  throw new Refusal('STATE_CONFLICT', `The key is ${is} at its cloud, so it is not rotated.`)
}

/**
 * Creates the next version of a key. @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, and refusals of the
 * cloud
 */
async function rotate(context: Context, { id }: StoredCloudBKey, expiration: string | undefined): Promise<string> {
  const { item } = await carryOut(context, rotatingCloudBKey, async () => {
    const { stored, container } = await findKeyFor(keyKind, context, id, 'keyupdate')
    const key = await asOfNow(context, stored.item)
    const spec = nextSpec(key, expiration, context.now)
    const rotated_at = context.now.toISOString()
    const known = { rotated_at, ...(key.kek_kid && { kek_kid: key.kek_kid }) }
    const input = planned<KeyTypes>(context, container.item, spec, known)
    return workOn(keyKind, isNative(key) ? input : { ...input, new_local_key: localFor(spec) })
  })
  return item.id
}

const costOf = (key: StoredCloudBKey): Cost =>
  key.cloud_b_param.key.kty.endsWith('-HSM') ? ROTATION_COSTS.hsm : ROTATION_COSTS.software

const isLive = ({ gone, is_latest, status, cloud_b_param: { attributes, managed } }: StoredCloudBKey): boolean =>
  !gone && is_latest && status === 'ACTIVE' && attributes.enabled && managed !== true

/** Keys of cloud-b: a rotation creates another version of the same name, which inherits the settings. */
export const cloudBRotated: Rotated<StoredCloudBKey, CloudBKeyRow> = {
  entity: cloudBKeys,
  containers: cloudBVaults,
  facts: (key) => ({
    live: isLive(key),
    createdAt: key.azure_created_at,
    rotatedAt: key.rotated_at,
    validTo: key.azure_expire_at,
  }),
  plan: (key) => ({
    resource_name: key.key_name,
    container: key.key_vault,
    quotaGroup: key.key_vault_id,
    ...costOf(key),
  }),
  // A rotation decides like the single call that creates or uploads a key of the same name, and so a new version.
  single: (key) => ({ action: isNative(key) ? 'CreateCloudBKey' : 'UploadCloudBKey', may: 'keymgr-users' }),
  rotate: (context, key, { expiration }: Partial<KeyRotationParams>) => rotate(context, key, expiration),
}
