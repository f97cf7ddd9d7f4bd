import { EXPIRY_DAYS_MOST } from './adapter/specs.ts'
import { ROTATION_SECONDS } from './adapter/quotas.ts'
import type { KeyRotationParams } from '../../work/schedule/config-params.ts'
import { cloudAKeys, type CloudAKeyRow, type StoredCloudAKey } from './keys/store.ts'
import { later } from '../../base/time.ts'
import type { RotationParam } from './rotation-param.ts'
import { durationMs } from '../../work/schedule/durations.ts'
import type { Rotated } from '../../work/schedule/rotated.ts'
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
 * Ours: keys that are disabled are left alone: their successors would not be. Material that has expired is replaced. Of a
 * configuration that rotates inside of keys, only keys in which that can be done are taken.
 */
const LIVE: ReadonlySet<string> = new Set(['Enabled', 'PendingImport'])

function isLive(key: StoredCloudAKey, params: Params): boolean {
  const { KeyState, CustomerMasterKeySpec: spec } = key.cloud_a_param
  if (key.gone || key.rotated_to !== undefined) return false
  if (isHosted(key)) return KeyState !== 'PendingDeletion'
  if (!rotatesMaterial(key, params)) return LIVE.has(KeyState)
  return KeyState === 'Enabled' && spec === 'SYMMETRIC_DEFAULT' && !isInHardware(key)
}

function secondsOf(key: StoredCloudAKey, params: Params): number {
  if (isHosted(key)) return 0 // nothing leaves this service
  if (!rotatesMaterial(key, params)) return ROTATION_SECONDS.replaced
  return isImported(key) ? ROTATION_SECONDS.imported : ROTATION_SECONDS.native
}

/** The end of the new material's time; none when the configuration sets none, as that of a hardware cluster has none. */
const expiryOf = ({ expiration }: Params, now: Date) =>
  expiration === undefined ? {} : { key_expiration: true, valid_to: later(now, durationMs(expiration)).toISOString() }

/** Keys of cloud-a: replaced by new ones, rotated inside where the configuration says so, or by a version of the key behind. */
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
    seconds: secondsOf(key, params),
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
