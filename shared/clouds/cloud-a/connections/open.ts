import { keyOf, openSecrets } from '../../../cloud/connections/open-connection.ts'
import type { CloudAConnectionRecord } from './model.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudAConnection } from '../adapter/types.ts'
import { opened } from './kind.ts'
import { CloudAConnectionFields } from './model.ts'

/** A connection as the adapter uses it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export const openCloudA = async (domain: string, stored: Stored<CloudAConnectionRecord>): Promise<CloudAConnection> =>
  opened(CloudAConnectionFields.parse(stored.item), await openSecrets(domain, stored.item), keyOf(stored))
