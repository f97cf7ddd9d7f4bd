import { keyOf, openSecrets } from '../../../cloud/connections/open-connection.ts'
import type { CloudAConnectionRecord } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudAConnection } from '../adapter/types.ts'
import { cloudAEntryOf } from './kind.ts'
import { CloudAConnectionFields } from './model.ts'

/** A connection as the adapter uses it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openCloudA(domain: string, stored: Stored<CloudAConnectionRecord>): Promise<CloudAConnection> {
  const { secret_access_key } = await openSecrets(domain, stored.item)
  const entry = cloudAEntryOf(CloudAConnectionFields.parse(stored.item))
  return { key: keyOf(stored), ...entry, ...(secret_access_key && { secret_access_key }) }
}
