import { openSecrets } from '../../../cloud/connections/open-connection.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudDConnection } from '../adapter/types.ts'
import type { CloudDConnectionRecord } from './model.ts'

/** A connection as the adapter uses it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openCloudD(domain: string, { item }: Stored<CloudDConnectionRecord>): Promise<CloudDConnection> {
  const { key_file = '', pass_phrase } = await openSecrets(domain, item)
  const { tenancy_id, cloud_user_id, fingerprint, region } = item
  return { tenancy_id, cloud_user_id, fingerprint, region, key_file, pass_phrase }
}
