import { EXPIRY_DAYS_MOST } from './adapter/specs.ts'
import { ROTATION_COSTS } from './adapter/quotas.ts'
import type { KeyRotationParams } from '../../work/schedule/configs/params.ts'
import { cloudAKeys, type CloudAKeyRow, type StoredCloudAKey } from './keys/store.ts'
import { later } from '../../base/time.ts'
import type { RotationParam } from './rotation-param.ts'
import { durationMs } from '../../work/schedule/configs/durations.ts'
import { FREE, type Cost } from '../../work/schedule/job-operations/cost.ts'
import type { Rotated } from '../../work/schedule/job-operations/rotated.ts'
import { isInHardware } from './keys/key-rules.ts'
import { keyName } from './keys/records.ts'
import { rotateKey } from './keys/rotate-key.ts'
import { rotateMaterial } from './keys/rotate-material.ts'

type Params = KeyRotationParams

const paramOf = ({ cloud_a_param }: Params): RotationParam => cloud_a_param ?? {} // checked with the body

const isHosted = ({ local_hosted_params }: StoredCloudAKey): boolean => local_hosted_params !== undefined
const isImported = ({ cloud_a_param: { Origin } }: StoredCloudAKey): boolean => Origin === 'EXTERNAL'
const rotatesMaterial = (key: StoredCloudAKey, params: Params): boolean =>
  paramOf(params).rotate_material === true && !isHosted(key)

/**
 * Ours: disabled keys are not rotated, because their successors would be enabled. Expired material is replaced. A
 * configuration that rotates inside keys selects only keys that support it.
 */
const LIVE: ReadonlySet<string> = new Set(['Enabled', 'PendingImport'])

function isLive(key: StoredCloudAKey, params: Params): boolean {
  const { KeyState, CustomerMasterKeySpec: spec } = key.cloud_a_param
  if (key.gone || key.rotated_to !== undefined) return false
  if (isHosted(key)) return KeyState !== 'PendingDeletion'
  if (!rotatesMaterial(key, params)) return LIVE.has(KeyState)
  return KeyState === 'Enabled' && spec === 'SYMMETRIC_DEFAULT' && !isInHardware(key)
}

function costOf(key: StoredCloudAKey, params: Params): Cost {
  if (isHosted(key)) return FREE // nothing leaves this service
  if (!rotatesMaterial(key, params)) return ROTATION_COSTS.replaced
  return isImported(key) ? ROTATION_COSTS.imported : ROTATION_COSTS.native
}

/** The expiry of the new material; absent when the configuration sets none, as for material of a hardware cluster. */
const expiryOf = ({ expiration }: Params, now: Date) =>
  expiration === undefined ? {} : { key_expiration: true, valid_to: later(now, durationMs(expiration)).toISOString() }

/**
 * Rotation of cloud-a's keys: by a new key, inside the key if the configuration requests it, or by a version of the
 * local key of a hosted key.
 */
export const cloudARotated: Rotated<StoredCloudAKey, CloudAKeyRow> = {
  entity: cloudAKeys,
  lifetimeDaysMost: EXPIRY_DAYS_MOST,
  facts: (key, params) => ({
    live: isLive(key, params),
    expired: key.cloud_a_param.KeyState === 'PendingImport',
    createdAt: key.cloud_a_param.CreationDate ?? key.createdAt,
    rotatedAt: key.rotated_at,
    validTo: key.cloud_a_param.ValidTo,
  }),
  plan: (key, params) => ({
    resource_name: keyName(key),
    container: key.kms,
    quotaGroup: `${key.cloud_a_param.AccountId}/${key.region}`,
    ...costOf(key, params),
  }),
  single: (key, params) => ({
    action: rotatesMaterial(key, params) ? 'RotateCloudAKeyMaterial' : 'RotateCloudAKey',
    may: 'keymgr-users',
  }),
  rotate: async (context, key, params) => {
    const { id, labels } = key
    if (rotatesMaterial(key, params)) {
      await rotateMaterial(context, id, isImported(key) ? expiryOf(params, context.now) : {})
      return id
    }
    const how = {
      disable_encrypt: labels?.auto_rotate_disable_encrypt,
      disable_encrypt_on_all_accounts: labels?.auto_rotate_disable_encrypt_on_all_accounts,
      retain_alias: paramOf(params).retain_alias,
      ...(!isInHardware(key) && expiryOf(params, context.now)),
    }
    const { item } = await rotateKey(context, id, { source_key_tier: 'local', ...(!isHosted(key) && how) })
    return item.id
  },
}
