import type { Deployment } from '../../../infra/local/deployment.ts'
import { JOBS, keyBody, KEYS } from './cloud-d.ts'

/** The bucket with backups of the vault `safe`. */
export const BUCKET = { bucket_name: 'key-backups', bucket_namespace: 'shopkeys' }

/**
 * A key that the cloud has deleted, with a backup in the bucket of its vault `safe`. @returns the id of its record
 */
export async function makeDeleted(
  deployment: Deployment,
  who: { ok(method: string, path: string, body?: unknown): Promise<any> },
  name: string,
): Promise<string> {
  const body = keyBody(name, { vault: 'safe', protection_mode: 'HSM', algorithm: 'AES', length: 32 })
  const { id, cloud_d_params: param } = await who.ok('POST', KEYS, body)
  deployment.cloudD.alter(param.key_id as string, { state: 'ENABLED' }) // keys that are being created have no backup
  await who.ok('POST', JOBS, { cloud_d_vaults: ['safe'] })
  await deployment.flows.idle()
  deployment.cloudD.alter(param.key_id as string, { state: 'DELETED' })
  const { backup_at } = await who.ok('POST', `${KEYS}/${id}/refresh`)
  if (backup_at === undefined) throw new Error(`The key ${name} has no backup`)
  return id
}
