import { budgetOf } from '../../cloud/budget.ts'
import { connectionInBody, connectionOfContainer } from '../../cloud/containers/connection.ts'
import type { Opening } from '../../cloud/keys/kind.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import type { CloudDEntry, CloudDPlace } from './adapter/types.ts'
import type { CloudDConnectionRecord } from './connections/model.ts'
import { openCloudD } from './connections/open.ts'
import { NAME } from './name.ts'
import { vaultKind } from './vaults/kind.ts'
import type { StoredCloudDVault } from './vaults/store.ts'

export type OwnConnection = Stored<CloudDConnectionRecord>

/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionNamed = (context: Pick<Context, 'caller'>, nameOrId: string): Promise<OwnConnection> =>
  connectionInBody(NAME, context, nameOrId)

/** The connection and limits for the calls of a request. */
export const entryOf = async (
  context: Pick<Context, 'caller' | 'once'>,
  stored: OwnConnection,
): Promise<CloudDEntry> => ({
  connection: await openCloudD(context.caller.domain.id, stored),
  budget: await budgetOf(context),
  patience: 'request',
})

/** A vault with its open connection. @throws Refusal STATE_CONFLICT when it has lost its connection */
export async function openVault(
  domain: string,
  vault: StoredCloudDVault,
  { now, budget, patience }: Pick<Opening, 'now' | 'budget' | 'patience'>,
): Promise<CloudDPlace> {
  const stored: OwnConnection = await connectionOfContainer(NAME, vaultKind, domain, vault)
  return { connection: await openCloudD(domain, stored), vault, now, budget, patience }
}
