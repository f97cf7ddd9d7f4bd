import { keyOf, openSecrets } from '../../../cloud/connections/open-connection.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudBConnection } from '../adapter/types.ts'
import { entryOf } from './kind.ts'
import { CloudBConnectionFields, type CloudBConnectionRecord } from './model.ts'

/** A connection as the adapter uses it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export const openCloudB = async (domain: string, stored: Stored<CloudBConnectionRecord>): Promise<CloudBConnection> =>
  entryOf(CloudBConnectionFields.parse(stored.item), await openSecrets(domain, stored.item), keyOf(stored))
