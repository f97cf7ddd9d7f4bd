import type { KeyObject } from 'node:crypto'
import { aadOf, open, seal } from './aead.ts'
import type { SecretBytes } from './secret-bytes.ts'

const SAMPLE = Buffer.from('keymgr health check')

const aadFor = (storeId: string): Buffer => aadOf('xks-health', storeId)

/** The sample an external key store keeps for its health check, as Base64. @param key 32 bytes, the health-check key */
export const healthSample = (key: SecretBytes | KeyObject, storeId: string): string =>
  seal(key, SAMPLE, aadFor(storeId)).toString('base64')

/**
 * Whether the key still opens the store's sample, and what it seals now.
 * @throws Refusal CIPHERTEXT_INVALID when it does not
 */
export function checkHealth(key: SecretBytes | KeyObject, storeId: string, sample: string): void {
  open(key, Buffer.from(sample, 'base64'), aadFor(storeId))
  open(key, seal(key, SAMPLE, aadFor(storeId)), aadFor(storeId))
}

type HealthStatus = 'ACTIVE' | 'DEGRADED' | 'UNAVAILABLE'

/** What both health calls answer: the signed one of the protocol, and the one of the interface. */
export const healthAnswer = (healthStatus: HealthStatus) => ({
  healthStatus, // interface: beside what the protocol asks for
  xksProxyFleetSize: 1, // Ours: functions have no fleet to count; the protocol wants at least one
  xksProxyVendor: 'keymgr',
  xksProxyModel: 'keymgr external key store 1',
  ekmVendor: 'keymgr',
  ekmFleetDetails: [{ id: 'keymgr', model: 'keymgr local keys 1', healthStatus }],
})
