import { budgetOf } from '../../cloud/budget.ts'
import { connectionInBody, connectionOfContainer } from '../../cloud/containers/connection.ts'
import type { Opening } from '../../cloud/keys/kind.ts'
import type { Context } from '../../http/context.ts'
import type { Stored } from '../../store/entity.ts'
import type { CrmEntry, CrmPlace } from './adapter/types.ts'
import type { CrmConnectionRecord } from './connections/model.ts'
import { openCrm } from './connections/open.ts'
import { NAME } from './name.ts'
import { organizationKind } from './organizations/kind.ts'
import type { StoredCrmOrganization } from './organizations/store.ts'

export type OwnConnection = Stored<CrmConnectionRecord>

/** The connection that a body names. @throws Refusal NOT_FOUND */
export const connectionNamed = (context: Pick<Context, 'caller'>, nameOrId: string): Promise<OwnConnection> =>
  connectionInBody(NAME, context, nameOrId)

/** The connection and limits for the calls of a request. */
export const entryOf = async (context: Pick<Context, 'caller' | 'once'>, stored: OwnConnection): Promise<CrmEntry> => ({
  connection: await openCrm(context.caller.domain.id, stored),
  budget: await budgetOf(context),
  patience: 'request',
})

/** An organization with its open connection. @throws Refusal STATE_CONFLICT when it has lost its connection */
export async function openOrganization(
  domain: string,
  organization: StoredCrmOrganization,
  { now, budget, patience }: Pick<Opening, 'now' | 'budget' | 'patience'>,
): Promise<CrmPlace> {
  const stored: OwnConnection = await connectionOfContainer(NAME, organizationKind, domain, organization)
  return { domain, connection: await openCrm(domain, stored), organization, now, budget, patience }
}
