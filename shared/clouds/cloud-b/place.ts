import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import { budgetOf } from '../../cloud/budget.ts'
import { connectionOfContainer } from '../../cloud/containers/connection.ts'
import type { CloudBEntry, CloudBPlace } from './adapter/types.ts'
import type { CloudBConnectionRecord } from './connections/model.ts'
import { openCloudB } from './connections/open.ts'
import type { StoredCloudBVault } from './vaults/store.ts'
import { vaultKind } from './vaults/kind.ts'
import { NAME } from './name.ts'

/** A connection opened for a request. */
export const entryOf = async (
  context: Pick<Context, 'caller' | 'once'>,
  stored: Stored<CloudBConnectionRecord>,
): Promise<CloudBEntry> => ({
  connection: await openCloudB(context.caller.domain.id, stored),
  budget: await budgetOf(context),
  patience: 'request',
})

/**
 * One vault. Ours: if the connection was changed and now leads elsewhere, no harm is done: the vault's own address
 * identifies it.
 * @throws Refusal STATE_CONFLICT when the vault has lost its connection
 */
export async function openVault(
  domain: string,
  vault: StoredCloudBVault,
  how: Pick<CloudBPlace, 'now' | 'budget' | 'patience'>,
): Promise<CloudBPlace> {
  const stored: Stored<CloudBConnectionRecord> = await connectionOfContainer(NAME, vaultKind, domain, vault)
  return { connection: await openCloudB(domain, stored), vault_url: vault.vault_url, ...how }
}
