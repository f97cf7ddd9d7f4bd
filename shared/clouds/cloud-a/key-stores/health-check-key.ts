import type { Context } from '../../../http/context.ts'
import { USAGE } from '../../../crypto/usage.ts'
import type { SecretBytes } from '../../../crypto/secret-bytes.ts'
import { checkHealth, healthAnswer, healthSample } from '../../../crypto/protocols/xks-health-check.ts'
import { Refusal, ruleBroken, notThere } from '../../../base/errors.ts'
import type { Changes } from '../../../store/changes.ts'
import { localKeys, type StoredLocalKey } from '../../../vault/keys/store.ts'
import type { KeyUseBy } from '../../../emergency/assert-open.ts'
import { assertMayUse, usedBy } from '../../../vault/keys/policies/access.ts'
import { findNamedKey } from '../../../vault/keys/lists/find-key.ts'
import { keyAsOf, whyUnusable } from '../../../vault/keys/lifecycle/key-state.ts'
import { openMaterial } from '../../../vault/keys/material/material.ts'
import { isXts, NOT_XTS } from '../../../vault/keys/record/xts.ts'
import { assertNotBlocked, findKeyStore, localParamsOf } from './find-key-store.ts'

const POINTER = '#/local_hosted_params/health_check_key_id'
const KEY_BITS = 256
const NEEDED = USAGE.encrypt | USAGE.decrypt

/** Why a key cannot be a health check key; `undefined` if it can. */
function faultOf(key: StoredLocalKey, now: Date): string | undefined {
  if (key.algorithm !== 'aes' || key.size !== KEY_BITS) return `must be an AES key of ${KEY_BITS} bits`
  if (isXts(key)) return NOT_XTS
  if ((key.usageMask & NEEDED) !== NEEDED) return 'must be a key that may encrypt and decrypt'
  return whyUnusable(key, now) === undefined ? undefined : 'must be a key that is active'
}

/**
 * The local key for a store's health check: exactly this version.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, also when it is not active
 */
export async function findHealthCheckKey(context: Context, reference: string): Promise<StoredLocalKey> {
  const { item } = await findNamedKey(context, reference, {}, { pointer: POINTER, detail: 'is not there' })
  assertMayUse(context, item, 'EncryptWithKey')
  assertMayUse(context, item, 'DecryptWithKey')
  const detail = faultOf(item, context.now)
  if (detail !== undefined) throw ruleBroken('health_check_key_id', detail, POINTER)
  return keyAsOf(item, context.now)
}

/**
 * Stages that a store is checked with a key from now on. A concurrent deletion of the key runs again, and finds it in
 * use.
 * @param keyId `undefined` for stores, and changes of stores, without one
 * @throws Refusal NOT_FOUND when it was deleted meanwhile
 */
export async function holdHealthCheckKey(changes: Changes, domain: string, keyId: string | undefined): Promise<void> {
  if (keyId === undefined) return
  const key = await localKeys.get(domain, keyId)
  if (key === undefined)
    throw notThere('The health check key is not there any more.', { pointer: POINTER, detail: 'is not there' })
  changes.update(localKeys, domain, key, key.item)
}

async function withBytes<T>(by: KeyUseBy, key: StoredLocalKey, work: (bytes: SecretBytes) => T): Promise<T> {
  const { bytes } = await openMaterial(by, key)
  try {
    return work(bytes)
  } finally {
    bytes.destroy()
  }
}

/** The sample of a store, under its health check key. @returns Base64 */
export const sealSample = (context: Context, key: StoredLocalKey, storeId: string): Promise<string> =>
  withBytes(usedBy(context), key, (bytes) => healthSample(bytes, storeId))

const failed = (reason: string): Refusal => new Refusal('UNAVAILABLE', `The health check failed: ${reason}`)

/**
 * The answer to a signed health call of the cloud at this moment.
 * @throws Refusal NOT_FOUND, STATE_CONFLICT for a store that is blocked or has no keys of ours, UNAVAILABLE when its
 * health check key is missing, inactive, or differs from the one that sealed the sample
 */
export async function readHealth(context: Context, id: string): Promise<ReturnType<typeof healthAnswer>> {
  const { caller, now } = context
  const domain = caller.domain.id
  const { stored } = await findKeyStore(context, id)
  const { health_check_key_id: keyId, health_check_ciphertext: sample } = localParamsOf(stored.item)
  assertNotBlocked(stored.item)
  const found = await localKeys.get(domain, keyId)
  if (found === undefined) throw failed('its key is not there any more.')
  const key = keyAsOf(found.item, now)
  const why = whyUnusable(key, now)
  if (why !== undefined) throw failed(why)
  try {
    await withBytes(usedBy(context), key, (bytes) => checkHealth(bytes, id, sample))
  } catch (error) {
    if (error instanceof Refusal && error.reason === 'CIPHERTEXT_INVALID') throw failed('its sample does not open.')
    throw error
  }
  return healthAnswer('ACTIVE')
}
