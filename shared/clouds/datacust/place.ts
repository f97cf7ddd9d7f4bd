import { budgetOf } from '../../cloud/budget.ts'
import { connectionInBody, connectionOfContainer } from '../../cloud/containers/connection.ts'
import type { Opening } from '../../cloud/keys/kind.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import type { DatacustEntry, DatacustPlace } from './adapter/types.ts'
import type { DatacustConnectionRecord } from './connections/model.ts'
import { openDatacust } from './connections/open.ts'
import { groupKind } from './groups/kind.ts'
import type { StoredDatacustGroup } from './groups/store.ts'
import { NAME } from './name.ts'

export type OwnConnection = Stored<DatacustConnectionRecord>

/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionNamed = (context: Pick<Context, 'caller'>, nameOrId: string): Promise<OwnConnection> =>
  connectionInBody(NAME, context, nameOrId)

/** The connection and limits for the calls of a request. */
export const entryOf = async (
  context: Pick<Context, 'caller' | 'once'>,
  stored: OwnConnection,
): Promise<DatacustEntry> => ({
  connection: await openDatacust(context.caller.domain.id, stored),
  budget: await budgetOf(context),
  patience: 'request',
})

/** A group with its open connection. @throws Refusal STATE_CONFLICT when it has lost its connection */
export async function openGroup(
  domain: string,
  group: StoredDatacustGroup,
  { budget, patience }: Pick<Opening, 'budget' | 'patience'>,
): Promise<DatacustPlace> {
  const stored: OwnConnection = await connectionOfContainer(NAME, groupKind, domain, group)
  return { connection: await openDatacust(domain, stored), group, budget, patience }
}
