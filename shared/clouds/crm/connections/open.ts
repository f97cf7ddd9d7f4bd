import { keyOf, openSecrets } from '../../../cloud/connections/open-connection.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CrmConnection } from '../adapter/types.ts'
import { entryOf } from './kind.ts'
import { CrmConnectionFields, type CrmConnectionRecord } from './model.ts'
import { sharedSessionOf } from './shared-session.ts'

/** A connection as the adapter uses it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export const openCrm = async (domain: string, stored: Stored<CrmConnectionRecord>): Promise<CrmConnection> => ({
  ...entryOf(CrmConnectionFields.parse(stored.item), await openSecrets(domain, stored.item), keyOf(stored)),
  shared: sharedSessionOf(domain, stored),
})
