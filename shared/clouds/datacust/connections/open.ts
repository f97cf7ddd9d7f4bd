import { openSecrets } from '../../../cloud/connections/open-connection.ts'
import type { Stored } from '../../../store/entity.ts'
import type { DatacustConnection } from '../adapter/types.ts'
import { openedOf } from './kind.ts'
import type { DatacustConnectionRecord } from './model.ts'

/** A connection as the adapter uses it. @throws Refusal CIPHERTEXT_INVALID, UNAVAILABLE */
export const openDatacust = async (
  domain: string,
  { item }: Stored<DatacustConnectionRecord>,
): Promise<DatacustConnection> => ({
  ...openedOf(item, await openSecrets(domain, item)),
  name: item.name,
})
