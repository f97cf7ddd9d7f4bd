import type { KeyObject } from 'node:crypto'
import { aadOf, open, seal } from '../aead.ts'
import type { SecretBytes } from '../secret-bytes.ts'

const SAMPLE = Buffer.from('keymgr health check')

const aadFor = (storeId: string): Buffer => aadOf('xks-health', storeId)

/**
 * The sample stored with an external key store for its health check, as Base64. @param key 32 bytes, the health-check
 * key
 */
export const healthSample = (key: SecretBytes | KeyObject, storeId: string): string =>
  seal(key, SAMPLE, aadFor(storeId)).toString('base64')

/**
 * Checks that the key opens the store's sample, and its own new seal.
 * @throws Refusal CIPHERTEXT_INVALID when it does not
 */
export function checkHealth(key: SecretBytes | KeyObject, storeId: string, sample: string): void {
  open(key, Buffer.from(sample, 'base64'), aadFor(storeId))
  open(key, seal(key, SAMPLE, aadFor(storeId)), aadFor(storeId))
}

type HealthStatus = 'ACTIVE' | 'DEGRADED' | 'UNAVAILABLE'

/** The answer of both health calls: the signed one of the protocol and the management one. */
export const healthAnswer = (healthStatus: HealthStatus) => ({
  healthStatus, // ours: in addition to the protocol's fields
  xksProxyFleetSize: 1, // Ours: functions are not a fleet; the protocol requires at least one
  xksProxyVendor: 'keymgr',
  xksProxyModel: 'keymgr external key store 1',
  ekmVendor: 'keymgr',
  ekmFleetDetails: [{ id: 'keymgr', model: 'keymgr local keys 1', healthStatus }],
})
