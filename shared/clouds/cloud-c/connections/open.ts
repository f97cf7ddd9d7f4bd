import { keyOf, openSecrets } from '../../../cloud/connections/open-connection.ts'
import type { CloudCConnectionRecord } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudCConnection } from '../adapter/types.ts'

/** A connection as the adapter uses it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export async function openCloudC(domain: string, stored: Stored<CloudCConnectionRecord>): Promise<CloudCConnection> {
  const { key_file = '' } = await openSecrets(domain, stored.item)
  return { key: keyOf(stored), key_file }
}
